import type { DurationBin, Histogram } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, shareOf } from "../../format/number.ts";

const HEIGHT = 56;

/** For each class of durations two bars: upwards the share of the launches, downwards that of the time. */
export function DurationHistogram({ histogram }: { histogram: Histogram }) {
  const { bins, short_below_us: shortBelow } = histogram;
  const calls = bins.reduce((sum, bin) => sum + bin.calls, 0);
  const time = bins.reduce((sum, bin) => sum + bin.total_us, 0);
  const most = Math.max(...bins.flatMap((bin) => [shareOf(bin.calls, calls) ?? 0, shareOf(bin.total_us, time) ?? 0]), 0);
  const height = (part: number, whole: number): string => `${most > 0 ? (HEIGHT * (shareOf(part, whole) ?? 0)) / most : 0}px`;
  return (
    <ul class="duration-histogram" aria-label="Kernels by duration">
      {bins.map((bin) => {
        const isShort = bin.below_us !== null && bin.below_us <= shortBelow;
        const about = `${rangeOf(bin)}: ${formatCounted(bin.calls, "kernel")}, ${formatShare(shareOf(bin.calls, calls))} of the launches, ${formatShare(shareOf(bin.total_us, time))} of the time`;
        return (
          <li key={bin.from_us} class={isShort ? "short" : ""} title={about}>
            <span class="sr">{about}</span>
            <span class="launches" aria-hidden="true">
              <i style={{ height: height(bin.calls, calls) }} />
            </span>
            <span class="time" aria-hidden="true">
              <i style={{ height: height(bin.total_us, time) }} />
            </span>
            <span class="t3 range" aria-hidden="true">
              {shortRange(bin)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Beneath a bar there is room for a figure alone; it is in µs. A longer unit may go below it. */
function shortRange({ from_us: from, below_us: below }: DurationBin): string {
  return below === null ? `≥${shortDuration(from)}` : `<${shortDuration(below)}`;
}

function shortDuration(us: number): string {
  return us < 1_000 ? formatCount(us) : `${formatCount(us / 1_000)} ms`;
}

function rangeOf({ from_us: from, below_us: below }: DurationBin): string {
  if (below === null) return `from ${formatDuration(from)}`;
  return from === 0 ? `under ${formatDuration(below)}` : `${formatDuration(from)} to ${formatDuration(below)}`;
}
