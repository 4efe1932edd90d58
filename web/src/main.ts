/** Draws the charts of a report into the places that the page has for them. */

import { CustomChart, LineChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Chart, Report } from "./data";
import { DRAW } from "./draw";
import * as intervals from "./intervals";
import { zoomedByKeys } from "./keys";
import * as lines from "./lines";
import * as parts from "./parts";
import { saving, table } from "./table";
import { theme } from "./theme";

echarts.use([CustomChart, LineChart, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent, AriaComponent, SVGRenderer]);

interface Place {
  chart: Chart;
  canvas: HTMLElement;
  drawn: echarts.ECharts | null;
}

/** What paper is drawn for; the style sheet makes it as wide as the paper is. */
const PAPER = 760;

/** The way of drawing a chart. */
function way(chart: Chart): { height: typeof lines.height; option: typeof intervals.option } {
  if (chart.drawn === "intervals") return intervals;
  return chart.drawn === "parts" ? parts : lines;
}

function height({ chart, canvas }: Place, width: number): number {
  const tall = way(chart).height(chart, width);
  canvas.style.height = `${tall}px`;
  return tall;
}

function draw(place: Place, paper?: number): void {
  const { chart, canvas } = place;
  const width = paper ?? canvas.clientWidth;
  const tall = height(place, width);
  place.drawn?.dispose();
  place.drawn = echarts.init(canvas, null, { renderer: "svg", width, height: tall });
  place.drawn.setOption(way(chart).option(chart, theme(), width));
  // Paper may be narrower: with a view box what is drawn is made smaller, and not cut off.
  if (paper !== undefined) canvas.querySelector("svg")?.setAttribute("viewBox", `0 0 ${width} ${tall}`);
  if (chart.group !== "") {
    place.drawn.group = chart.group;
    echarts.connect(chart.group);
  }
}

function place(chart: Chart, report: Report): Place | null {
  const section = document.getElementById(`chart-${chart.id}`);
  if (section === null) return null;
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${chart.title}. ${chart.says}`);
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(saving(chart, report.words));
  const further = chart.drawn === "intervals" || chart.drawn === "parts" ? 0 : lines.turnedOff(chart);
  if (further > 0) section.append(note(report.words.turned_off.replace("{n}", String(further))));
  section.append(canvas, tools, table(chart, report.words));
  const made: Place = { chart, canvas, drawn: null };
  if (chart.group !== "") zoomedByKeys(canvas, report.words.keys, () => made.drawn);
  return made;
}

function note(text: string): HTMLElement {
  const note = document.createElement("p");
  note.className = "says";
  note.textContent = text;
  return note;
}

/** What somebody made of a chart. */
interface View {
  dataZoom?: { start: number; end: number }[];
  legend?: { selected: Record<string, boolean> }[];
}

/** What is drawn in the page, and what ends it. */
interface Drawing {
  places: Place[];
  end: AbortController;
}

/** Charts that are drawn, by their names. */
function views({ places }: Drawing): Map<string, View> {
  const drawn = places.filter((of) => of.drawn !== null);
  return new Map(drawn.map((of) => [of.chart.id, of.drawn!.getOption() as View]));
}

/** Draws a chart as somebody had it before. */
function drawAs(place: Place, { dataZoom, legend }: View): void {
  draw(place);
  const selected = legend?.[0]?.selected;
  if (selected !== undefined) place.drawn?.setOption({ legend: { selected } });
  if (dataZoom?.[0] !== undefined) place.drawn?.dispatchAction({ type: "dataZoom", start: dataZoom[0].start, end: dataZoom[0].end });
}

/** Draws what is in the page: what was drawn there before at once, the rest when somebody comes to it. */
function start(before: Map<string, View>): Drawing {
  const end = new AbortController();
  const { signal } = end;
  const source = document.getElementById("charts")?.textContent;
  if (source === undefined || source === null) return { places: [], end };
  const report = JSON.parse(source) as Report;
  document.documentElement.classList.add("drawn");
  const places = report.charts.map((chart) => place(chart, report)).filter((found) => found !== null);
  places.forEach((of) => height(of, of.canvas.clientWidth));
  const waiting = new Set(places);
  for (const of of places) {
    const view = before.get(of.chart.id);
    if (view !== undefined && waiting.delete(of)) drawAs(of, view);
  }
  // What nobody has scrolled to is not drawn yet: a long report opens at once.
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const found = places.find(({ canvas }) => canvas === target);
        if (isIntersecting && found !== undefined && waiting.delete(found)) draw(found);
      }
    },
    { rootMargin: "600px" },
  );
  places.forEach(({ canvas }) => seen.observe(canvas));
  const again = () => places.filter((of) => !waiting.has(of)).forEach((of) => draw(of));
  const toPaper = () => {
    waiting.clear();
    // Nobody can open them there.
    document.querySelectorAll<HTMLDetailsElement>("section:not(.chart) > details, article details").forEach((of) => (of.open = true));
    places.forEach((of) => draw(of, PAPER));
  };
  let width = innerWidth;
  const resized = () => {
    if (innerWidth !== width) requestAnimationFrame(again);
    width = innerWidth;
  };
  addEventListener("resize", resized, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal });
  // Paper has a width of its own and is white.
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? toPaper() : again()), { signal });
  addEventListener("beforeprint", toPaper, { signal });
  addEventListener("afterprint", again, { signal });
  signal.addEventListener("abort", () => {
    seen.disconnect();
    places.forEach((of) => of.drawn?.dispose());
  });
  return { places, end };
}

let drawing = start(new Map());
let before = new Map<string, View>();
document.addEventListener(DRAW, (event) => {
  if ((event as CustomEvent).detail === "end") {
    before = views(drawing);
    drawing.end.abort();
  } else {
    drawing = start(before);
  }
});
