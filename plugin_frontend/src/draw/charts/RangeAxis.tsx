import { durationUnit, formatDuration, MICROSECONDS } from "../../format/duration.ts";
import { formatCount, NARROW_SPACE } from "../../format/number.ts";
import { axisTicks } from "../../model/charts/axis.ts";

interface RangeAxisProps {
  /** In us. */
  range: { from: number; to: number };
  width: number;
}

/** Below a part of a longer time: where it begins, and round figures from there on. */
export function RangeAxis({ range: { from, to }, width }: RangeAxisProps) {
  const unit = durationUnit(to - from);
  const length = (to - from) / MICROSECONDS[unit];
  return (
    <svg width={width} height="18" aria-hidden="true" class="axis">
      {axisTicks(length).map((tick) => (
        <text key={tick} x={(width * tick) / length} y="13" text-anchor={tick === 0 ? "start" : "middle"} class="tx3">
          {tick === 0 ? `at ${formatDuration(from)}` : `+${Number.isInteger(tick) ? formatCount(tick) : Number(tick.toPrecision(3))}${NARROW_SPACE}${unit}`}
        </text>
      ))}
    </svg>
  );
}
