import type { Fill } from "./causes.ts";

/** A small square in the color and pattern of a mark. */
export function Key({ fill }: { fill: Fill }) {
  return (
    <svg class="key" viewBox="0 0 12 12" aria-hidden="true">
      <rect width="12" height="12" rx="2" {...fill} />
    </svg>
  );
}
