import type { MemoryStack } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatSize } from "../../format/size.ts";
import { topsOf } from "../../model/charts/memoryStack.ts";

const WIDTH = 1000;
const HEIGHT = 140;
const FILLS = ["f-compute", "f-copy", "f-comm", "f-compute2", "f-input", "f-sync", "f-none", "f-before"];

/** What tensors held over a step, kind upon kind, with the kinds' colors. */
export function MemoryStackDrawing({ stack }: { stack: MemoryStack }) {
  const tops = topsOf(stack);
  const most = Math.max(...(tops.at(-1) ?? []), 1);
  const [from, to] = [stack.at_us[0] ?? 0, stack.at_us.at(-1) ?? 0];
  const x = (us: number): number => ((us - from) / Math.max(to - from, 1)) * WIDTH;
  const y = (bytes: number): number => HEIGHT - (bytes / most) * (HEIGHT - 4);
  const area = (top: readonly number[]): string => {
    const edge = top.map((bytes, at) => `${at === 0 ? "" : `H${x(stack.at_us[at] ?? to).toFixed(1)}`}V${y(bytes).toFixed(1)}`);
    return `M0 ${HEIGHT}${edge.join("")}H${WIDTH}V${HEIGHT}Z`;
  };
  return (
    <figure class="memory-stack">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`Up to ${formatSize(most)} over the step, by kind`}>
        {tops.map((top, at) => <path key={stack.kinds[at]} d={area(top)} class={FILLS[at % FILLS.length]} />).reverse()}
      </svg>
      <figcaption class="s12 t2 row wrap">
        {stack.kinds.map((kind, at) => (
          <span key={kind} class="nw">
            <svg class="key" viewBox="0 0 12 12" aria-hidden="true">
              <rect width="12" height="12" rx="2" class={FILLS[at % FILLS.length]} />
            </svg>{" "}
            {kind}
          </span>
        ))}
        <span class="right nw">
          up to {formatSize(most)}, over {formatDuration(to - from)}
        </span>
      </figcaption>
    </figure>
  );
}
