import { inBrowser, opened, drawn } from "./test/browser.mjs";
const url = process.argv[2]; const out = process.argv[3];
const runs = process.argv.slice(4);
await inBrowser(async (context) => {
  for (const [kind, options] of [["light", {}], ["dark", { dark: true }], ["phone", { size: { width: 390, height: 844 } }]]) {
    let n = 0;
    for (const path of runs) {
      const { page, complaints } = await opened(context, url + path, { own: url, ...options });
      await drawn(page);
      await page.screenshot({ path: `${out}/${n}-${kind}.png` });
      if (complaints.length) console.log(path, complaints);
      n += 1;
      await page.close();
    }
  }
});
