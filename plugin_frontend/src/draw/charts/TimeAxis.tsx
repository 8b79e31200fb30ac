import { type DurationUnit, MICROSECONDS } from "../../format/duration.ts";
import { formatCount, NARROW_SPACE } from "../../format/number.ts";
import { axisTicks } from "../../model/charts/axis.ts";

/** Round figures below bars of one scale. */
export function TimeAxis({ scale_us, unit }: { scale_us: number; unit: DurationUnit }) {
  const scale = scale_us / MICROSECONDS[unit];
  return (
    <svg width="100%" height="16" aria-hidden="true" class="axis">
      {axisTicks(scale).map((tick) => (
        <text key={tick} x={`${(100 * tick) / scale}%`} y="12" text-anchor={tick === 0 ? "start" : "middle"} class="tx3">
          {Number.isInteger(tick) ? formatCount(tick) : tick.toFixed(1)}
          {tick === 0 && `${NARROW_SPACE}${unit}`}
        </text>
      ))}
    </svg>
  );
}
