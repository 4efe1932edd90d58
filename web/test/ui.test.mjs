// `proofload ui` in a real browser, over records; with FULL=1 each page in the dark and on a phone too, and a study that
// really runs. PROOFLOAD names the executable.

import { after, before } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { FULL, browserTest, drawn, opened, serious, tooWide } from "./browser.mjs";

const PROOFLOAD = process.env.PROOFLOAD;
const ROOT = resolve(import.meta.dirname, "../..");
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)<-script>';
const PHONE = { width: 390, height: 844 };

const dir = mkdtempSync(join(tmpdir(), "proofload-ui-"));
// A lock of its own: whatever else is measured on this machine is no matter here.
const env = { ...process.env, LC_ALL: "C", PROOFLOAD_TEST_LOCK_FILE: join(dir, "lock") };
let url;
const started = [];

/** A copy of a published record under another name. */
function copied(record, study, id) {
  const to = join(dir, "runs", study, id);
  mkdirSync(join(dir, "runs", study), { recursive: true });
  cpSync(join(ROOT, "docs/reproductions", record), to, { recursive: true });
  const plan = JSON.parse(readFileSync(join(to, "plan.json"), "utf8"));
  writeFileSync(join(to, "plan.json"), JSON.stringify({ ...plan, study }));
  return to;
}

function start(args) {
  const child = spawn(PROOFLOAD, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  child.stderr.resume();
  return child;
}

/** The address that `proofload ui` prints. */
async function served(folder) {
  const ui = start(["ui", "--dir", folder]);
  for await (const line of createInterface({ input: ui.stdout })) return line.trim();
  throw new Error("proofload ui printed nothing");
}

async function page(context, path = "", options = {}) {
  return opened(context, url + path, { own: url, ...options });
}

/** A test of `FULL=1` alone. */
const fullTest = FULL ? browserTest : () => {};

before(async () => {
  assert.ok(PROOFLOAD, "set PROOFLOAD to the executable");
  copied("java-servers", "servers", "20260101T000000.000Z-000001");
  const other = copied("java-servers", "servers", "20260102T000000.000Z-000001");
  const environment = JSON.parse(readFileSync(join(other, "environment.json"), "utf8"));
  writeFileSync(join(other, "environment.json"), JSON.stringify({ ...environment, kernel: "of another day" }));
  copied("isolation", HOSTILE, "20260103T000000.000Z-000001");
  url = await served(dir);
});

after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(dir, { recursive: true, force: true });
});

browserTest("the list is searched, and two runs are compared", async (context) => {
  const { page: list, complaints } = await page(context);
  assert.equal(await list.locator("tbody tr").count(), 3);
  await list.getByRole("searchbox").fill("servers");
  await list.keyboard.press("Enter");
  await list.waitForURL(/q=servers/);
  assert.equal(await list.locator("tbody tr").count(), 2);
  for (const box of await list.getByRole("checkbox").all()) await box.check();
  await list.getByRole("button", { name: "Compare" }).click();
  await list.waitForURL(/compare/);
  await drawn(list);
  assert.equal(await list.locator("#chart-runs .canvas svg").count(), 1);
  const kernel = list.locator("tr.differs", { hasText: "kernel" });
  assert.match(await kernel.textContent(), /≠ kernel.*of another day/);
  await list.getByText("facts are the same").click();
  assert.ok(await list.getByText("cpu_model", { exact: true }).isVisible());
  assert.deepEqual(complaints, []);
  await list.close();
});

browserTest("names are shown as they are and do nothing", async (context) => {
  const { page: list, complaints } = await page(context);
  await list.getByRole("link", { name: HOSTILE }).click();
  await list.waitForURL(/\/run\//);
  await drawn(list);
  assert.equal(await list.locator(".brand").textContent(), `Proofload · ${HOSTILE}`);
  assert.deepEqual(complaints, []);
  await list.close();
});

browserTest("each page fits every window, and axe-core finds nothing serious", async (context) => {
  const run = "run/servers/20260101T000000.000Z-000001";
  const two = "run=servers%2F20260101T000000.000Z-000001&run=servers%2F20260102T000000.000Z-000001";
  for (const path of ["", "?q=nowhere", run, `compare?${two}`, "compare", "nothing"]) {
    for (const options of FULL ? [{}, { dark: true }, { size: PHONE }] : [{}]) {
      const { page: shown, complaints } = await page(context, path, options);
      await drawn(shown);
      assert.equal(await tooWide(shown), 0, `${path}: pixels too wide`);
      assert.deepEqual(await serious(shown), [], path);
      // The browser itself says so of an answer that is no page.
      const told = complaints.filter((line) => !/status of 40[04]/.test(line));
      assert.deepEqual(told, [], path);
      await shown.setViewportSize(PHONE);
      // Charts are drawn anew a moment later.
      await shown.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { timeout: 10_000 });
      await shown.close();
    }
  }
});

browserTest("without the token there is nothing", async (context) => {
  const address = new URL(url);
  const { page: shown } = await opened(context, address.origin, { own: address.origin });
  const text = await shown.locator("body").textContent();
  assert.match(text, /Refused: open the whole address/);
  assert.doesNotMatch(text, /servers/);
  await shown.close();
});

