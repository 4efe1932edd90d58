/** Values over load, time, blocks or percentiles: a line for each series, with intervals where there are any. */

import type { CustomSeriesOption, LineSeriesOption } from "echarts/charts";
import type { EChartsCoreOption } from "echarts/core";
import { number, text, type Chart } from "./data";
import { label, percentile, value } from "./format";
import type { Theme } from "./theme";
import { exponential, logTicks } from "./ticks";
import { told } from "./told";

/** More lines than that are no picture; the legend turns further ones on. */
const SHOWN_MAX = 8;
/** Fewer exchanges beyond a quantile, and it is a guess. */
const RESOLVED = 100;
const DOTS_MAX = 60;
const MS = 1000;

interface Place {
  x: number;
  at: number;
  value: number | null;
  low: number | null;
  high: number | null;
  /** Why no figure rests on it. */
  leftOut: string;
}

/** HdrHistogram's axis: each step from one nine to the next is as wide. */
function nines(quantile: number): number {
  return -Math.log10(1 - quantile);
}

function quantile(nines: number): number {
  return 1 - 10 ** -nines;
}

/** Whether rows say why they do not count. */
function hasReasons(chart: Chart): boolean {
  return chart.drawn === "course" || chart.drawn === "dots";
}

/** Where a value lies on the x axis. */
function placed(chart: Chart, value: number): number {
  if (chart.x.scale === "quantile") return nines(value);
  if (chart.x.scale === "log") return Math.log(value);
  return chart.x.unit === "s" ? value * MS : value;
}

function series(chart: Chart): Map<string, Place[]> {
  const all = new Map<string, Place[]>();
  const names = named(chart);
  for (const row of chart.rows) {
    const found = chart.x.scale === "names" ? names.indexOf(text(row[1])) : (number(row[1]) ?? 0);
    const place = {
      x: placed(chart, found),
      at: found,
      value: number(row[2]),
      low: number(row[3]),
      high: number(row[4]),
      leftOut: hasReasons(chart) ? text(row[3]) : "",
    };
    const name = text(row[0]);
    const places = all.get(name) ?? [];
    places.push(place);
    all.set(name, places);
  }
  return all;
}

/** Names along the x axis, in the order of the table. */
function named(chart: Chart): string[] {
  return chart.x.scale === "names" ? [...new Set(chart.rows.map((row) => text(row[1])))] : [];
}

/** How many series there are beyond those that are shown at first. */
export function turnedOff(chart: Chart): number {
  return Math.max(0, new Set(chart.rows.map((row) => text(row[0]))).size - SHOWN_MAX);
}

export function height(chart: Chart, width: number): number {
  return chart.group === "" ? Math.min(420, Math.max(300, width * 0.42)) : 230;
}

export function option(chart: Chart, theme: Theme): EChartsCoreOption {
  const all = series(chart);
  const names = [...all.keys()];
  const hidden = names.slice(SHOWN_MAX).map((name) => [name, false] as const);
  return {
    animation: false,
    color: theme.series,
    grid: { left: 76, right: 24, top: names.length > 1 ? 40 : 14, bottom: chart.group === "" ? 44 : 64 },
    legend: {
      show: names.length > 1,
      type: "scroll",
      top: 0,
      textStyle: { color: theme.ink },
      pageTextStyle: { color: theme.ink },
      pageIconColor: theme.ink,
      selected: Object.fromEntries(hidden),
    },
    xAxis: xAxis(chart, theme, [...all.values()].flat()),
    yAxis: yAxis(chart, theme, [...all.values()].flat()),
    tooltip: tooltip(chart),
    dataZoom: chart.group === "" ? [] : [{ type: "inside", filterMode: "none" }, slider(theme)],
    series: names.flatMap((name, at) => {
      const places = all.get(name) ?? [];
      if (chart.x.scale === "quantile") return resolvedAndNot(chart, name, places);
      if (chart.drawn === "dots") return dots(chart, name, places, theme, at);
      const counted = hasReasons(chart) ? countedAndNot(chart, name, places, theme, at) : [line(chart, name, places)];
      return [...counted, ...intervals(chart, name, places, theme, at)];
    }),
  };
}

