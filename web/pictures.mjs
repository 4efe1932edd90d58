// node pictures.mjs REPORT.html NAME FOLDER: the report as people see it: light, dark, on a phone, on paper.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { drawn, inBrowser, opened } from "./test/browser.mjs";

const [report, name, folder] = process.argv.slice(2);
const url = `file://${resolve(report)}`;
const path = (kind, ending) => resolve(folder, `${name}-${kind}.${ending}`);

await inBrowser(async (context) => {
  for (const [kind, options] of [
    ["light", {}],
    ["dark", { dark: true }],
    ["phone", { size: { width: 390, height: 844 } }],
  ]) {
    const { page } = await opened(context, url, options);
    await drawn(page);
    await page.screenshot({ path: path(kind, "png"), fullPage: true });
    await page.close();
  }
  const { page } = await opened(context, url);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.pdf({ path: path("print", "pdf"), format: "A4", margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } });
});
execFileSync("pdftoppm", ["-r", "60", "-png", path("print", "pdf"), path("print", "page").replace(/\.page$/, "")]);
