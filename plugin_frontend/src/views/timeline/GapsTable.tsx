import type { StepCauseRow, TimelineView, WindowView } from "../../api/types.ts";
import { CauseCells } from "../../draw/marks/CauseCells.tsx";
import { type DurationUnit, formatDuration, formatDurationIn, formatExact, tableUnit } from "../../format/duration.ts";
import { formatCount, formatShare } from "../../format/number.ts";
import { visit } from "../../state/place.ts";
import { visitSite } from "../../state/sites/sites.ts";
import { sitesMatch, stepAnswer, stepIndex } from "../../state/timeline/timeline.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { SiteLink } from "../../widgets/SiteLink.tsx";
import { visitGap } from "./actions.ts";
import { scopeName } from "./stepName.ts";

function noGaps({ scope }: WindowView): string {
  return `${scope === "" ? "No GPU was recorded in this window" : "No work of the GPU is in this file"}: there are no gaps to list.`;
}

/** The idle of the step by cause, with the longest gap of each: the facts of the drawing. */
export function GapsTable({ view, timeline }: { view: WindowView; timeline: TimelineView }) {
  const answer = stepAnswer.value;
  if (answer.kind === "failed")
    return (
      <p class="gaps" role="alert">
        {answer.message}
      </p>
    );
  if (answer.kind === "loading" || answer.value.index !== stepIndex.value) return null;
  const { causes, idle_us, idle_share } = answer.value;
  if (idle_us === null)
    return (
      <p class="gaps t2">
        {timeline.main_device === null
          ? noGaps(view)
          : "Work of the GPU is missing from this recording: where its streams are empty it need not have been idle."}
      </p>
    );
  const unit = tableUnit(causes.map((row) => row.idle_us));
  const scope = scopeName(timeline.steps[stepIndex.value]);
  const device = timeline.lanes.filter((lane) => lane.kind === "idle").length > 1 ? `, GPU ${timeline.main_device}` : "";
  return (
    <section class="gaps" aria-labelledby="gaps">
      <h2 id="gaps">
        Gaps in this {scope}
        {device}
      </h2>
      {causes.length === 0 ? (
        <p class="t2">The GPU never stopped.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Cause</th>
              <NumberHead>{unit}</NumberHead>
              <NumberHead>gaps</NumberHead>
              <th scope="col">Longest</th>
              <th scope="col">While the host was in</th>
            </tr>
          </thead>
          <tbody>
            {causes.map((row) => (
              <Cause key={row.cause} row={row} unit={unit} view={view} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Together</th>
              <td class="num b" title={formatExact(idle_us)}>
                {formatDurationIn(idle_us, unit)}
              </td>
              <td colSpan={3} class="t2">
                {formatShare(idle_share)} of the {scope}
              </td>
            </tr>
          </tfoot>
        </table>
      )}
    </section>
  );
}

function Cause({ row, unit, view }: { row: StepCauseRow; unit: DurationUnit; view: WindowView }) {
  const site = sitesMatch.value && row.around.site !== null ? view.sites[row.around.site] : undefined;
  return (
    <tr>
      <CauseCells row={row} unit={unit} />
      <td class="num">{formatCount(row.pieces)}</td>
      <td>
        <button class="link" type="button" aria-label={`Show the longest gap: ${row.name}`} onClick={() => visitGap(row.around)}>
          {formatDuration(row.longest_us)}
        </button>
      </td>
      <td class="t2">
        <bdi>{row.around.place}</bdi>
        {site !== undefined && (
          <>
            , drained by <SiteLink site={site} onOpen={openSite} />
          </>
        )}
      </td>
    </tr>
  );
}

function openSite(index: number): void {
  visit({ view: "syncs" });
  visitSite(index);
}
