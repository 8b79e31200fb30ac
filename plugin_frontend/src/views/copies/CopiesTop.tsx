import type { WindowView } from "../../api/types.ts";
import { SpeedPlot } from "../../draw/charts/SpeedPlot.tsx";
import { type DurationUnit, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted, NOT_RECORDED } from "../../format/number.ts";
import { formatDirection } from "../../format/place.ts";
import { formatSize } from "../../format/size.ts";
import { formatGigabytes, formatSpeed } from "../../format/speed.ts";
import { viewSites } from "../../state/sites/sites.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Above the copies by line: by kind, and how fast they are for their size. */
export function CopiesTop({ view }: { view: WindowView }) {
  const best = bestPinned(view);
  return (
    <div class="page copies-top">
      <Card id="kinds" title="By kind" about={`totals of the window, ${formatCounted(view.steps.length, "step")}`}>
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Copies by kind">
          <KindsTable view={view} />
        </div>
        {view.copies.flatMap((row) =>
          row.remark === ""
            ? []
            : [
                <p key={`${row.direction} ${row.memory}`} class="in s12 t2 hr">
                  {row.remark}
                </p>,
              ],
        )}
      </Card>
      <Card id="speed" title="Speed" about="of a line’s copies, against the size of one">
        <div class="in">
          <SpeedPlot sites={viewSites.value} best={best} />
          <p class="s12 t3 marks">
            ▲ host to GPU ▼ GPU to host ■ other; hollow: pinned
            {best !== null && <>; dashed: fastest pinned copy seen, {formatSpeed(best)}</>}
          </p>
        </div>
      </Card>
    </div>
  );
}

/** A bus of a GPU does more; where no copy was as fast, all were too small to fill it. */
const LEAST_BUS_BYTES_PER_S = 1e9;

/** Copies on the GPU never cross the bus, so they are no measure for those that do. */
function bestPinned(view: WindowView): number | null {
  const speeds = view.copies
    .filter((row) => row.memory === "pinned" && row.direction !== "DtoD")
    .flatMap((row) => row.best_bytes_per_s ?? [])
    .filter((speed) => speed >= LEAST_BUS_BYTES_PER_S);
  return speeds.length === 0 ? null : Math.max(...speeds);
}

function KindsTable({ view }: { view: WindowView }) {
  const unit = tableUnit(view.copies.flatMap((row) => [row.wait_us ?? 0, row.exposed_us ?? 0]));
  return (
    <table class="dense" aria-labelledby="kinds">
      <thead>
        <tr>
          <th scope="col">Direction, memory</th>
          <NumberHead>Copies</NumberHead>
          <NumberHead>Blocking</NumberHead>
          <NumberHead>Size</NumberHead>
          <NumberHead>GB/s</NumberHead>
          <NumberHead>Best seen</NumberHead>
          <NumberHead>Blocked, {unit}</NumberHead>
          <NumberHead>Not hidden, {unit}</NumberHead>
        </tr>
      </thead>
      <tbody>
        {view.copies.map((row) => (
          <tr key={`${row.direction} ${row.memory}`}>
            <td>{formatDirection(row.direction, row.memory)}</td>
            <td class="num">{formatCount(row.count)}</td>
            <td class="num">{formatCount(row.blocking)}</td>
            <td class="num">{formatSize(row.bytes)}</td>
            <td class="num">{formatGigabytes(row.bytes_per_s)}</td>
            <td class="num">{formatGigabytes(row.best_bytes_per_s)}</td>
            <td class="num">{figure(row.wait_us, unit)}</td>
            <td class="num">{figure(row.exposed_us, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function figure(duration: number | null, unit: DurationUnit): string {
  return duration === null ? NOT_RECORDED : formatDurationIn(duration, unit);
}
