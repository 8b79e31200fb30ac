import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { CauseRow, PlaceRow, WindowView } from "../../api/types.ts";
import { CauseCells } from "../../draw/marks/CauseCells.tsx";
import type { DurationUnit } from "../../format/duration.ts";
import { formatCounted, formatShare } from "../../format/number.ts";
import { visitSite } from "../../state/sites/sites.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Why the GPU is idle, and where: the place, and the wait that let it happen. */
export function CausesTable({ view, unit }: { view: WindowView; unit: DurationUnit }) {
  return (
    <table class="causes" aria-label="Why the GPU is idle">
      <thead>
        <tr>
          <th scope="col">Why the GPU is idle</th>
          <NumberHead>{view.marks_steps ? `${unit} / step` : unit}</NumberHead>
          <NumberHead>{view.marks_steps ? "of step" : "of window"}</NumberHead>
          <th scope="col">Where</th>
        </tr>
      </thead>
      <tbody>
        {longestFirst(view.overview.causes).map((row) => (
          <Cause key={row.cause} row={row} unit={unit} />
        ))}
      </tbody>
    </table>
  );
}

/** The bars above keep one order for all windows; a list is read from its top. */
function longestFirst(causes: readonly CauseRow[]): CauseRow[] {
  return [...causes].sort((one, other) => other.idle_us - one.idle_us);
}

function Cause({ row, unit }: { row: CauseRow; unit: DurationUnit }) {
  const [open, setOpen] = useState(false);
  const more = row.places.length - 1;
  return (
    <tr>
      <CauseCells row={row} unit={unit} />
      <td class="num">{formatShare(row.share_of_step)}</td>
      <td>
        {row.places.slice(0, open ? undefined : 1).map((place, at) => (
          <Place key={at} place={place}>
            {at === 0 && more > 0 && (
              <button
                class="btn q sm"
                type="button"
                aria-expanded={open}
                aria-label={`${formatCounted(more, "more place")} of ${row.name}`}
                onClick={() => setOpen(!open)}
              >
                {open ? "fewer" : `+${more}`}
              </button>
            )}
          </Place>
        ))}
      </td>
    </tr>
  );
}

function Place({ place, children }: { place: PlaceRow; children: ComponentChildren }) {
  const { site, text, because, share_of_cause: share } = place;
  return (
    <p class="row place">
      {site === null ? (
        <span class="ell grow" title={text}>
          <bdi>{text}</bdi>
        </span>
      ) : (
        <button class="link ell grow" type="button" title={`${text} ${because}`} onClick={() => visitSite(site)}>
          <bdi>{text}</bdi>
          {because !== "" && <span class="t2">, {because}</span>}
        </button>
      )}
      <span class="t3 s12 nw">{formatShare(share)}</span>
      {children}
    </p>
  );
}
