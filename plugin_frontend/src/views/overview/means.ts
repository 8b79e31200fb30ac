// What figures of a step are a mean of.

import type { WindowView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";

/** Figures of the GPU are means over all of a window's, while its first sentence is about the busiest. */
export function onMeanDevice({ idle }: WindowView, name: string): string {
  const devices = idle?.by_device.length ?? 0;
  return devices > 1 ? `${name}, mean\u00a0of\u00a0${formatCount(devices)}` : name;
}

/** A single step is no mean. */
export function meanOfSteady(steps: number): string {
  return steps === 1 ? "1 steady step" : `mean of ${formatCounted(steps, "steady step")}`;
}
