import type { CollectiveRow } from "../../api/types.ts";
import { type DurationUnit, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatDecimal } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";

/** Stands for what was not recorded; the sentence below the table says why. */
const UNKNOWN = "–";

interface Column {
  head: string;
  isText?: boolean;
  cell: (row: CollectiveRow, unit: DurationUnit) => string;
}

const COLUMNS: readonly Column[] = [
  { head: "Collective", isText: true, cell: (row) => (row.on === "host" ? `${row.kind} on the host` : row.kind) },
  { head: "Group", isText: true, cell: (row) => groupOf(row) },
  { head: "Type", isText: true, cell: (row) => row.dtype ?? UNKNOWN },
  { head: "Count", cell: (row) => formatCount(row.count) },
  { head: "Message", cell: (row) => sizeOf(row.message_bytes) },
  { head: "In", cell: (row) => sizeOf(row.bytes_in) },
  { head: "Out", cell: (row) => sizeOf(row.bytes_out) },
  { head: "Time", cell: (row, unit) => formatDurationIn(row.total_us, unit) },
  { head: "Nothing beside it", cell: (row, unit) => (row.exposed_us === null ? UNKNOWN : formatDurationIn(row.exposed_us, unit)) },
  { head: "Shortest", cell: (row, unit) => formatDurationIn(row.shortest_us, unit) },
  { head: "Longest", cell: (row, unit) => formatDurationIn(row.longest_us, unit) },
  { head: "GB/s", cell: (row) => speedOf(row.algorithm_gb_s) },
  { head: "Bus GB/s", cell: (row) => speedOf(row.bus_gb_s) },
];
const TIMES = new Set(["Time", "Nothing beside it", "Shortest", "Longest"]);

/** By kind, group, type and size; most exposed first. */
export function CollectivesTable({ rows }: { rows: readonly CollectiveRow[] }) {
  const unit = tableUnit(rows.map((row) => row.total_us));
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Collectives">
      <table class="dense" aria-labelledby="collectives">
        <thead>
          <tr>
            {COLUMNS.map(({ head, isText }) => (
              <th key={head} scope="col" {...(isText ? {} : { class: "num" })}>
                {TIMES.has(head) ? `${head}, ${unit}` : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {COLUMNS.map(({ head, isText, cell }) => (
                <td key={head} {...(isText ? {} : { class: "num" })}>
                  {cell(row, unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function groupOf(row: CollectiveRow): string {
  const name = row.group ?? row.ranks ?? UNKNOWN;
  return row.group_size === null ? name : `${name} (${formatCount(row.group_size)} ranks)`;
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? UNKNOWN : formatSize(bytes);
}

function speedOf(speed: number | null): string {
  return speed === null ? UNKNOWN : formatDecimal(speed);
}
