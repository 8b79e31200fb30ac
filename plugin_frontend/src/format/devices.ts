// The devices of a window as text: equal ones are counted, `8 × NVIDIA H100 80GB HBM3`.

import { formatCount, NARROW_SPACE } from "./number.ts";

/** In the order of their first numbers. */
export function formatDevices(devices: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const device of devices) counts.set(device, (counts.get(device) ?? 0) + 1);
  return [...counts].map(([device, count]) => (count === 1 ? device : `${formatCount(count)}${NARROW_SPACE}×${NARROW_SPACE}${device}`)).join(", ");
}
