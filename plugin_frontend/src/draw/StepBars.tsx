import { formatCount } from "../format/number.ts";

const WIDTH = 54;
const HEIGHT = 16;

export interface StepBarsProps {
  /** One count a step. */
  counts: readonly number[];
  /** Which of them are cold, in the same order. */
  cold: readonly boolean[];
}

/** A bar a step, as high as its count; cold steps are hatched. */
export function StepBars({ counts, cold }: StepBarsProps) {
  const most = Math.max(...counts, 1);
  const pitch = WIDTH / counts.length;
  const gap = pitch > 4 ? 2 : 0;
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={`count in each step: ${counts.map(formatCount).join(", ")}`}>
      {counts.map((count, step) => (
        <rect
          key={step}
          x={step * pitch}
          y={HEIGHT - (count / most) * HEIGHT}
          width={Math.min(pitch - gap, 8)}
          height={(count / most) * HEIGHT}
          {...(cold[step] ? { fill: "url(#p-cold)" } : { class: "f-compute" })}
        />
      ))}
    </svg>
  );
}
