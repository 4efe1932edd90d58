/** Intervals beneath each other on one axis, each beside what is claimed: a forest plot. */

import type { CustomSeriesOption } from "echarts/charts";
import type { EChartsCoreOption } from "echarts/core";
import { number, shown, text, type Chart } from "./data";
import { label, value } from "./format";
import type { Theme } from "./theme";
import { exponential, logTicks, ratioTicks } from "./ticks";
import { told } from "./told";

const ROW = 30;
const ABOVE_AND_BELOW = 56;
/** Width of a label with its distance from the next. */
const LABEL = 52;
/** How much further an axis reaches than what is on it. */
const MARGIN = 1.03;

export function height(chart: Chart): number {
  return chart.rows.length * ROW + ABOVE_AND_BELOW;
}

interface Row {
  name: string;
  verdict: string;
  point: number | null;
  low: number | null;
  high: number | null;
  from: number | null;
  to: number | null;
  /** The value of each block. */
  blocks: number[];
}

function rows(chart: Chart): Row[] {
  return chart.rows.map(([name, verdict, point, low, high, from, to, ...blocks]) => ({
    name: text(name),
    verdict: text(verdict),
    point: number(point),
    low: number(low),
    high: number(high),
    from: number(from),
    to: number(to),
    blocks: blocks.map(number).filter((at) => at !== null),
  }));
}

function colour(row: Row, theme: Theme): string {
  switch (row.verdict) {
    case "supported":
    case "met":
      return theme.good;
    case "refuted":
    case "not met":
      return theme.bad;
    case "":
    case "matters":
      return theme.ink;
    default:
      return theme.open;
  }
}

/** The scale of the axis: values are placed by their logarithms where it is one. */
interface Scale {
  of: (value: number) => number;
  axis: object;
}

function scale(chart: Chart, all: Row[], width: number): Scale {
  const isLog = chart.x.scale === "log";
  const known = all.flatMap((row) => [row.low, row.high, row.point, row.from, row.to, ...row.blocks]).filter((at) => at !== null);
  // Zero has no logarithm: what reaches it reaches the end of the axis.
  const found = isLog ? known.filter((at) => at > 0) : known;
  const ends = chart.x.unit === "ratio" ? [...found, 1] : found;
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (!isLog) {
    const formatter = (at: number) => label(at, chart.x.unit);
    return { of: (value) => value, axis: { min: Math.min(0, low), max: high * MARGIN, axisLabel: { formatter } } };
  }
  const [from, to] = [low / MARGIN, high * MARGIN];
  const ticks = chart.x.unit === "ratio" ? ratioTicks(from, to, width / LABEL) : logTicks(from, to);
  const customValues = ticks.map(Math.log);
  const formatter = (at: number) => label(exponential(at), chart.x.unit);
  return {
    of: (value) => Math.log(Math.max(value, from)),
    axis: { min: Math.log(from), max: Math.log(to), axisTick: { customValues }, axisLabel: { customValues, formatter } },
  };
}

export function option(chart: Chart, theme: Theme, width: number): EChartsCoreOption {
  const all = rows(chart);
  const names = Math.min(260, width * 0.34);
  const { of, axis } = scale(chart, all, width - names - 36);
  const labels = (axis as { axisLabel: object }).axisLabel;
  return {
    animation: false,
    grid: { left: names + 12, right: 24, top: 8, bottom: 44 },
    xAxis: {
      ...axis,
      type: "value",
      name: chart.x.name,
      nameLocation: "middle",
      nameGap: 28,
      nameTextStyle: { color: theme.quiet },
      axisLabel: { ...labels, color: theme.quiet, hideOverlap: true },
      splitLine: { lineStyle: { color: theme.line } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: all.map((row) => row.name),
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: theme.ink, width: names, overflow: "truncate", interval: 0 },
    },
    tooltip: {
      trigger: "item",
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const row = all[dataIndex]!;
        const at = (of: number | null) => (of === null ? "–" : value(of, chart.x.unit));
        return told(row.name, [[shown(chart, row.verdict), `${at(row.point)}  [${at(row.low)}, ${at(row.high)}]`]]);
      },
    },
    series: [drawn(all, theme, of, chart.x.unit === "ratio")],
  };
}

function drawn(all: Row[], theme: Theme, of: (value: number) => number, isRatio: boolean): CustomSeriesOption {
  return {
    type: "custom",
    encode: { x: [0], y: 1 },
    data: all.map((row, at) => [row.point === null ? null : of(row.point), at]),
    renderItem: (params, api) => {
      const row = all[params.dataIndex]!;
      const area = params.coordSys as unknown as { x: number; width: number };
      const x = (at: number) => {
        const place = api.coord([of(at), params.dataIndex])[0] ?? area.x;
        return Math.min(area.x + area.width, Math.max(area.x, place));
      };
      const y = api.coord([0, params.dataIndex])[1] ?? 0;
      const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, lineWidth: number) => ({
        type: "line" as const,
        shape: { x1, y1, x2, y2 },
        style: { stroke, lineWidth },
      });
      const children = [];
      if (row.from !== null || row.to !== null) {
        const left = row.from === null ? area.x : x(row.from);
        const right = row.to === null ? area.x + area.width : x(row.to);
        const shape = { x: left, y: y - 11, width: Math.max(2, right - left), height: 22 };
        children.push({ type: "rect" as const, shape, style: { fill: theme.good, opacity: 0.14 } });
        for (const end of [row.from, row.to]) {
          if (end !== null) children.push(line(x(end), y - 11, x(end), y + 11, theme.good, 2));
        }
      }
      if (isRatio) children.push(line(x(1), y - 15, x(1), y + 15, theme.quiet, 1));
      for (const at of row.blocks) {
        const shape = { cx: x(at), cy: y, r: 3 };
        children.push({ type: "circle" as const, shape, style: { fill: theme.quiet, opacity: 0.55 } });
      }
      if (row.low !== null && row.high !== null) {
        children.push(line(x(row.low), y, x(row.high), y, colour(row, theme), 4));
      }
      if (row.point !== null) {
        const shape = { cx: x(row.point), cy: y, r: 5.5 };
        children.push({ type: "circle" as const, shape, style: { fill: colour(row, theme) } });
      }
      return { type: "group", children };
    },
  };
}
