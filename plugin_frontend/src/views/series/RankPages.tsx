import type { FigureSpread, RanksView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatShare } from "../../format/number.ts";
import { RANKS_OF_A_PAGE, showRanksFrom } from "../../state/runs/series.ts";

/** Of many ranks: what all figures lie between, and the way from those that stand out to all. */
export function RankPages({ view, first }: { view: RanksView; first: number | null }) {
  if (first === null && view.rows.length === view.total) return null;
  return (
    <div class="in">
      {view.spreads.length > 0 && <p class="s12 t2">{view.spreads.map(told).join("; ")}.</p>}
      <div class="row wrap">
        <span class="s12 t2">{first === null ? `The ${formatCount(view.rows.length)} of ${formatCount(view.total)} that stand out.` : part(view, first)}</span>
        {first !== null && <Go text="Those that stand out" to={null} />}
        {first !== null && first > 0 && <Go text="Before" to={Math.max(first - RANKS_OF_A_PAGE, 0)} />}
        {first === null ? <Go text="All, by rank" to={0} /> : first + RANKS_OF_A_PAGE < view.total && <Go text="Next" to={first + RANKS_OF_A_PAGE} />}
      </div>
    </div>
  );
}

function Go({ text, to }: { text: string; to: number | null }) {
  return (
    <button class="btn sm" type="button" onClick={() => showRanksFrom(to)}>
      {text}
    </button>
  );
}

function part(view: RanksView, first: number): string {
  return `${formatCount(first + 1)} to ${formatCount(first + view.rows.length)} of ${formatCount(view.total)}, by rank.`;
}

const NAMES: Record<FigureSpread["figure"], string> = {
  step_us: "Step",
  communication_us: "exposed communication",
  idle_share: "GPU idle",
  wait_us: "host waits",
};

function told({ figure, least, median, most }: FigureSpread): string {
  const format = figure === "idle_share" ? formatShare : formatDuration;
  return `${NAMES[figure]} ${format(least)} to ${format(most)}, median ${format(median)}`;
}
