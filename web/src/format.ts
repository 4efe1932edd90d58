/** Numbers as the rest of the report shows them: three significant digits, a unit that fits. */

import type { Unit } from "./data";

const DURATIONS: [number, string][] = [
  [1e9, " s"],
  [1e6, " ms"],
  [1e3, " µs"],
  [1, " ns"],
];
const BYTES: [number, string][] = [
  [1024 ** 3, " GiB"],
  [1024 ** 2, " MiB"],
  [1024, " KiB"],
  [1, " B"],
];

export function plain(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1000) return Math.round(value).toLocaleString("en-US");
  if (magnitude < 1e-9) return "0";
  if (magnitude >= 100) return value.toFixed(0);
  if (magnitude >= 10) return value.toFixed(1);
  if (magnitude >= 1) return value.toFixed(2);
  return value.toFixed(Math.min(9, 2 - Math.floor(Math.log10(magnitude))));
}

/** Without zeros at the end, for labels of an axis. */
function short(value: number): string {
  const digits = plain(value);
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

function scaled(value: number, units: [number, string][], digits: (value: number) => string): string {
  const magnitude = Math.abs(value);
  const found = units.find(([size]) => magnitude >= size) ?? units[units.length - 1]!;
  return digits(value / found[0]) + found[1];
}

function shown(value: number, unit: Unit, digits: (value: number) => string): string {
  switch (unit) {
    case "ns":
      return value === 0 ? "0" : scaled(value, DURATIONS, digits);
    case "bytes":
      return scaled(value, BYTES, digits);
    case "share":
      return digits(value * 100) + " %";
    case "ratio":
      return "×" + digits(value);
    case "per_s":
      return digits(value) + "/s";
    case "s":
      return clock(value);
    default:
      return digits(value);
  }
}

/** Seconds since the beginning, as a clock shows them: `0:42`, `1:02:03`. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (n: number) => String(n).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function value(value: number, unit: Unit): string {
  return shown(value, unit, plain);
}

export function label(value: number, unit: Unit): string {
  return shown(value, unit, short);
}

/** A quantile as a percentile: 0.999 is `99.9 %`. */
export function percentile(quantile: number): string {
  return `${Number((quantile * 100).toPrecision(10))} %`;
}
