/** The numbers of a chart as a table, and as a file. */

import { number, shown, text, type Cell, type Chart, type Words } from "./data";
import { value } from "./format";

/** More rows than anybody reads; the file has all. */
const ROWS_MAX = 500;

function cell(chart: Chart, of: Cell | undefined, unit: string): string {
  const found = number(of);
  return found === null ? shown(chart, text(of)) : value(found, unit);
}

/** Filled when it is opened: a long one takes time. */
export function table(chart: Chart, words: Words): HTMLElement {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = words.table;
  details.append(summary);
  const fill = () => {
    if (details.childElementCount === 1) details.append(filled(chart, words));
  };
  details.addEventListener("toggle", () => details.open && fill());
  return details;
}

function filled(chart: Chart, words: Words): HTMLElement {
  const wide = document.createElement("div");
  wide.className = "wide";
  wide.tabIndex = 0;
  wide.setAttribute("role", "region");
  wide.setAttribute("aria-label", chart.title);
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of chart.columns) {
    const th = document.createElement("th");
    th.scope = "col";
    th.textContent = name;
    head.append(th);
  }
  const body = table.createTBody();
  for (const row of chart.rows.slice(0, ROWS_MAX)) {
    const tr = body.insertRow();
    row.forEach((of, column) => (tr.insertCell().textContent = cell(chart, of, chart.units[column] ?? "")));
  }
  wide.append(table);
  if (chart.rows.length > ROWS_MAX) {
    const note = document.createElement("p");
    note.textContent = words.more_rows.replace("{n}", String(chart.rows.length - ROWS_MAX));
    wide.append(note);
  }
  return wide;
}

/** A field of CSV (RFC 4180); what a spreadsheet would take for a formula gets an apostrophe in front. */
function field(of: Cell | undefined): string {
  const found = number(of);
  if (found !== null) return String(found);
  const safe = /^[=+\-@\t\r]/.test(text(of)) ? `'${text(of)}` : text(of);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(chart: Chart): string {
  const named = chart.columns.map((name, at) => (chart.units[at] ? `${name} [${chart.units[at]}]` : name));
  return [named, ...chart.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}

/** Saves the numbers; the file is made when it is asked for. */
export function saving(chart: Chart, words: Words): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.csv;
  button.setAttribute("aria-label", `${words.csv}: ${chart.title}`);
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv(chart)], { type: "text/csv" }));
    link.download = `${chart.id}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  return button;
}