function slider(theme: Theme): object {
  return {
    type: "slider",
    filterMode: "none",
    height: 18,
    bottom: 4,
    showDetail: false,
    borderColor: theme.line,
    textStyle: { color: theme.quiet },
  };
}

function xAxis(chart: Chart, theme: Theme, places: Place[]): object {
  const shared = {
    name: chart.x.name,
    nameLocation: "middle",
    nameGap: 26,
    nameTextStyle: { color: theme.quiet },
    splitLine: { show: chart.x.scale !== "names", lineStyle: { color: theme.line } },
  };
  if (chart.x.scale === "names") {
    return { ...shared, type: "category", data: named(chart), axisLabel: { color: theme.quiet, hideOverlap: true } };
  }
  if (chart.x.scale === "log") return { ...shared, ...logarithmic(places.map(({ at }) => at), chart.x.unit, theme) };
  const isQuantile = chart.x.scale === "quantile";
  const isTime = chart.x.unit === "s";
  const formatter = (at: number) => {
    if (isQuantile) return percentile(quantile(at));
    return label(isTime ? at / MS : at, chart.x.unit);
  };
  return {
    ...shared,
    type: isTime ? "time" : "value",
    min: isQuantile ? 0 : "dataMin",
    max: isQuantile ? Math.ceil(Math.max(1, largest(places.map((place) => place.x)))) : "dataMax",
    minInterval: isQuantile || chart.x.unit === "count" ? 1 : undefined,
    maxInterval: isQuantile ? 1 : undefined,
    axisLabel: { color: theme.quiet, hideOverlap: true, formatter },
  };
}

function yAxis(chart: Chart, theme: Theme, places: Place[]): object {
  const splitLine = { lineStyle: { color: theme.line } };
  const values = places.flatMap(({ value, low, high }) => (chart.x.scale === "quantile" ? [value] : [value, low, high]));
  const found = values.filter((at) => at !== null);
  if (chart.y.scale === "log") return { splitLine, ...logarithmic(found, chart.y.unit, theme) };
  const formatter = (at: number) => label(at, chart.y.unit);
  const axisLabel = { color: theme.quiet, formatter };
  if (chart.y.unit !== "bytes") return { type: "value", min: 0, splitLine, axisLabel };
  const { max, customValues } = byBinary(largest(found));
  return { type: "value", min: 0, max, splitLine, axisTick: { customValues }, axisLabel: { ...axisLabel, customValues } };
}

/** Steps that are round in KiB and MiB, four or so. */
function byBinary(most: number): { max: number; customValues: number[] } {
  if (most <= 0) return { max: 1, customValues: [0] };
  const step = 2 ** Math.ceil(Math.log2(most / 4));
  const customValues = Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
  return { max: (customValues.length - 1) * step, customValues };
}

/** An axis whose values are logarithms. */
function logarithmic(values: number[], unit: string, theme: Theme): object {
  const above = values.filter((at) => at > 0);
  const [from, to] = above.length === 0 ? [1, 10] : [smallest(above) / 1.1, largest(above) * 1.1];
  const customValues = logTicks(from, to).map(Math.log);
  const formatter = (at: number) => label(exponential(at), unit);
  const axisLabel = { color: theme.quiet, hideOverlap: true, customValues, formatter };
  return { type: "value", min: Math.log(from), max: Math.log(to), axisTick: { customValues }, axisLabel };
}

/** Where a value lies on the y axis; nowhere at zero where that is one of logarithms. */
function up(chart: Chart, value: number | null): number | null {
  if (value === null || chart.y.scale !== "log") return value;
  return value > 0 ? Math.log(value) : null;
}

function tooltip(chart: Chart): object {
  const xOf = (place: Place) => {
    if (chart.x.scale === "names") return named(chart)[place.at] ?? "";
    return chart.x.scale === "quantile" ? percentile(place.at) : value(place.at, chart.x.unit);
  };
  return {
    trigger: "item",
    formatter: ({ seriesName, data }: { seriesName: string; data: { place: Place } }) => {
      const { place } = data;
      if (place.value === null) return "";
      const point = value(place.value, chart.y.unit);
      const has = place.low !== null && place.high !== null && chart.x.scale !== "quantile";
      const ends = has ? `  [${value(place.low!, chart.y.unit)}, ${value(place.high!, chart.y.unit)}]` : "";
      const why: [string, string][] = place.leftOut === "" ? [] : [["", place.leftOut]];
      return told(seriesName, [[xOf(place), point + ends], ...why]);
    },
  };
}

