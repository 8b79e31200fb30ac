import { formatDurationIn, tableUnit } from "../format/duration.ts";
import { formatCounted, formatMean, formatShare } from "../format/number.ts";
import { NumberHead } from "./NumberHead.tsx";

/** A kernel, or an operator that launches some. */
interface Part {
  /** Whole. */
  name: string;
  short_name: string;
  calls: number;
  /** On the GPU. */
  time_us: number;
  /** Of the row's time; without it there is no column of shares. */
  share?: number;
}

interface RowPartsProps {
  /** Of the title; unique on the screen. */
  id: string;
  title: string;
  parts: readonly Part[];
  /** How many are left out. */
  smaller?: number;
  onOpen: (part: Part) => void;
}

/** What the GPU time of a row is made of, as a section of its drawer; nothing of no parts. */
export function RowParts({ id, title, parts, smaller = 0, onOpen }: RowPartsProps) {
  if (parts.length === 0) return null;
  const unit = tableUnit(parts.map((part) => part.time_us));
  const hasShares = parts.some((part) => part.share !== undefined);
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <table class="dense row-parts" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <NumberHead>Calls</NumberHead>
            <NumberHead>{unit}</NumberHead>
            {hasShares && <NumberHead>Share</NumberHead>}
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.name}>
              <td class="anywhere" title={part.name}>
                <button class="link mono anywhere" type="button" onClick={() => onOpen(part)}>
                  <bdi>{part.short_name}</bdi>
                </button>
              </td>
              <td class="num">{formatMean(part.calls)}</td>
              <td class="num">{formatDurationIn(part.time_us, unit)}</td>
              {part.share !== undefined && <td class="num">{formatShare(part.share)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {smaller > 0 && <p class="s12 t3">and {formatCounted(smaller, "smaller one")}</p>}
    </section>
  );
}
