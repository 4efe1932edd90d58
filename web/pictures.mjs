// node pictures.mjs FOLDER REPORT.html…: each report as people see it, whole: light, dark, on a phone, on paper.

import { writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { drawn, inBrowser, opened } from "./test/browser.mjs";

const [folder, ...reports] = process.argv.slice(2);
const SCREEN = { width: 960, height: 900 };
/** A4 between margins of 12 mm, in pixels of CSS. */
const PAPER = { width: 703, height: 1032 };
/** WebP has no more pixels in a column. */
const TALL_MAX = 16383;

const WAYS = [
  ["light", { size: SCREEN }],
  ["dark", { size: SCREEN, dark: true }],
  ["phone", { size: { width: 390, height: 844 } }],
  ["print", { size: PAPER, print: true }],
];

/** The whole page as WebP, which Playwright does not make: as PNG the pictures would be five times the size. */
async function picture(context, page, path) {
  const { width, height } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight,
  }));
  // Whole in the window: what reaches beyond it is now and then waited for without end.
  await page.setViewportSize({ width, height });
  const debug = await context.newCDPSession(page);
  const scale = Math.min(0.6, TALL_MAX / height);
  const clip = { x: 0, y: 0, width, height, scale };
  const { data } = await debug.send("Page.captureScreenshot", { format: "webp", quality: 25, clip });
  writeFileSync(path, Buffer.from(data, "base64"));
}

for (const report of reports) {
  await inBrowser(async (context) => {
    for (const [kind, options] of WAYS) {
      const { page } = await opened(context, `file://${resolve(report)}`, options);
      if (options.print) {
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        await page.emulateMedia({ media: "print" });
      }
      await drawn(page);
      await picture(context, page, resolve(folder, `${basename(report, ".html")}-${kind}.webp`));
      await page.close();
    }
  });
}
