/** Follows a page of `proofload ui` that changes: asks whether it is still the same, and puts what is new in its place. */

import { DRAW } from "./draw";

const SLOWEST_MS = 30_000;

/** What somebody has opened, chosen and is at, so that it is so afterwards. */
interface Kept {
  open: Set<string>;
  chosen: Set<string>;
  focus: string;
}

/** A name for an element that has none: where it is, what kind it is, and what it says. */
function name(of: Element): string {
  const input = of instanceof HTMLInputElement ? of.value : "";
  const within = of.closest("section")?.id ?? "";
  return [within, of.tagName, input, of.getAttribute("href"), of.getAttribute("aria-label") ?? of.textContent].join(" ");
}

function kept(main: Element): Kept {
  const names = (selector: string) => new Set([...main.querySelectorAll(selector)].map(name));
  const at = document.activeElement;
  return {
    open: names("details[open] > summary"),
    chosen: names("input:checked"),
    focus: at !== null && main.contains(at) ? name(at) : "",
  };
}

function restore(main: Element, { open, chosen, focus }: Kept): void {
  for (const summary of main.querySelectorAll("details > summary")) {
    if (open.has(name(summary))) (summary.parentElement as HTMLDetailsElement).open = true;
  }
  for (const box of main.querySelectorAll<HTMLInputElement>("input")) box.checked = chosen.has(name(box));
  if (focus === "") return;
  const found = [...main.querySelectorAll<HTMLElement>("a, button, input, summary, [tabindex]")].find((of) => name(of) === focus);
  found?.focus({ preventScroll: true });
}

/** The new page's content and numbers in place of those of the old one. */
function put(fresh: Document, main: HTMLElement): HTMLElement | null {
  const next = fresh.querySelector("main");
  if (next === null) return null;
  const before = kept(main);
  const adopted = document.importNode(next, true);
  document.dispatchEvent(new CustomEvent(DRAW, { detail: "end" }));
  document.getElementById("charts")?.remove();
  const numbers = fresh.getElementById("charts");
  if (numbers !== null) document.body.append(document.importNode(numbers, true));
  main.replaceWith(adopted);
  document.title = fresh.title;
  document.dispatchEvent(new CustomEvent(DRAW));
  restore(adopted, before);
  return adopted;
}

function shown(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
  });
}

async function follow(first: HTMLElement): Promise<void> {
  const lost = document.getElementById("lost");
  const tell = (what: string) => {
    if (lost !== null) lost.textContent = what;
  };
  let main = first;
  let failures = 0;
  while (main.dataset.follow !== undefined) {
    const every = Number(main.dataset.follow) * 1000;
    await new Promise((done) => setTimeout(done, Math.min(SLOWEST_MS, every * 2 ** failures)));
    // Nobody asks for what nobody sees.
    await shown();
    try {
      const answer = await fetch(location.href, { cache: "no-store", headers: { "If-None-Match": main.dataset.etag ?? "" } });
      if (answer.status !== 304 && !answer.ok) {
        failures += 1;
        tell(`${main.dataset.failed ?? ""} ${answer.status}`);
        // What is gone does not come back under its name.
        if (answer.status === 404) return;
        continue;
      }
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        main = put(fresh, main) ?? main;
      }
      failures = 0;
      tell("");
    } catch {
      failures += 1;
      tell(main.dataset.lost ?? "");
    }
  }
}

const main = document.querySelector("main");
if (main !== null) void follow(main);
