/** Draws the charts of a report into the places that the page has for them. */

import { CustomChart, LineChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Chart, Report } from "./data";
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

function draw(place: Place, paper?: number): void {
  const { chart, canvas } = place;
  const width = paper ?? canvas.clientWidth;
  const way = chart.drawn === "intervals" ? intervals : chart.drawn === "parts" ? parts : lines;
  const tall = way.height(chart, width);
  canvas.style.height = `${tall}px`;
  place.drawn?.dispose();
  place.drawn = echarts.init(canvas, null, { renderer: "svg", width, height: tall });
  place.drawn.setOption(way.option(chart, theme(), width));
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

function start(): void {
  const source = document.getElementById("charts")?.textContent;
  if (source === undefined || source === null) return;
  const report = JSON.parse(source) as Report;
  document.documentElement.classList.add("drawn");
  const places = report.charts.map((chart) => place(chart, report)).filter((found) => found !== null);
  const waiting = new Set(places);
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
    document.querySelectorAll<HTMLDetailsElement>("section:not(.chart) > details").forEach((of) => (of.open = true));
    places.forEach((of) => draw(of, PAPER));
  };
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) requestAnimationFrame(again);
    width = innerWidth;
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  // Paper has a width of its own and is white.
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? toPaper() : again()));
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", again);
}

start();
