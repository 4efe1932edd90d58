/** Zooming without a pointer: the arrows move, plus and minus zoom, 0 shows all. */

import type { ECharts } from "echarts/core";

const STEP = 0.2;

export function zoomedByKeys(canvas: HTMLElement, help: string, chart: () => ECharts | null): void {
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", `${canvas.getAttribute("aria-label") ?? ""} ${help}`);
  canvas.addEventListener("keydown", (event) => {
    const of = chart();
    const zoom = (of?.getOption() as { dataZoom?: { start: number; end: number }[] } | undefined)?.dataZoom?.[0];
    if (of === null || zoom === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = zoomed(event.key, zoom.start, zoom.end);
    if (next === null) return;
    event.preventDefault();
    of.dispatchAction({ type: "dataZoom", start: next[0], end: next[1] });
  });
}

/** From where to where, in per cent of the whole, after a key; null for a key that does nothing. */
export function zoomed(key: string, start: number, end: number): [number, number] | null {
  const width = end - start;
  const within = (from: number, to: number): [number, number] => {
    const wide = Math.min(100, to - from);
    const left = Math.min(100 - wide, Math.max(0, from));
    return [left, left + wide];
  };
  switch (key) {
    case "ArrowLeft":
      return within(start - width * STEP, end - width * STEP);
    case "ArrowRight":
      return within(start + width * STEP, end + width * STEP);
    case "+":
    case "=":
      return within(start + width * STEP, end - width * STEP);
    case "-":
      return within(start - width * STEP, end + width * STEP);
    case "0":
      return [0, 100];
    default:
      return null;
  }
}
