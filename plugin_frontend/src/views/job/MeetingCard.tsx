import type { JobPage, JobRank, StripStretch } from "../../api/types.ts";
import { type DurationUnit, formatDuration, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { stretchAt } from "../../model/ranks/jobStrips.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { RankLink } from "./RankLink.tsx";

interface MeetingCardProps {
  page: JobPage;
  /** Index of a matched collective. */
  meeting: number;
  onZoom: () => void;
  onClose: () => void;
}

interface Row {
  rank: JobRank | undefined;
  isLate: boolean;
  stretch: StripStretch;
}

/** One collective: when each rank came, what it did before, how long it waited. */
export function MeetingCard({ page, meeting, onZoom, onClose }: MeetingCardProps) {
  const row = page.meetings[meeting];
  if (row === undefined) return null;
  const rows = page.strips.flatMap((strip): Row[] => {
    const stretch = stretchAt(strip, meeting);
    return stretch === null ? [] : [{ rank: page.ranks[strip.rank], isLate: strip.rank === row.late_rank, stretch }];
  });
  const arrived = [...rows].sort((one, other) => one.stretch.wait_us - other.stretch.wait_us);
  const size = row.bytes === null ? "" : `, ${formatSize(row.bytes)}`;
  const late =
    row.late_rank === null
      ? "nobody is late by more than noise"
      : `${page.ranks[row.late_rank]?.name ?? ""} arrives last, ${formatDuration(row.late_us)} after the median of the others`;
  return (
    <section aria-labelledby="meeting-title">
      <div class="in row wrap hr">
        <h3 id="meeting-title" class="anywhere">
          {row.kind}
          {row.group === "" ? "" : ` of group ${row.group}`}
          {size}, {formatCounted(row.ranks, "rank")}, step {page.steps[row.step]?.step ?? "?"}
        </h3>
        <span class="t2">
          Transfer {formatDuration(row.transfer_us)}, skew {formatDuration(row.skew_us)}: {late}.
        </span>
        <span class="right row">
          <button class="btn sm" type="button" onClick={onZoom}>
            Zoom to it
          </button>
          <button class="btn sm" type="button" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      <MeetingTable rows={arrived.slice(0, MOST_ROWS)} left={row.ranks - Math.min(arrived.length, MOST_ROWS)} />
    </section>
  );
}

/** The last to arrive come first. */
const MOST_ROWS = 12;

function MeetingTable({ rows, left }: { rows: readonly Row[]; left: number }) {
  const unit = tableUnit(rows.map(({ stretch }) => Math.max(stretch.start_us - stretch.begin_us, stretch.wait_us)));
  return (
    <div class="scroll-x">
      <table class="dense job-ranks" aria-labelledby="meeting-title">
        <thead>
          <tr>
            <th scope="col">Rank, last to arrive first</th>
            {[`Before it, ${unit}`, "Computing", "Communicating", "Copying", "Idle"].map((head) => (
              <th key={head} scope="col" class="num">
                {head}
              </th>
            ))}
            <th scope="col">Most of the idle</th>
            <NumberHead>Waits for the last</NumberHead>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <MeetingLine key={at} row={row} unit={unit} />
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="in s12 t2">{formatCounted(left, "more rank")} took part.</p>}
    </div>
  );
}

function MeetingLine({ row: { rank, isLate, stretch }, unit }: { row: Row; unit: DurationUnit }) {
  const figure = (value: number): string => formatDurationIn(value, unit);
  const idle = stretch.idle.reduce((sum, part) => sum + part.idle_us, 0);
  const most = stretch.idle.reduce((largest, part) => (part.idle_us > (largest?.idle_us ?? 0) ? part : largest), stretch.idle[0]);
  return (
    <tr>
      <td class={isLate ? "b nw" : "nw"}>
        <RankLink rank={rank} /> {isLate && <span class="chip">late</span>}
      </td>
      <td class="num b">{figure(stretch.start_us - stretch.begin_us)}</td>
      <td class="num">{figure(stretch.computing_us)}</td>
      <td class="num">{figure(stretch.communication_us)}</td>
      <td class="num">{figure(stretch.copying_us)}</td>
      <td class="num">{figure(idle)}</td>
      <td class="t2">{most === undefined || most.idle_us === 0 ? "–" : most.name}</td>
      <td class="num b">{figure(stretch.wait_us)}</td>
    </tr>
  );
}
