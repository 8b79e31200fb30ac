// Round figures along an axis.

const WANTED_TICKS = 6;
/** Beyond this part of the axis a figure would stick out. */
const LAST_TICK = 0.97;

/** From 0 in steps of 1, 2 or 5 times a power of ten; 0 alone where the axis has no length. */
export function axisTicks(length: number): number[] {
  return length > 0 ? ticksBetween(0, length * LAST_TICK, length) : [0];
}

/** The round figures from `low` to `high`, as dense as an axis of `length` wants them. */
export function ticksBetween(low: number, high: number, length = high - low): number[] {
  const rough = length / WANTED_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const first = Math.ceil(low / step);
  const count = Math.max(Math.floor(high / step) - first + 1, 0);
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}
