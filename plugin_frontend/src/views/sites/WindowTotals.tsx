import type { WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount } from "../../format/number.ts";
import { formatDirection } from "../../format/place.ts";
import { formatSizeIn, tableSizeUnit } from "../../format/size.ts";

/** Below the sites: the copies by kind, and what counts nowhere. */
export function WindowTotals({ view }: { view: WindowView }) {
  const unit = tableSizeUnit(view.copies.map((row) => row.bytes));
  const own = view.sync_points.profiler_own_us;
  return (
    <div class="totals">
      {view.copies.length > 0 && (
        <table class="dense" aria-label="Copies by kind">
          <thead>
            <tr>
              <th scope="col">Copies by kind</th>
              <th scope="col" class="num">Copies</th>
              <th scope="col" class="num">Block the host</th>
              <th scope="col" class="num">Size, {unit}</th>
            </tr>
          </thead>
          <tbody>
            {view.copies.map((row) => (
              <tr key={`${row.direction} ${row.memory}`}>
                <td>{formatDirection(row.direction, row.memory)}</td>
                <td class="num">{formatCount(row.count)}</td>
                <td class="num">{formatCount(row.blocking)}</td>
                <td class="num">{formatSizeIn(row.bytes, unit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {own.length > 0 && (
        <p class="s12 t3">Left out: the profiler’s own sync, {own.map((wait) => formatDuration(wait)).join(", ")}</p>
      )}
    </div>
  );
}
