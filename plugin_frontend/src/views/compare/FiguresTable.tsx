import type { CompareFigure } from "../../api/types.ts";
import { Meter } from "../../draw/Meter.tsx";
import { formatDurationIn, tableUnit, type DurationUnit } from "../../format/duration.ts";
import { formatChange, formatMean, NOT_RECORDED } from "../../format/number.ts";

/** Each figure before and after, and by how much it changed. */
export function FiguresTable({ figures }: { figures: readonly CompareFigure[] }) {
  const times = figures.filter((row) => row.is_time).flatMap((row) => [row.before ?? 0, row.after ?? 0]);
  const unit = tableUnit(times);
  const longest = Math.max(...times, 0);
  return (
    <table class="dense compared" aria-labelledby="compared">
      <thead>
        <tr>
          <th scope="col">Times in {unit}</th>
          <th scope="col" class="num">Before</th>
          <th scope="col" class="num">After</th>
          <th scope="col" class="num">Change</th>
          <th scope="col"><span class="sr">Drawn</span></th>
        </tr>
      </thead>
      <tbody>
        {figures.map((row) => (
          <tr key={row.name}>
            <td>{row.name}</td>
            <td class="num">{figure(row.before, row.is_time, unit)}</td>
            <td class="num b">{figure(row.after, row.is_time, unit)}</td>
            <td class="num">{formatChange(row.before, row.after)}</td>
            <td>
              {row.is_time && (
                <>
                  <Meter parts={[{ length: row.before ?? 0, fill: { class: "f-compute" } }]} most={longest} />
                  <Meter parts={[{ length: row.after ?? 0, fill: { class: "f-acc" } }]} most={longest} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function figure(value: number | null, isTime: boolean, unit: DurationUnit): string {
  if (value === null) return NOT_RECORDED;
  return isTime ? formatDurationIn(value, unit) : formatMean(value);
}
