import type { ComponentChildren } from "preact";
import type { FleetRow } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COMMUNICATING, COMPUTING, COPYING, causeFill } from "../../draw/marks/causes.ts";
import { formatDate, formatDuration, formatHours } from "../../format/duration.ts";
import { formatChange, formatCount, formatCounted, formatDecimal, formatShare, NOT_RECORDED } from "../../format/number.ts";
import { formatCommit } from "../../format/place.ts";
import { type Place, printPlace } from "../../model/place.ts";
import { beginsLow, fleetSorting, placeOfChange, placeOfLine, placeOfRun } from "../../model/runs/fleet.ts";
import { place, visit } from "../../state/place.ts";
import { sortFleet } from "../../state/runs/fleet.ts";
import { nameOfRun } from "../../state/runs/runs.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

const FIGURES = 9;
/** Of those, the ones about a GPU: its parts, and their drawing. */
const GPU_FIGURES = 4;

/** A run a row; a click opens the window that the row tells of. */
export function FleetTable({ rows }: { rows: readonly FleetRow[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="All runs">
      <table class="series-table fleet" aria-labelledby="fleet">
        <thead>
          <tr>
            <Head sort="run" text="Run" isText />
            <Head sort="gpus" text="GPUs" />
            <Head sort="watched" text="Watched" />
            <Head sort="goodput" text="Goodput" />
            <Head sort="busy" text="Busy" />
            <Head sort="communication" text="Comm." />
            <Head sort="idle" text="Idle" />
            <th scope="col">
              <span class="sr">Parts of a step drawn</span>
            </th>
            <Head sort="wasted" text="Idle GPU-hours a day" />
            <th scope="col">Top line, GPU-hours a day</th>
            <Head sort="change" text="Since the run before" />
            <Head sort="alarm" text="Alarm" isText />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ sort, text, isText = false }: { sort: string; text: string; isText?: boolean }) {
  const now = fleetSorting(place.value.ranked);
  const isAscending = beginsLow(sort) !== now.isReversed;
  return (
    <th scope="col" class={isText ? "" : "num"} {...(sort === now.sort ? { "aria-sort": isAscending ? "ascending" : "descending" } : {})}>
      <button type="button" onClick={() => sortFleet(sort)}>
        {text} <span aria-hidden="true">{sort !== now.sort ? "" : isAscending ? "↑" : "↓"}</span>
      </button>
    </th>
  );
}

function Row({ row }: { row: FleetRow }) {
  return (
    <tr>
      <td class="run">
        <PlaceLink to={placeOfRun(row)}>
          <bdi>{row.name === row.run ? nameOfRun(row.run) : row.name}</bdi>
        </PlaceLink>
        <p class="s12 t3 anywhere">
          {[row.owner ?? "owner not recorded", row.commit === null ? "commit not recorded" : formatCommit(row.commit), formatDate(row.recorded_s)].join(" · ")}
        </p>
        {row.runs > 1 && <p class="s12 t3">the newest of {formatCounted(row.runs, "equal run")}</p>}
        {row.state === "ready" && row.problem !== "" && (
          <p class="s12">
            <Alarm text={row.problem} />
          </p>
        )}
      </td>
      {row.state === "ready" ? (
        <Figures row={row} />
      ) : (
        <td colSpan={FIGURES + 2} class="t3 anywhere">
          {row.state === "unread" ? "not read yet" : row.problem}
        </td>
      )}
    </tr>
  );
}

function Figures({ row }: { row: FleetRow }) {
  return (
    <>
      <td class="num">{row.gpus === null ? (row.is_judged ? "none" : NOT_RECORDED) : formatCount(row.gpus)}</td>
      <td class="num" title={`${formatCounted(row.windows, "window")} of ${formatCounted(row.ranks, "rank")}`}>
        {row.watched_s === null ? NOT_RECORDED : formatHours(row.watched_s)}
      </td>
      <td class="num">{row.goodput === null ? "—" : formatShare(row.goodput)}</td>
      {row.gpus === null ? <WithoutGpu row={row} /> : <PartsOfStep row={row} />}
      <td class="num b">{row.idle_gpu_h === null ? NOT_RECORDED : formatDecimal(row.idle_gpu_h)}</td>
      <td class="lost">
        <TopLine row={row} />
      </td>
      <td class="num">{row.before === null ? <span class="t3">first</span> : <Change row={row} />}</td>
      <td class="alarm s12">{row.is_alarm ? <Alarm text={row.alarm} /> : <span class="t3">{row.alarm}</span>}</td>
    </>
  );
}

function WithoutGpu({ row }: { row: FleetRow }) {
  return (
    <td colSpan={GPU_FIGURES} class="t3">
      {row.is_judged ? "recorded without a GPU" : "the GPU’s work is missing from the file"}
    </td>
  );
}

function PartsOfStep({ row }: { row: FleetRow }) {
  return (
    <>
      <td class="num b">{formatShare(row.busy)}</td>
      <td class="num">{formatShare(row.communication)}</td>
      <td class="num" title={row.causes.map(({ name, share }) => `${name} ${formatShare(share)}`).join(", ")}>
        {formatShare(row.idle)}
      </td>
      <td class="parts">
        <Meter
          parts={[
            { length: row.busy ?? 0, fill: COMPUTING },
            { length: row.communication ?? 0, fill: COMMUNICATING },
            { length: row.copying ?? 0, fill: COPYING },
            ...row.causes.map(({ cause, share }) => ({ length: share, fill: causeFill(cause) })),
          ]}
          most={1}
        />
      </td>
    </>
  );
}

function TopLine({ row }: { row: FleetRow }) {
  return (
    <>
      {row.job !== "" && (
        <p class="s12 anywhere">
          <InlineText text={row.job} />
        </p>
      )}
      <Line row={row} />
    </>
  );
}

function Line({ row }: { row: FleetRow }) {
  if (row.top_action === "") return <span class="t3">{row.is_judged ? "nothing worth a change" : "not known"}</span>;
  return (
    <>
      {row.top_gpu_h !== null && row.top_rule !== "" && <b>{cost(row.top_gpu_h, row.is_estimate)}</b>}
      <p class="s12">
        <PlaceLink to={placeOfLine(row)}>
          <InlineText text={row.top_action} />
        </PlaceLink>
      </p>
      <p class="s12 t3 anywhere">
        {row.top_rule} <bdi>{row.top_place}</bdi>
      </p>
    </>
  );
}

function cost(hours: number, isEstimate: boolean): string {
  const text = formatDecimal(hours);
  return isEstimate || text.startsWith("<") ? text : `≤ ${text}`;
}

function Change({ row }: { row: FleetRow }) {
  return (
    <span title={`${row.before ?? ""}; a step now takes ${formatDuration(row.step_us)}`}>
      <PlaceLink to={placeOfChange(row)}>{row.change === null ? "compare" : formatChange(row.change)}</PlaceLink>
    </span>
  );
}

function Alarm({ text }: { text: string }) {
  return (
    <span class="row">
      <Icon name="warning" tone="i-warn" />
      <span class="anywhere">{text}</span>
    </span>
  );
}

/** A link that opens here, or elsewhere with a modifier. */
function PlaceLink({ to, children }: { to: Place; children: ComponentChildren }) {
  return (
    <a
      class="link"
      href={printPlace(to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        visit(to);
      }}
    >
      {children}
    </a>
  );
}
