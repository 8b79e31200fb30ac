import type { RooflineView } from "../../api/types.ts";
import { aboutPoint, Roofline } from "../../draw/charts/Roofline.tsx";
import { differenceUnit, formatFineDurationIn } from "../../format/duration.ts";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { worstPoints } from "../../model/charts/roofline.ts";
import { adjust } from "../../state/place.ts";
import { roofline } from "../../state/tables/roofline.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

const MOST = 8;
/** On lower screens the table would be out of sight. */
const OPEN_FROM_HEIGHT = 900;

/** How near the device's limit operators come. */
export function RooflineCard() {
  const view = roofline.value;
  if (view === null) return null;
  if (view.points.length === 0) return view.missing === "" ? null : <Missing text={view.missing} />;
  const covered = formatShare(shareOf(view.covered_us, view.device_us));
  return (
    <details class="limit" open={window.innerHeight >= OPEN_FROM_HEIGHT}>
      <summary>
        <b>How near the limit: </b>
        <InlineText text={view.sentence === "" ? "the peak rates of this device are not known" : view.sentence} />
      </summary>
      <div class="limit-parts">
        <figure>
          <Roofline view={view} />
          <figcaption class="s12 t3">
            A mark an operator and its inputs; its area is the time above the limit. {covered} of the GPU’s time has formulas
            {view.more_points > 0 && `; ${formatCounted(view.more_points, "smaller mark")} not drawn`}.
            {view.device !== null && ` Lines: ${view.device}, ${view.source}.`}
          </figcaption>
        </figure>
        <Worst view={view} />
      </div>
    </details>
  );
}

function Missing({ text }: { text: string }) {
  return (
    <p class="limit s12 t2">
      <b>How near the limit: </b>
      <InlineText text={text} />
    </p>
  );
}

function Worst({ view }: { view: RooflineView }) {
  const points = worstPoints(view, MOST);
  if (points.length === 0) return null;
  const unit = differenceUnit(points.map((point) => point.device_us));
  return (
    <table class="dense sequences-table" aria-label="Most time above the limit">
      <thead>
        <tr>
          <th scope="col">Most time above the limit</th>
          <NumberHead>GPU, {unit}</NumberHead>
          <NumberHead>Above, {unit}</NumberHead>
          <NumberHead>Of limit</NumberHead>
        </tr>
      </thead>
      <tbody>
        {points.map((point, at) => (
          <tr key={at}>
            <td class="ell" title={aboutPoint(point)}>
              <button class="link mono" type="button" onClick={() => adjust({ filter: point.name, by: "shapes", row: null })}>
                <bdi>{point.name}</bdi>
              </button>{" "}
              <span class="mono t3">{point.shapes}</span>
            </td>
            <td class="num">{formatFineDurationIn(point.device_us, unit)}</td>
            <td class="num">{formatFineDurationIn(point.above_limit_us ?? 0, unit)}</td>
            <td class="num">{formatShare(point.share_of_limit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
