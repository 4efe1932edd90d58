// A headless Chromium for tests and pictures: Debian's, since a browser of npm's would have to be downloaded.

import { mkdtempSync, rmSync } from "node:fs";
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

/** Opens a page; what it complains about is collected. */
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
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`a request: ${request.url()}`);
  });
  await page.setViewportSize(options.size ?? { width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: options.dark ? "dark" : "light" });
  await page.goto(url);
  return { page, complaints };
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
