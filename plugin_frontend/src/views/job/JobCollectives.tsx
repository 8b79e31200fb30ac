import type { JobCollective, JobPage } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COMMUNICATING, WAITING } from "../../draw/marks/causes.ts";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted, formatDecimal } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { Card } from "../../widgets/Card.tsx";

const UNKNOWN = "–";
/** At once: the longest come first. */
const MOST_ROWS = 16;

/** The matched collectives: what was transfer, what was waiting for the last rank, and who that was. */
export function JobCollectives({ page }: { page: JobPage }) {
  const { collectives } = page;
  const unit = tableUnit(collectives.map((row) => row.total_us));
  const each = tableUnit(collectives.map((row) => row.skew_us));
  const longest = Math.max(...collectives.map((row) => row.total_us), 0);
  const rest = collectives.length - MOST_ROWS;
  return (
    <Card
      id="job-collectives"
      title="Matched collectives"
      about={`${formatCount(page.matched)} of ${formatCounted(page.matched + page.unmatched, "collective")}; times of all ranks over the window`}
    >
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Table of matched collectives">
        <table class="dense" aria-labelledby="job-collectives">
          <thead>
            <tr>
              {["Kind", "Group"].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
              {["Size", "Count", `Transfer, ${unit}`, `Waiting for the last, ${unit}`].map((head) => (
                <th key={head} scope="col" class="num">
                  {head}
                </th>
              ))}
              <th scope="col">
                <span class="sr">Both drawn</span>
              </th>
              {[`Skew, mean, ${each}`, "Bandwidth, GB/s", "Bus, GB/s"].map((head) => (
                <th key={head} scope="col" class="num">
                  {head}
                </th>
              ))}
              <th scope="col">Last most often</th>
            </tr>
          </thead>
          <tbody>
            {collectives.slice(0, MOST_ROWS).map((row, at) => (
              <tr key={at}>
                <td>{row.kind}</td>
                <td class={row.group === "" ? "" : "anywhere group-name"}>{groupOf(row)}</td>
                <td class="num">{row.bytes === null ? UNKNOWN : formatSize(row.bytes)}</td>
                <td class="num">{formatCount(row.count)}</td>
                <td class="num">{formatDurationIn(row.transfer_us, unit)}</td>
                <td class="num b">{formatDurationIn(row.arrival_wait_us, unit)}</td>
                <td class="strip">
                  <Meter
                    parts={[
                      { length: row.transfer_us, fill: COMMUNICATING },
                      { length: row.arrival_wait_us, fill: WAITING },
                    ]}
                    most={longest}
                  />
                </td>
                <td class="num">{formatDurationIn(row.skew_us, each)}</td>
                <td class="num">{speedOf(row.algorithm_gb_s)}</td>
                <td class="num">{speedOf(row.bus_gb_s)}</td>
                <td class="nw">{lastOf(row, page)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hr in s12 t2">
        {rest > 0 && `${formatCounted(rest, "shorter row")} left out. `}
        Transfer is the shortest time of all ranks, an upper bound; bandwidths are by the transfer alone. A dash was not recorded.
      </p>
    </Card>
  );
}

function speedOf(speed: number | null): string {
  return speed === null ? UNKNOWN : formatDecimal(speed);
}

/** Two ends say how many they are. */
function groupOf({ group, ranks }: JobCollective): string {
  if (group === "" || group.includes("→")) return group || UNKNOWN;
  return `${group} (${formatCounted(ranks, "rank")})`;
}

function lastOf({ latest, latest_in, count }: JobCollective, { ranks }: JobPage): string {
  return latest === null ? "nobody" : `${ranks[latest]?.name ?? ""}, ${formatCount(latest_in)} of ${formatCount(count)}`;
}
