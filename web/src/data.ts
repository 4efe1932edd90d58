/** What a report hands over: the JSON in its element `charts`, written by `crates/report/src/charts.rs`. */

export type Cell = string | number | null;

/** How values of an axis are shown: `ns`, `per_s`, `ratio`, `share`, `bytes`, `count`, `s`; empty for names. */
export type Unit = string;

export interface Axis {
  name: string;
  unit: Unit;
  scale: "linear" | "log" | "names" | "quantile";
}

/**
 * A table and a way of drawing it.
 *
 * `intervals`: rows of name, verdict, point, low, high, from where to where a claim holds, and the value of each block.
 * `lines`: rows of series, x, value, low, high.
 * `course`: rows of series, x, value, and why it does not count; `dots`: the same without lines.
 * `parts`: rows of name, part, how many, and their share.
 */
export interface Chart {
  id: string;
  drawn: "intervals" | "lines" | "course" | "dots" | "parts";
  title: string;
  says: string;
  x: Axis;
  y: Axis;
  /** Charts of one group share their x axis and are zoomed together. */
  group: string;
  columns: string[];
  units: Unit[];
  rows: Cell[][];
  /** What a reader sees in place of a cell, where the report is not in English. */
  cells?: Record<string, string>;
}

export interface Words {
  table: string;
  csv: string;
  keys: string;
  more_rows: string;
  turned_off: string;
}

export interface Report {
  charts: Chart[];
  words: Words;
}

export function text(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? "" : String(cell);
}

/** A text as a reader sees it; files and colours go by the text itself. */
export function shown(chart: Chart, text: string): string {
  return chart.cells?.[text] ?? text;
}

export function number(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}
