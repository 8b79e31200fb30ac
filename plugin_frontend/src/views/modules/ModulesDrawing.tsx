import { useMemo, useRef, useState } from "preact/hooks";
import type { ModulesView } from "../../api/types.ts";
import { type BoxText, Icicle } from "../../draw/Icicle.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { type Box, boxesOf, type TreeNode, timeOf } from "../../model/tree/icicle.ts";
import { matches, showsHost, zoomTo } from "../../state/tree/modules.ts";
import { useWidth } from "../../widgets/useWidth.ts";

/** Each part as wide as its time, and below it what the pointer or the keys stand on. */
export function ModulesDrawing({ top, shown }: { top: TreeNode; shown: ModulesView }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(() => frame.current);
  const boxes = useMemo(() => boxesOf(top, width), [top, width]);
  const [current, setCurrent] = useState(0);
  const [hovered, setHovered] = useState<number | null>(null);
  const at = Math.min(current, boxes.length - 1);
  const looked = boxes[hovered ?? at] ?? boxes[0];
  const whole = shown.nodes[0] === undefined ? 0 : top.value;
  return (
    <div>
      <div ref={frame}>
        {width > 0 && (
          <Icicle
            boxes={boxes}
            text={(box) => textOf(box, shown, whole)}
            width={width}
            label={`${showsHost.value ? "Host" : "GPU"} time by module, ${formatDuration(top.value)} in all`}
            current={at}
            onMove={(place) => {
              setHovered(null);
              setCurrent(place);
            }}
            onHover={setHovered}
            onOpen={(place) => {
              const [node] = boxes[place]?.nodes ?? [];
              setCurrent(0);
              setHovered(null);
              if (node !== undefined) zoomTo((boxes[place]?.nodes.length === 1 ? node : (node.parent ?? top)).index);
            }}
          />
        )}
      </div>
      <p class="flame-status s12 anywhere">{looked === undefined ? "" : textOf(looked, shown, whole).about}</p>
    </div>
  );
}

function textOf(box: Box, shown: ModulesView, whole: number): BoxText {
  const value = timeOf(box);
  const time = `${formatDuration(value)}, ${formatShare(shareOf(value, whole))}`;
  const [first] = box.nodes;
  const isMatch = matches.value !== null && box.nodes.some((node) => matches.value?.found.has(node.index));
  if (first === undefined || box.nodes.length > 1) {
    const name = formatCounted(box.nodes.length, "smaller part");
    return { name, about: `${name}: ${time}`, tone: "several", isMatch };
  }
  const node = shown.nodes[first.index];
  const equal = node?.equal == null ? "" : `, ${formatCounted(node.equal.count, "equal layer")}`;
  const odd =
    node?.equal?.odd == null ? "" : `; ${node.equal.odd} takes ${formatDuration(node.equal.odd_us)}, the median one ${formatDuration(node.equal.median_us)}`;
  return { name: first.name, about: `${first.name}: ${time}${equal}${odd}`, tone: node?.kind === "module" ? "own" : "other", isMatch };
}
