import type { CompareFigure } from "../../api/types.ts";
import { type DurationUnit, differenceUnit, formatDurationIn } from "../../format/duration.ts";
import { formatChange, formatMean, formatShare, formatSigned, NOT_RECORDED } from "../../format/number.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Each figure before and after, by how much it changed, and what that says. */
export function FiguresTable({ figures }: { figures: readonly CompareFigure[] }) {
  const unit = differenceUnit(figures.flatMap((row) => (row.kind === "time" ? [row.before ?? 0, row.after ?? 0] : [])));
  return (
    <table class="dense compared" aria-labelledby="compared">
      <thead>
        <tr>
          <th scope="col">Times in {unit}</th>
          <NumberHead>Before</NumberHead>
          <NumberHead>After</NumberHead>
          <NumberHead>Change</NumberHead>
          <NumberHead>
            <span class="sr">Change in percent</span>
          </NumberHead>
          <th scope="col">Means</th>
        </tr>
      </thead>
      <tbody>
        {figures.map((row) => (
          <tr key={row.name}>
            <td class={row.is_part ? "part t2" : "b"}>{row.name}</td>
            <td class="num">{figure(row.before, row, unit)}</td>
            <td class="num b">{figure(row.after, row, unit)}</td>
            <td class={`num nw ${row.judged}`}>
              <Change row={row} unit={unit} />
            </td>
            <td class="num t3">{formatChange(row.change_share)}</td>
            <td class="t3 s12">{row.means}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Better and worse differ in their color and in their arrow's direction, which is that of the figure. */
function Change({ row, unit }: { row: CompareFigure; unit: DurationUnit }) {
  if (row.change === null) return <>—</>;
  return (
    <>
      {row.judged !== "" && (
        <>
          <span class="sr">{row.judged}: </span>
          <span aria-hidden="true">{row.change < 0 ? "▼" : "▲"} </span>
        </>
      )}
      {formatSigned(row.change, (size) => figure(size, row, unit))}
    </>
  );
}

function figure(value: number | null, { kind }: CompareFigure, unit: DurationUnit): string {
  if (value === null) return NOT_RECORDED;
  if (kind === "share") return formatShare(value);
  return kind === "time" ? formatDurationIn(value, unit) : formatMean(value);
}
