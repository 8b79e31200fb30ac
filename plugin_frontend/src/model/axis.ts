// Round figures along an axis.

const WANTED_TICKS = 6;
/** Beyond this part of the axis a figure would stick out. */
const LAST_TICK = 0.97;

/** From 0 in steps of 1, 2 or 5 times a power of ten; 0 alone where the axis has no length. */
export function axisTicks(length: number): number[] {
  if (!(length > 0)) return [0];
  const rough = length / WANTED_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const count = Math.floor((length * LAST_TICK) / step);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}
