import type { CollectiveRow } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatDecimal } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";

/** Stands for what was not recorded; the sentence below the table says why. */
const UNKNOWN = "–";

interface Column {
  head: string;
  isText?: boolean;
  cell: (row: CollectiveRow) => string;
}

const COLUMNS: readonly Column[] = [
  { head: "Collective", isText: true, cell: (row) => (row.on === "host" ? `${row.kind} on the host` : row.kind) },
  { head: "Group", isText: true, cell: (row) => groupOf(row) },
  { head: "Type", isText: true, cell: (row) => row.dtype ?? UNKNOWN },
  { head: "Count", cell: (row) => formatCount(row.count) },
  { head: "Message", cell: (row) => sizeOf(row.message_bytes) },
  { head: "In", cell: (row) => sizeOf(row.bytes_in) },
  { head: "Out", cell: (row) => sizeOf(row.bytes_out) },
  { head: "Time", cell: (row) => formatDuration(row.total_us) },
  { head: "Nothing beside it", cell: (row) => (row.exposed_us === null ? UNKNOWN : formatDuration(row.exposed_us)) },
  { head: "Shortest", cell: (row) => formatDuration(row.shortest_us) },
  { head: "Longest", cell: (row) => formatDuration(row.longest_us) },
  { head: "GB/s", cell: (row) => speedOf(row.algorithm_gb_s) },
  { head: "Bus GB/s", cell: (row) => speedOf(row.bus_gb_s) },
];

/** By kind, group, type and size; most exposed first. */
export function CollectivesTable({ rows }: { rows: readonly CollectiveRow[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Table of collectives">
      <table class="dense" aria-labelledby="collectives">
        <thead>
          <tr>
            {COLUMNS.map(({ head, isText }) => (
              <th key={head} scope="col" {...(isText ? {} : { class: "num" })}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {COLUMNS.map(({ head, isText, cell }) => (
                <td key={head} {...(isText ? {} : { class: "num" })}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Of a send or receive its two ends, where they were recorded. */
function groupOf(row: CollectiveRow): string {
  if (row.ranks?.includes("→")) return [row.group, row.ranks].filter(Boolean).join(" ");
  const name = row.group ?? row.ranks ?? UNKNOWN;
  return row.group_size === null ? name : `${name} (${formatCount(row.group_size)} ranks)`;
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? UNKNOWN : formatSize(bytes);
}

function speedOf(speed: number | null): string {
  return speed === null ? UNKNOWN : formatDecimal(speed);
}
