// A headless Chromium for tests and pictures: Debian's, since a browser of npm's would have to be downloaded.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** A browser with a profile of its own, and what ends both. */
export async function browser() {
  const profile = mkdtempSync(join(tmpdir(), "proofload-chromium-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath: EXECUTABLE, args: ARGS });
  const end = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, end };
}

/** Runs work in a browser of its own. */
export async function inBrowser(work) {
  const { context, end } = await browser();
  try {
    return await work(context);
  } finally {
    await end();
  }
}

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
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 400) {
      scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(done));
    }
    scrollTo(0, 0);
  });
  await page.waitForFunction(() => [...document.querySelectorAll(".canvas")].every((of) => of.querySelector("svg")));
}
