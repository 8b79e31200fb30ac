import type { SavingView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";

interface BracketProps {
  saving: SavingView;
  /** The saving that fills the whole width; one for all brackets of a screen. */
  scale_us: number;
}

/** Floor, estimate and ceiling on one scale; the tick is the estimate, and there is none without one. */
export function Bracket({ saving, scale_us }: BracketProps) {
  const at = (saved_us: number): string => `${scale_us > 0 ? Math.min(100, (100 * saved_us) / scale_us) : 0}%`;
  const { floor_us, estimate_us, ceiling_us } = saving;
  const estimate = estimate_us === null ? "an upper limit" : `estimate ${formatDuration(estimate_us)}`;
  return (
    <div class="brk" role="img" aria-label={`floor ${formatDuration(floor_us)}, ${estimate}, ceiling ${formatDuration(ceiling_us)}`}>
      <i class="c" style={{ width: at(ceiling_us) }} />
      {estimate_us !== null && <i class="e" style={{ width: at(estimate_us) }} />}
      <i class="f" style={{ width: at(floor_us) }} />
      {estimate_us !== null && <u style={{ left: `calc(${at(estimate_us)} - 1px)` }} />}
    </div>
  );
}
