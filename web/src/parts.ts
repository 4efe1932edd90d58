/** Shares that lie side by side, name beneath name. */

import type { CustomSeriesOption } from "echarts/charts";
import type { EChartsCoreOption } from "echarts/core";
import { number, text, type Chart } from "./data";
import { label, plain, value } from "./format";
import type { Theme } from "./theme";
import { told } from "./told";

const ROW = 30;
const ABOVE_AND_BELOW = 92;
const BAR = 16;

interface Part {
  name: string;
  part: string;
  count: number;
  from: number;
  share: number;
}

/** Each part begins where those before it end. */
function parts(chart: Chart): Part[] {
  const ends = new Map<string, number>();
  return chart.rows.map((row) => {
    const [name, share] = [text(row[0]), number(row[3]) ?? 0];
    const from = ends.get(name) ?? 0;
    ends.set(name, from + share);
    return { name, part: text(row[1]), count: number(row[2]) ?? 0, from, share };
  });
}

function names(chart: Chart): string[] {
  return [...new Set(chart.rows.map((row) => text(row[0])))];
}

export function height(chart: Chart): number {
  return names(chart).length * ROW + ABOVE_AND_BELOW;
}

export function option(chart: Chart, theme: Theme, width: number): EChartsCoreOption {
  const [all, places] = [parts(chart), names(chart)];
  const kinds = [...new Set(all.map(({ part }) => part))];
  const room = Math.min(260, width * 0.34);
  return {
    animation: false,
    color: theme.series,
    grid: { left: room + 12, right: 24, top: 40, bottom: 44 },
    legend: { type: "scroll", top: 0, textStyle: { color: theme.ink }, pageTextStyle: { color: theme.ink } },
    xAxis: {
      type: "value",
      min: 0,
      name: chart.x.name,
      nameLocation: "middle",
      nameGap: 28,
      nameTextStyle: { color: theme.quiet },
      axisLabel: { color: theme.quiet, hideOverlap: true, formatter: (at: number) => label(at, chart.x.unit) },
      splitLine: { lineStyle: { color: theme.line } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: places,
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: theme.ink, width: room, overflow: "truncate", interval: 0 },
    },
    tooltip: {
      trigger: "item",
      formatter: ({ data }: { data: { part: Part } }) => {
        const { name, part, count, share } = data.part;
        return told(name, [[part, `${plain(count)}  (${value(share, chart.x.unit)})`]]);
      },
    },
    series: kinds.map((kind, at) => drawn(kind, all, places, theme.series[at % theme.series.length]!)),
  };
}

function drawn(kind: string, all: Part[], places: string[], fill: string): CustomSeriesOption {
  const own = all.filter(({ part }) => part === kind);
  return {
    type: "custom",
    name: kind,
    itemStyle: { color: fill },
    encode: { x: [0, 1], y: 2 },
    data: own.map((part) => ({
      value: [part.from, part.from + part.share, places.indexOf(part.name)],
      part,
    })) as CustomSeriesOption["data"],
    renderItem: (_params, api) => {
      const [x, y] = api.coord([api.value(0), api.value(2)]) as [number, number];
      const end = api.coord([api.value(1), api.value(2)])[0] ?? x;
      const shape = { x, y: y - BAR / 2, width: Math.max(1.5, end - x), height: BAR };
      return { type: "rect", shape, style: { fill } };
    },
  };
}
