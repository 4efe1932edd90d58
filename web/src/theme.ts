/** Colours: those of the page, and eight for series that people who confuse red and green can tell apart (Okabe and Ito). */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#8f6b00", "#3a6ea5", "#a3334d", "#555555"];
const DARK = ["#56b4e9", "#ff9a4d", "#2fd3a5", "#e58ad0", "#f0d342", "#a0b8ff", "#ff8fa3", "#c8c8c8"];

export interface Theme {
  ink: string;
  quiet: string;
  line: string;
  ground: string;
  good: string;
  bad: string;
  open: string;
  series: string[];
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
  return {
    ink: of("--ink"),
    quiet: of("--quiet"),
    line: of("--line"),
    ground: of("--ground"),
    good: of("--good"),
    bad: of("--bad"),
    open: of("--open"),
    series: dark ? DARK : LIGHT,
  };
}
