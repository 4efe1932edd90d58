/** Where a logarithmic axis is labelled: at numbers that are easily read, some four to nine of them. */

const ENOUGH = 4;
const MOST = 9;

/** What is labelled within a power of ten, coarse to fine. */
const WITHIN: number[][] = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], steps(0.5), steps(0.2), steps(0.1), steps(0.05), steps(0.02), steps(0.01), steps(0.005), steps(0.002), steps(0.001)];

function steps(step: number): number[] {
  return Array.from({ length: Math.round(9 / step) }, (_, at) => 1 + at * step);
}

function within(low: number, high: number, digits: number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    found.push(...digits.map((digit) => Number((digit * 10 ** power).toPrecision(6))));
  }
  return found.filter((at) => at >= low && at <= high);
}

/** The values to label between two that are above zero. */
export function logTicks(low: number, high: number): number[] {
  const all = WITHIN.map((digits) => within(low, high, digits));
  const found = all.find((ticks) => ticks.length >= ENOUGH) ?? all[all.length - 1]!;
  const every = Math.ceil(found.length / MOST);
  return found.filter((_, at) => at % every === 0);
}

/** The value at a place of such an axis, without what was lost on the way there. */
export function exponential(place: number): number {
  return Number(Math.exp(place).toPrecision(9));
}
