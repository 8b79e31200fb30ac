import type { WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { unplacedFindings } from "../../model/actions.ts";
import { viewSites } from "../../state/sites.ts";
import { FindingLinks } from "../FindingLinks.tsx";

/** Above the sync points: waiting, explained, dry afterwards, saved if all go. */
export function SyncTop({ view }: { view: WindowView }) {
  const { count, wait_us, explained_us, profiler_own_us: own } = view.sync_points;
  const dry = viewSites.value.reduce((sum, site) => sum + site.starve_us, 0);
  const unplaced = unplacedFindings(view.overview);
  const figures: [string, string, string][] = [
    ["Sync points", formatCount(count), view.marks_steps ? `in ${formatCounted(view.steps.length, "step")}` : "in the window"],
    ["The host waits", formatDuration(wait_us), count > 0 ? `${formatShare(shareOf(explained_us, wait_us))} explained: the GPU was busy` : ""],
    ["GPU starved after them", formatDuration(dry), ""],
    ["Saved if all go, at most", formatDuration(view.savings?.ceiling_us ?? null), "a wait is not a cost"],
  ];
  return (
    <section class="answer" aria-label="Totals of the window">
      <h1 class="sr">Sync points</h1>
      <dl class="figures">
        {figures.map(([name, value, about]) => (
          <div key={name}>
            <dt class="s12 t3">{name}</dt>
            <dd class="big">{value}</dd>
            <dd class="s12">{about}</dd>
          </div>
        ))}
      </dl>
      {unplaced.length > 0 && (
        <details>
          <summary class="s12">{formatCounted(unplaced.length, "finding")} about no site: the window, its steps or its parts</summary>
          <FindingLinks findings={unplaced} />
        </details>
      )}
      {own.length > 0 && <p class="s12 t3">Left out: the profiler’s own sync, {own.map((wait) => formatDuration(wait)).join(", ")}</p>}
    </section>
  );
}
