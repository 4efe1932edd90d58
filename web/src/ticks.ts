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

/** Ratios above 1 that are easily read, and those below. */
const ABOVE = [1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10];
const BELOW = [0.99, 0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1];

/** What is labelled on an axis of ratios with room for so many: 1, and outwards from it as close as they have room, on either side. */
export function ratioTicks(low: number, high: number, most: number): number[] {
  const apart = Math.log(high / low) / Math.max(2, most);
  const outward = (known: number[], power: number) => {
    const found: number[] = [];
    let last = 1;
    for (let scale = 1; scale < 1e6; scale *= 10) {
      for (const ratio of known) {
        const at = Number((ratio * scale ** power).toPrecision(6));
        if (at >= low && at <= high && Math.abs(Math.log(at / last)) >= apart) {
          found.push(at);
          last = at;
        }
      }
    }
    return found;
  };
  const ticks = [...outward(BELOW, -1).reverse(), 1, ...outward(ABOVE, 1)];
  return ticks.length > 2 ? ticks : logTicks(low, high);
}

/** The value at a place of such an axis, without what was lost on the way there. */
export function exponential(place: number): number {
  return Number(Math.exp(place).toPrecision(9));
}
