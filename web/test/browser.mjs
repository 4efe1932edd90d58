// A headless Chromium for tests and pictures: Debian's, since a browser of npm's would have to be downloaded.

import { AssertionError } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether everything is looked at, in each size and colour: `FULL=1`. Else each page is opened once. */
export const FULL = process.env.FULL === "1";

/** How long a page may wait for one thing, in milliseconds. */
const WAIT = 60_000;
/** How long a test may take, in milliseconds. */
const LIMIT = 120_000;

/** Work, or an error when it takes longer than a limit in milliseconds: `evaluate` and `close` have none of their own. */
function within(limit, work) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`not done within ${limit / 1000} s`)), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A browser with a profile of its own. */
export class Browser {
  async start() {
    this.profile = mkdtempSync(join(tmpdir(), "proofload-chromium-"));
    this.context = await chromium.launchPersistentContext(this.profile, { executablePath: EXECUTABLE, args: ARGS });
    this.context.setDefaultTimeout(WAIT);
    return this.context;
  }

  async end() {
    // One that hangs is killed when this process exits.
    await within(10_000, this.context.close()).catch((error) => console.error(`Chromium: ${error.message}`));
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs work in a browser of its own. */
export async function inBrowser(work) {
  const browser = new Browser();
  const context = await browser.start();
  try {
    return await work(context);
  } finally {
    await browser.end();
  }
}

let shared;

async function fresh() {
  await shared?.end();
  shared = new Browser();
  await shared.start();
}

/**
 * A test in the browser that all tests of a process share. Chromium now and then draws no frame any more and answers
 * nothing: a test that fails otherwise than by an assertion is told and tried once more in a new browser.
 */
export function browserTest(name, work) {
  test(name, async (t) => {
    try {
      if (shared === undefined) await fresh();
      await within(LIMIT, work(shared.context));
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      t.diagnostic(`tried once more in a new browser: ${error.message}`);
      await fresh();
      await within(LIMIT, work(shared.context));
    }
  });
}

after(() => shared?.end());

/** Opens a page; what it complains about is collected, and every request but those whose address begins with `own`. */
export async function opened(context, url, options = {}) {
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const isOwn = options.own !== undefined && request.url().startsWith(options.own);
    if (!isOwn && !/^(file|data|blob):/.test(request.url())) complaints.push(`a request: ${request.url()}`);
  });
  await page.setViewportSize(options.size ?? { width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: options.dark ? "dark" : "light" });
  await page.goto(url);
  return { page, complaints };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds that is serious, a line each. */
export async function serious(page) {
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document));
  const worst = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return worst.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

/** By how many pixels the page is wider than the window. */
export function tooWide(page) {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
}

/** Scrolls through the page, so that every chart is drawn. */
export async function drawn(page) {
  // By the clock: where no frame is drawn, nobody is told of the next one.
  await page.evaluate(async (limit) => {
    for (const canvas of document.querySelectorAll(".canvas")) {
      canvas.scrollIntoView();
      for (const begun = performance.now(); canvas.querySelector("svg") === null; ) {
        if (performance.now() - begun > limit) throw new Error(`${canvas.closest("section").id} is not drawn`);
        await new Promise((done) => setTimeout(done, 10));
      }
    }
    scrollTo(0, 0);
  }, WAIT);
}
