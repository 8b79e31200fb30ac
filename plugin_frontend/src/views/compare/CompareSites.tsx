import type { CompareSite } from "../../api/types.ts";
import { formatDurationIn, tableUnit, type DurationUnit } from "../../format/duration.ts";
import { formatCounted, formatMean } from "../../format/number.ts";
import { visit } from "../../state/place.ts";

const STATES = [
  { state: "gone", title: "Gone" },
  { state: "new", title: "New" },
  { state: "changed", title: "Changed" },
  { state: "same", title: "The same" },
] as const;
const NONE = "—";

/** What became of each site; those that are the same are folded. */
export function CompareSites({ rows }: { rows: readonly CompareSite[] }) {
  const unit = tableUnit(rows.flatMap((row) => [row.before_wait_us ?? 0, row.after_wait_us ?? 0]));
  const groups = STATES.map(({ state, title }) => ({ state, title, mine: rows.filter((row) => row.state === state) })).filter(({ mine }) => mine.length > 0);
  if (groups.length === 0) return <p class="in t2">No sites on either side</p>;
  return (
    <>
      {groups.map(({ state, title, mine }, at) => (
        <details key={state} class={at === 0 ? "in" : "in hr"} open={state !== "same"}>
          <summary>
            <b>{title}</b> <span class="t3">{formatCounted(mine.length, "site")}</span>
          </summary>
          <SiteTable title={title} rows={mine} unit={unit} />
        </details>
      ))}
    </>
  );
}

function SiteTable({ title, rows, unit }: { title: string; rows: readonly CompareSite[]; unit: DurationUnit }) {
  return (
    <table class="dense code-table" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Site</th>
          <th scope="col" class="num">Waits before, {unit}</th>
          <th scope="col" class="num">after, {unit}</th>
          <th scope="col" class="num">Calls before</th>
          <th scope="col" class="num">after</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            <td>
              <Place row={row} />
            </td>
            <td class="num">{row.before_wait_us === null ? NONE : formatDurationIn(row.before_wait_us, unit)}</td>
            <td class="num b">{row.after_wait_us === null ? NONE : formatDurationIn(row.after_wait_us, unit)}</td>
            <td class="num">{formatMean(row.before_count)}</td>
            <td class="num">{formatMean(row.after_count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Place({ row }: { row: CompareSite }) {
  const { site, location, what } = row;
  return (
    <>
      {site === null ? (
        <span class="mono ell block" title={location}><bdi>{location}</bdi></span>
      ) : (
        <button class="loc link ell" type="button" title={location} onClick={() => visit({ view: "syncs", site })}>
          <bdi>{location}</bdi>
        </button>
      )}
      <span class="s12 t3 block ell" title={what}>{what}</span>
    </>
  );
}