browserTest("a page of another origin can neither ask nor show it", async (context) => {
  // Another server of this machine, as one under test is.
  const { createServer } = await import("node:http");
  const other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><p>other"));
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  const shown = await context.newPage();
  await shown.goto(`http://127.0.0.1:${other.address().port}/`);
  const asked = await shown.evaluate((to) => fetch(to).then((answer) => answer.status, () => "refused"), url);
  assert.equal(asked, "refused");
  const image = await shown.evaluate(
    (to) => new Promise((done) => Object.assign(new Image(), { src: to, onload: () => done("shown"), onerror: () => done("refused") })),
    `${url}icon.svg`,
  );
  assert.equal(image, "refused");
  const frame = await shown.evaluate(async (to) => {
    const frame = document.createElement("iframe");
    frame.src = to;
    const loaded = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    await loaded;
    return frame.contentDocument === null ? "foreign" : frame.contentDocument.body.textContent;
  }, url);
  assert.equal(frame, "foreign");
  assert.ok(shown.frames().every((of) => !of.url().startsWith(url)), "frame-ancestors keeps it out");
  await shown.close();
  other.close();
});

fullTest("without runs the page says how to make one", async (context) => {
  const empty = mkdtempSync(join(tmpdir(), "proofload-ui-"));
  const address = await served(empty);
  const { page: shown, complaints } = await opened(context, address, { own: address, size: PHONE });
  assert.ok(await shown.getByText("proofload localhost:8080").first().isVisible());
  assert.equal(await tooWide(shown), 0);
  assert.deepEqual(await serious(shown), []);
  assert.deepEqual(complaints, []);
  await shown.close();
  rmSync(empty, { recursive: true, force: true });
});

browserTest("a run that appears is listed, on one page that is not loaded again", async (context) => {
  const { page: list, complaints } = await page(context);
  await list.evaluate(() => (globalThis.loadedOnce = true));
  const before = await list.locator("tbody tr").count();
  const name = `appeared-${Date.now()}`;
  copied("isolation", name, "20260104T000000.000Z-000001");
  // The list is asked for every five seconds.
  await list.getByRole("link", { name }).waitFor();
  assert.equal(await list.locator("tbody tr").count(), before + 1);
  assert.equal(await list.evaluate(() => globalThis.loadedOnce), true, "never loaded again");
  assert.deepEqual(complaints, []);
  await list.close();
});

fullTest("a running study is followed to its end, on one page that is not loaded again", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "proofload-ui-"));
  const address = await served(folder);
  const { page: list, complaints } = await opened(context, `${address}?q=running`, { own: address });
  const timing = "warm-up=300ms,slice=200ms,discard=50ms,cycles=2";
  const run = start(["run", "studies/quickstart.yaml", "--keep-going", "--timing", timing, "--no-ceiling", "--dir", folder]);
  run.stdout.resume();
  // It appears in the list by itself, which is asked for every five seconds.
  const link = list.getByRole("link", { name: "quickstart" });
  await link.waitFor({ timeout: 120_000 });
  await link.click();
  await list.waitForURL(/\/run\/quickstart\//);
  await list.evaluate(() => (globalThis.loadedOnce = true));
  const live = list.getByRole("heading", { name: "Running now" });
  await live.waitFor();
  await list.getByText("The last slice of each variant").waitFor({ timeout: 60_000 });
  // Verdicts and charts, as soon as a block is complete.
  await list.locator("article .word").first().waitFor({ timeout: 120_000 });
  await list.locator("#chart-course-throughput .says").first().scrollIntoViewIfNeeded({ timeout: 60_000 });
  await list.locator("#chart-course-throughput .canvas svg").waitFor({ timeout: 60_000 });
  const scrolled = await list.evaluate(() => scrollY);
  const before = await list.locator(".live p").first().textContent();
  await list.locator("#chart-course-throughput summary").click();
  await list.waitForFunction((then) => document.querySelector(".live p")?.textContent !== then, before, { timeout: 60_000 });
  assert.ok(await list.locator("#chart-course-throughput table").isVisible(), "what was opened stays open");
  assert.equal(await list.locator("section.chart table").count(), 1, "and nothing else is");
  assert.ok(Math.abs((await list.evaluate(() => scrollY)) - scrolled) < 900, "nobody is sent elsewhere");
  assert.deepEqual(await serious(list), []);
  run.kill("SIGINT");
  await live.waitFor({ state: "detached", timeout: 60_000 });
  // Interrupted, or finished if that was faster.
  assert.ok((await list.locator("article .word").count()) > 0);
  await drawn(list);
  assert.equal(await list.evaluate(() => globalThis.loadedOnce), true, "never loaded again");
  assert.equal(await list.evaluate(() => document.querySelector("main").dataset.follow), undefined, "it does not ask any more");
  assert.deepEqual(complaints, []);
  await list.close();
  rmSync(folder, { recursive: true, force: true });
});

browserTest("a page says that nobody answers any more", async (context) => {
  const empty = mkdtempSync(join(tmpdir(), "proofload-ui-"));
  const address = await served(empty);
  const { page: shown } = await opened(context, address, { own: address });
  started[started.length - 1].kill("SIGKILL");
  await shown.getByText("does not answer any more").waitFor({ timeout: 60_000 });
  await shown.close();
  rmSync(empty, { recursive: true, force: true });
});

browserTest("a page that is answered with an error says so, and of what is gone it asks no more", async (context) => {
  const { page: list } = await page(context);
  const status = list.locator("#lost");
  let asked = 0;
  await list.route(url, (route) => route.fulfill({ status: ++asked === 1 ? 500 : 404, body: "" }));
  await status.getByText("answers with the error 500").waitFor({ timeout: 60_000 });
  await status.getByText("answers with the error 404").waitFor({ timeout: 60_000 });
  await list.waitForTimeout(6_000);
  assert.equal(asked, 2);
  await list.close();
});
