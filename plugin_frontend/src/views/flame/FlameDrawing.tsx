import { useMemo, useState } from "preact/hooks";
import type { IcicleView } from "../../api/types.ts";
import { type BoxText, Icicle } from "../../draw/Icicle.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatMean, formatShare, shareOf } from "../../format/number.ts";
import { type Box, boxesOf, countOf, type TreeNode, timeOf } from "../../model/tree/icicle.ts";
import { matches, showsHost, whole, zoomTo } from "../../state/tree/icicle.ts";
import { useWidth } from "../../widgets/useWidth.ts";
import { shortName } from "./names.ts";

const MARGIN = 32;

/** The drawing, and below it what the pointer or the keys stand on. */
export function FlameDrawing({ top, shown, pane }: { top: TreeNode; shown: IcicleView; pane: () => HTMLElement | null }) {
  const width = Math.max(useWidth(pane) - MARGIN, 0);
  const boxes = useMemo(() => boxesOf(top, width), [top, width]);
  const [current, setCurrent] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  const at = Math.min(current, boxes.length - 1);
  const looked = boxes[hovered ?? at] ?? boxes[0];
  const open = (place: number): void => {
    const [node] = boxes[place]?.nodes ?? [];
    setCurrent(0);
    setHovered(null);
    if (node !== undefined) zoomTo(opened(boxes[place], node, top));
  };
  return (
    <div class="flame-drawing">
      {width > 0 && (
        <Icicle
          boxes={boxes}
          text={(box) => textOf(box, shown)}
          width={width}
          label={`${showsHost.value ? "Host" : "GPU"} time by ${shown.kind}, ${formatDuration(top.value)} in all`}
          current={at}
          onMove={(place) => {
            setHovered(null);
            setCurrent(place);
          }}
          onHover={setHovered}
          onOpen={open}
        />
      )}
      <p class="flame-status s12 anywhere">{looked === undefined ? "" : textOf(looked, shown).about}</p>
    </div>
  );
}

/** What a click on a box fills the width with: several have no room until what holds them has all of it. */
function opened(box: Box | undefined, node: TreeNode, top: TreeNode): TreeNode {
  if (box !== undefined && (box.nodes.length > 1 || node.folded > 0)) return node.parent ?? top;
  return node;
}

/** Name, time, share and calls. */
function textOf(box: Box, shown: IcicleView): BoxText {
  const value = timeOf(box);
  const time = `${formatDuration(value)}, ${formatShare(shareOf(value, whole.value))}`;
  const around = matches.value?.around ?? new Set();
  const isMatch = box.nodes.some((node) => (box.nodes.length > 1 ? around : (matches.value?.found ?? around)).has(node.index));
  const [node] = box.nodes;
  if (node === undefined || box.nodes.length > 1 || node.folded > 0) {
    const name = formatCounted(countOf(box), "smaller part");
    return { name, about: `${name}: ${time}`, tone: "several", isMatch };
  }
  const row = shown.nodes[node.index];
  const calls = node.parent === null || row === undefined ? "" : `, ${callsOf(row.calls)}`;
  const name = shortName(node);
  return { name, about: `${node.name || name}: ${time}${calls}`, tone: row?.is_own ? "own" : "other", isMatch };
}

/** Of a step; none where it had begun before the first. */
function callsOf(calls: number): string {
  return calls === 0 ? "began before the steps" : `${formatMean(calls)} ${calls === 1 ? "call" : "calls"}`;
}
