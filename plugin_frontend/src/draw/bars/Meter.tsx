import type { Fill } from "../marks/causes.ts";

interface MeterProps {
  parts: readonly { length: number; fill: Fill }[];
  /** The length that fills the whole width. */
  most: number;
}

/** A bar beside a figure that says the same. */
export function Meter({ parts, most }: MeterProps) {
  let start = 0;
  return (
    <svg class="meter" width="100%" height="10" aria-hidden="true">
      <rect width="100%" height="10" class="f-none" />
      {parts.map(({ length, fill }, at) => {
        const from = start;
        start += length;
        return <rect key={at} x={percent(from, most)} width={percent(length, most)} height="10" {...fill} />;
      })}
    </svg>
  );
}

function percent(part: number, whole: number): string {
  return `${whole > 0 ? (100 * part) / whole : 0}%`;
}
