import type { WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, NOT_RECORDED, shareOf } from "../../format/number.ts";
import { ABOUT_WITHOUT_WAITS, WITHOUT_WAITS } from "../../format/saving.ts";
import { unplacedFindings } from "../../model/sites/actions.ts";
import { viewSites } from "../../state/sites/sites.ts";
import { FindingLinks } from "../FindingLinks.tsx";

/** Above the sync points: waiting, explained, dry afterwards, and the limit of what goes with all waits. */
export function SyncTop({ view }: { view: WindowView }) {
  const { count, wait_us, explained_us, profiler_own_us: own, is_recorded: isRecorded } = view.sync_points;
  const dry = viewSites.value.reduce((sum, site) => sum + site.starve_us, 0);
  const unplaced = unplacedFindings(view.overview);
  const recorded = (us: number | null) => formatDuration(isRecorded ? us : null);
  const scope = view.marks_steps ? `in ${formatCounted(view.steps.length, "step")}` : "in the window";
  const explained = count > 0 ? `${formatShare(shareOf(explained_us, wait_us))} explained: the GPU was busy` : "";
  const ofStep = view.marks_steps && view.overview.saving !== null ? `${formatDuration(view.overview.saving.ceiling_us)} a step; ` : "";
  const figures: [name: string, value: string, about: string, title?: string][] = [
    ["Sync points", isRecorded ? formatCount(count) : NOT_RECORDED, isRecorded ? scope : "no calls of the host"],
    ["The host waits", recorded(wait_us), explained],
    ["GPU starved after them", recorded(dry), ""],
    [`${WITHOUT_WAITS}, saved at most`, recorded(view.savings?.ceiling_us ?? null), `${isRecorded ? ofStep : ""}a wait is not a cost`, ABOUT_WITHOUT_WAITS],
  ];
  return (
    <section class="answer" aria-label="Totals of the window">
      <h1 class="sr">Sync points</h1>
      <dl class="figures">
        {figures.map(([name, value, about, title]) => (
          <div key={name} title={title}>
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
