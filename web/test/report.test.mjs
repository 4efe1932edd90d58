// The report in a real browser. REPORTS and MADE name pages, which `cargo xtask web` makes. Each is opened once and looked
// at; with FULL=1 in the dark and on a phone too, and axe-core looks at each report.

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { FULL, browserTest, drawn, opened, serious, tooWide } from "./browser.mjs";

const pages = (list) => (list ?? "").split(":").filter((name) => name !== "");
const REPORTS = pages(process.env.REPORTS);
/** Further pages, made of what no record has; to a screen reader they are as the reports are. */
const MADE = pages(process.env.MADE);

/** The rows of a CSV file (RFC 4180). */
function parsed(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.slice(0, -1);
}

const PHONE = { width: 390, height: 844 };

/** Every chart is drawn, and nothing is fetched, refused or thrown. */
async function isDrawn(page, complaints) {
  await drawn(page);
  const sections = await page.locator("section.chart").count();
  assert.equal(await page.locator("section.chart .canvas svg").count(), sections);
  assert.equal(await tooWide(page), 0, "pixels too wide");
  assert.deepEqual(complaints, []);
}

/** Paper shows each chart whole. */
async function isWholeOnPaper(page) {
  await page.setViewportSize({ width: 703, height: 1000 });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll(".canvas svg")]
      .map((svg) => [svg.closest("section").id, svg.getBoundingClientRect().width / svg.getScreenCTM().a, Number(svg.getAttribute("width"))])
      .filter(([, shown, drawn]) => shown < drawn - 1),
  );
  assert.notEqual(await page.locator(".canvas svg").count(), 0);
  assert.deepEqual(cut, []);
}

/** Tables and files have the numbers of the charts. */
async function hasTheNumbers(page) {
  const { charts } = JSON.parse(await page.locator("#charts").textContent());
  for (const chart of charts) {
    const section = page.locator(`#chart-${chart.id}`);
    await section.locator("summary").focus();
    await page.keyboard.press("Enter");
    await section.locator("table").waitFor();
    assert.equal(await section.locator("tbody tr").count(), Math.min(500, chart.rows.length), chart.id);
    // Chromium drops the eleventh download within a second.
    await page.waitForTimeout(120);
    const [file] = await Promise.all([page.waitForEvent("download"), section.locator("button").click()]);
    const [header, ...rows] = parsed(readFileSync(await file.path(), "utf8"));
    assert.equal(header.length, chart.columns.length, chart.id);
    const numbers = (row) => row.map((cell, at) => (typeof cell === "number" ? [at, cell] : null)).filter(Boolean);
    const saved = rows.map((row, at) => numbers(chart.rows[at]).map(([column]) => [column, Number(row[column])]));
    assert.deepEqual(saved, chart.rows.map(numbers), chart.id);
  }
}

test("a report is named", () => assert.notEqual(REPORTS.length, 0, "set REPORTS to pages, a colon between them"));

for (const report of [...REPORTS, ...MADE]) {
  const url = `file://${resolve(report)}`;

  browserTest(`${report}: it is drawn and whole on paper, and tables and files have its numbers`, async (context) => {
    const { page, complaints } = await opened(context, url);
    await isDrawn(page, complaints);
    if (REPORTS.includes(report)) assert.deepEqual(await serious(page), []);
    await hasTheNumbers(page);
    await isWholeOnPaper(page);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  if (!FULL) continue;

  browserTest(`${report}: it is drawn in the dark, and axe-core finds nothing serious there`, async (context) => {
    const { page, complaints } = await opened(context, url, { dark: true });
    await isDrawn(page, complaints);
    if (REPORTS.includes(report)) assert.deepEqual(await serious(page), []);
    await page.close();
  });

  browserTest(`${report}: it is drawn on a phone`, async (context) => {
    const { page, complaints } = await opened(context, url, { size: PHONE });
    await isDrawn(page, complaints);
    await page.close();
  });

  browserTest(`${report}: paper shows whole what was not drawn before`, async (context) => {
    const { page } = await opened(context, url);
    await isWholeOnPaper(page);
    await page.close();
  });
}
