import type { SelectionView, SiteRow, TimelineView, WindowView } from "../../api/types.ts";
import { formatDuration, formatExact } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { formatChain, formatDirection, LINE_NOT_RECORDED } from "../../format/place.ts";
import { formatSize } from "../../format/size.ts";
import { placeOf } from "../../model/source/code.ts";
import { visit } from "../../state/place.ts";
import { numbersInActions } from "../../state/sites/sites.ts";
import { visitCode } from "../../state/source/source.ts";
import { selection, sitesMatch } from "../../state/timeline/timeline.ts";
import { Location } from "../../widgets/Location.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { laneTitle } from "./laneTitle.ts";

/** What is selected, as a sentence with its figures; a hint where nothing is. */
export function SelectionCard({ view, timeline }: { view: WindowView; timeline: TimelineView }) {
  const what = selection.value;
  if (what === null) {
    return <p class="selection hint s12 t3">Select a bar or a gap. Drag over a stretch and press f to look closer; Ctrl and the wheel zoom.</p>;
  }
  const site = sitesMatch.value && what.site !== null ? view.sites[what.site] : undefined;
  return (
    <section class="selection" aria-labelledby="selected" aria-live="polite">
      <div>
        <Head what={what} site={site} />
        <p>{what.sentence === "" ? <RowSentence what={what} timeline={timeline} /> : <InlineText text={what.sentence} />}</p>
        {!sitesMatch.value && what.site !== null && <p class="s12 t3">The report was written by another version of tbprof: its lines can't be matched.</p>}
      </div>
      <Figures what={what} />
      <div class="col">
        {site !== undefined && (
          <button class="btn sm p" type="button" onClick={() => visit({ view: site.blocking > 0 ? "syncs" : "copies", site: site.index, rule: null })}>
            {site.blocking > 0 ? "Sync point" : "Copy"}
          </button>
        )}
        {site?.source != null && (
          <button class="btn sm" type="button" onClick={() => site.source !== null && visitCode(placeOf(site.source))}>
            Source
          </button>
        )}
      </div>
    </section>
  );
}

const TITLES: Record<string, string> = { blocking: "Sync point", free: "Copy", gap: "GPU idle", wait: "Call that waits", other: "Range" };

function Head({ what, site }: { what: SelectionView; site: SiteRow | undefined }) {
  const number = site === undefined ? undefined : numbersInActions.value.get(site.index);
  const title = what.name === "" ? (TITLES[what.kind] ?? what.kind) : what.name;
  return (
    <div class="row">
      {number !== undefined && (
        <span class="disc" title={`Action ${number}`}>
          {number}
        </span>
      )}
      <h2 id="selected" class="ell" title={title}>
        <bdi>{site === undefined || what.name !== "" ? title : site.ops.length > 0 ? <code>{formatChain(site.ops)}</code> : site.what}</bdi>
      </h2>
      {site !== undefined && (site.source === null ? <span class="t3 s12 nw">{LINE_NOT_RECORDED}</span> : <Location source={site.source} short />)}
      {site?.findings.map((finding) => (
        <span key={finding.fingerprint} class="rule">
          {finding.rule}
        </span>
      ))}
    </div>
  );
}

const KINDS: Record<string, string> = {
  kernel: "Kernel",
  copy: "Copy",
  memset: "Memset",
  step: "Step",
  label: "Label",
  frame: "Python frame",
  op: "Op",
  call: "Runtime call",
  wait: "Runtime call that blocked the host",
};

function RowSentence({ what, timeline }: { what: SelectionView; timeline: TimelineView }) {
  const row = what.lane === null ? undefined : timeline.lanes[what.lane];
  return (
    <>
      {KINDS[what.kind] ?? "Range"}, <b title={formatExact(what.duration_us)}>{formatDuration(what.duration_us)}</b>
      {row !== undefined && (
        <>
          , on <bdi>{laneTitle(row, timeline).title}</bdi>
        </>
      )}
      .
    </>
  );
}

function Figures({ what }: { what: SelectionView }) {
  const figures: [string, string, string?][] = [];
  if (what.into_step_us !== null) figures.push(["Starts", `${formatDuration(what.into_step_us)} into the step`, formatExact(what.into_step_us)]);
  if (what.direction !== "") figures.push(["Copy", formatDirection(what.direction, what.memory)]);
  if (what.copy_us !== null) figures.push(["On the GPU", `${formatDuration(what.copy_us)}, ${formatSize(what.copy_bytes ?? 0)}`, formatExact(what.copy_us)]);
  if (what.queued !== null) figures.push(["Queue then", formatCounted(what.queued, "launch", "launches")]);
  if (what.gap !== null && what.kind !== "gap") figures.push(["Gap after it", formatDuration(what.gap.idle_us), formatExact(what.gap.idle_us)]);
  return (
    <dl class="kv s12">
      {figures.map(([name, value, exact]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} value`} title={exact}>
          {value}
        </dd>,
      ])}
    </dl>
  );
}
