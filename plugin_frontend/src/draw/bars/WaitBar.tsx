import { formatDuration, formatExact } from "../../format/duration.ts";
import { shareOf } from "../../format/number.ts";

interface WaitBarProps {
  wait_us: number;
  explained_us: number;
  /** The wait that fills the whole width. */
  longest_us: number;
}

/** A wait in two parts: solid while the GPU was busy, dashed for the rest. */
export function WaitBar({ wait_us, explained_us, longest_us }: WaitBarProps) {
  if (wait_us === 0) return null;
  const explained = `${100 * (shareOf(explained_us, wait_us) ?? 0)}%`;
  return (
    <div
      class="wbar"
      style={{ width: `${100 * (shareOf(wait_us, longest_us) ?? 0)}%` }}
      role="img"
      title={formatExact(wait_us)}
      aria-label={`${formatDuration(explained_us)} of ${formatDuration(wait_us)} explained`}
    >
      <i class="ex" style={{ left: 0, width: explained }} />
      <i class="un" style={{ left: explained, right: 0 }} />
    </div>
  );
}
