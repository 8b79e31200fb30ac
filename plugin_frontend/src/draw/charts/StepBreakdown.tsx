import type { CauseRow, StepStack } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { COLD, COMMUNICATING, COMPUTING, COPYING, causeFill, type Fill } from "../marks/causes.ts";

const HEIGHT = 48;
/** With more steps than this the gaps between them go. */
const ROOMY = 40;

/** Stacked bars, one a step, as high as it is long, by what the GPU did; cold steps are hatched as a whole. */
export function StepBreakdown({ stacks, causes }: { stacks: readonly StepStack[]; causes: readonly CauseRow[] }) {
  const longest = Math.max(...stacks.map((stack) => stack.duration_us), 1);
  const pitch = 100 / stacks.length;
  const width = stacks.length > ROOMY ? pitch : Math.min(pitch * 0.8, 14);
  return (
    <svg width="100%" height={HEIGHT} role="img" aria-label={`Lengths of the steps: ${stacks.map(describe).join(", ")}`}>
      {stacks.map((stack, at) => (
        <Column key={at} stack={stack} causes={causes} x={(at + 0.5) * pitch - width / 2} width={width} longest={longest} />
      ))}
    </svg>
  );
}

interface ColumnProps {
  stack: StepStack;
  causes: readonly CauseRow[];
  x: number;
  width: number;
  longest: number;
}

function Column({ stack, causes, x, width, longest }: ColumnProps) {
  const parts: [number, Fill][] = stack.cold
    ? [[stack.duration_us, COLD]]
    : [
        [stack.computing_us, COMPUTING],
        [stack.communication_us, COMMUNICATING],
        [stack.copying_us, COPYING],
        ...causes.map((row, at): [number, Fill] => [stack.idle_us[at] ?? 0, causeFill(row.cause)]).reverse(),
      ];
  let top = HEIGHT;
  return (
    <g>
      <title>{describe(stack)}</title>
      {parts.map(([length, fill], at) => {
        const height = (Math.max(length, 0) / longest) * HEIGHT;
        top -= height;
        return <rect key={at} x={`${x}%`} y={top} width={`${width}%`} height={height} {...fill} />;
      })}
    </g>
  );
}

function describe(stack: StepStack): string {
  return `${stack.name} ${formatDuration(stack.duration_us)}${stack.cold ? ", cold" : ""}`;
}
