import type { IcicleView } from "../../api/types.ts";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCounted, formatMean, formatShare, shareOf } from "../../format/number.ts";
import { ownOf, type TreeNode } from "../../model/tree/icicle.ts";
import { whole, zoomTo } from "../../state/tree/icicle.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { shortName } from "./names.ts";

/** More than anybody reads; the drawing has the others. */
const MOST = 40;

/** The parts of what fills the drawing's width, as a table. */
export function PartsTable({ node, shown }: { node: TreeNode; shown: IcicleView }) {
  const unit = tableUnit([node.value]);
  const [listed, left] = [node.children.slice(0, MOST), node.children.slice(MOST)];
  const own = ownOf(node);
  return (
    <div class="flame-parts">
      <Card id="parts" title={node.parent === null ? "Parts" : "Inside"} about={node.parent === null ? "" : shortName(node)}>
        <table class="dense parts" aria-labelledby="parts">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <NumberHead>Time, {unit}</NumberHead>
              <NumberHead>Of all</NumberHead>
              <NumberHead>Self, {unit}</NumberHead>
              <NumberHead>Calls{shown.marks_steps ? " a step" : ""}</NumberHead>
            </tr>
          </thead>
          <tbody>
            {listed.map((part) => (
              <PartRow key={part.index} part={part} calls={shown.nodes[part.index]?.calls ?? 0} unit={unit} />
            ))}
            {left.length > 0 && (
              <SumRow name={`${formatCounted(left.length, "more part")}`} value={left.reduce((sum, part) => sum + part.value, 0)} unit={unit} />
            )}
            {own > 0 && <SumRow name="in none of them" value={own} unit={unit} />}
          </tbody>
        </table>
      </Card>
    </div>
  );
}

type Unit = ReturnType<typeof tableUnit>;

function PartRow({ part, calls, unit }: { part: TreeNode; calls: number; unit: Unit }) {
  const name = shortName(part);
  return (
    <tr>
      <td class="mono ell" title={part.name}>
        {part.children.length > 0 ? (
          <button class="link mono ell" type="button" onClick={() => zoomTo(part)}>
            <bdi>{name}</bdi>
          </button>
        ) : (
          <bdi>{name}</bdi>
        )}
      </td>
      <td class="num">{formatDurationIn(part.value, unit)}</td>
      <td class="num">{formatShare(shareOf(part.value, whole.value))}</td>
      <td class="num">{formatDurationIn(ownOf(part), unit)}</td>
      <td class="num">{calls === 0 ? "—" : formatMean(calls)}</td>
    </tr>
  );
}

function SumRow({ name, value, unit }: { name: string; value: number; unit: Unit }) {
  return (
    <tr>
      <td class="t3">{name}</td>
      <td class="num">{formatDurationIn(value, unit)}</td>
      <td class="num">{formatShare(shareOf(value, whole.value))}</td>
      <td class="num">{formatDurationIn(value, unit)}</td>
      <td class="num">—</td>
    </tr>
  );
}