function point(chart: Chart, place: Place): object {
  return { value: [place.x, up(chart, place.value)], place };
}

function line(chart: Chart, name: string, places: Place[]): LineSeriesOption {
  return {
    type: "line",
    name,
    data: places.map((place) => point(chart, place)) as LineSeriesOption["data"],
    showSymbol: places.length <= DOTS_MAX,
    symbolSize: 7,
    lineStyle: { width: places.length <= DOTS_MAX ? 2 : 1.2 },
    connectNulls: false,
  };
}

/** What figures rest on, and pale what they do not. */
function countedAndNot(chart: Chart, name: string, places: Place[], theme: Theme, at: number): LineSeriesOption[] {
  const only = (isWanted: boolean) =>
    places.map((place) => ((place.leftOut === "") === isWanted ? place : { ...place, value: null }));
  const counted = line(chart, name, only(true));
  if (places.every(({ leftOut }) => leftOut === "")) return [counted];
  const color = theme.series[at % theme.series.length]!;
  const pale = { ...line(chart, name, only(false)), itemStyle: { color, opacity: 0.4 } };
  return [counted, { ...pale, lineStyle: { color, width: 1, opacity: 0.4 } }];
}

/** Dots, hollow where they do not count. */
function dots(chart: Chart, name: string, places: Place[], theme: Theme, at: number): LineSeriesOption[] {
  const color = theme.series[at % theme.series.length]!;
  const of = (isCounted: boolean, fill: string): LineSeriesOption => ({
    ...line(chart, name, places.filter(({ leftOut }) => (leftOut === "") === isCounted)),
    symbol: "circle",
    symbolSize: 9,
    showSymbol: true,
    itemStyle: { color: fill, borderColor: color, borderWidth: 2 },
    lineStyle: { width: 0, opacity: 0 },
  });
  return [of(true, color), of(false, theme.ground)];
}

/** The part of a curve that rests on enough exchanges, and dashed what does not. */
function resolvedAndNot(chart: Chart, name: string, places: Place[]): LineSeriesOption[] {
  const isFirm = (place: Place) => (place.low ?? 0) >= RESOLVED;
  const firm = places.filter(isFirm);
  const rest = places.slice(Math.max(0, firm.length - 1));
  const curve = (of: Place[], type: "solid" | "dashed"): LineSeriesOption => ({
    ...line(chart, name, of),
    showSymbol: false,
    symbol: "circle",
    lineStyle: { width: 2, type },
  });
  return [curve(firm, "solid"), curve(rest, "dashed")];
}

function intervals(chart: Chart, name: string, places: Place[], theme: Theme, at: number): CustomSeriesOption[] {
  const with_ends = places.filter((place) => place.low !== null && place.high !== null);
  if (with_ends.length === 0) return [];
  const stroke = theme.series[at % theme.series.length]!;
  return [
    {
      type: "custom",
      name,
      silent: true,
      itemStyle: { color: stroke },
      data: with_ends.map((place) => [place.x, up(chart, place.low), up(chart, place.high)]),
      encode: { x: 0, y: [1, 2] },
      renderItem: (_params, api) => {
        const [x, low] = api.coord([api.value(0), api.value(1)]) as [number, number];
        const high = (api.coord([api.value(0), api.value(2)]) as [number, number])[1];
        const bar = (x1: number, y1: number, x2: number, y2: number) => ({
          type: "line" as const,
          shape: { x1, y1, x2, y2 },
          style: { stroke, lineWidth: 1.5 },
        });
        return { type: "group", children: [bar(x, low, x, high), bar(x - 4, low, x + 4, low), bar(x - 4, high, x + 4, high)] };
      },
    },
  ];
}

/** Not by arguments: a long course has more values than a call may have. */
function smallest(values: number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function largest(values: number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}
