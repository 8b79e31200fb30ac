import type { CompareSite } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { type DurationUnit, differenceUnit, formatDurationIn } from "../../format/duration.ts";
import { formatCounted, formatMean } from "../../format/number.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { ComparePlace } from "./ComparePlace.tsx";

const STATES = [
  { state: "gone", title: "Gone", tone: "ok" },
  { state: "new", title: "New", tone: "warn" },
  { state: "changed", title: "Changed", tone: "" },
  { state: "same", title: "The same", tone: "" },
] as const;
const NONE = "—";

/** What the rows have in common. */
interface Scale {
  unit: DurationUnit;
  longest_us: number;
}

/** What became of each site; those that are the same are folded. */
export function CompareSites({ rows }: { rows: readonly CompareSite[] }) {
  const waits = rows.flatMap((row) => [row.before_wait_us ?? 0, row.after_wait_us ?? 0]);
  const scale = { unit: differenceUnit(waits), longest_us: Math.max(...waits, 0) };
  const groups = STATES.map((group) => ({ ...group, mine: rows.filter((row) => row.state === group.state) })).filter(({ mine }) => mine.length > 0);
  if (groups.length === 0) return <p class="in t2">No sites on either side</p>;
  return (
    <>
      {groups.map(({ state, title, tone, mine }, at) => (
        <details key={state} class={at === 0 ? "in" : "in hr"} open={state !== "same"}>
          <summary>
            <span class={`chip ${tone}`}>{title}</span> <span class="t3">{formatCounted(mine.length, "site")}</span>
          </summary>
          <SiteTable title={title} rows={mine} scale={scale} />
        </details>
      ))}
    </>
  );
}

function SiteTable({ title, rows, scale }: { title: string; rows: readonly CompareSite[]; scale: Scale }) {
  return (
    <table class="dense compare-sites" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Site</th>
          <NumberHead>Waits before, {scale.unit}</NumberHead>
          <NumberHead>after</NumberHead>
          <th scope="col">
            <span class="sr">Waits drawn</span>
          </th>
          <NumberHead>GPU starved before, {scale.unit}</NumberHead>
          <NumberHead>after</NumberHead>
          <NumberHead>Calls before</NumberHead>
          <NumberHead>after</NumberHead>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <Row key={at} row={row} scale={scale} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, scale }: { row: CompareSite; scale: Scale }) {
  const time = (length: number | null): string => (length === null ? NONE : formatDurationIn(length, scale.unit));
  return (
    <tr>
      <td>
        <ComparePlace row={row} />
      </td>
      <td class="num">{time(row.before_wait_us)}</td>
      <td class="num b">{time(row.after_wait_us)}</td>
      <td>
        <Meter parts={[{ length: row.before_wait_us ?? 0, fill: { class: "f-before" } }]} most={scale.longest_us} />
        <Meter parts={[{ length: row.after_wait_us ?? 0, fill: { class: "f-acc" } }]} most={scale.longest_us} />
      </td>
      <td class="num">{time(row.before_starve_us)}</td>
      <td class="num b">{time(row.after_starve_us)}</td>
      <td class="num">{formatMean(row.before_count)}</td>
      <td class="num b">{formatMean(row.after_count)}</td>
    </tr>
  );
}
