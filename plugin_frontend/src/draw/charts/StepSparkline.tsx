import { formatDuration } from "../../format/duration.ts";

const WIDTH = 54;
const HEIGHT = 16;

interface StepSparklineProps {
  /** One time a step. */
  times_us: readonly number[];
  /** Which of them are cold, in the same order. */
  cold: readonly boolean[];
  /** What the times are, as `wait`. */
  what: string;
}

/** A tiny chart for a table cell: a bar a step, as high as its time; cold steps are hatched, and a step with any at all is seen. */
export function StepSparkline({ times_us, cold, what }: StepSparklineProps) {
  const most = Math.max(...times_us, 1e-3);
  const pitch = WIDTH / times_us.length;
  const gap = pitch > 4 ? 2 : 0;
  const label = `${what} in each step: ${times_us.map(formatDuration).join(", ")}`;
  return (
    <svg width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      {times_us.map((time, step) => {
        const height = time > 0 ? Math.max((time / most) * HEIGHT, 1) : 0;
        return (
          <rect
            key={step}
            x={step * pitch}
            y={HEIGHT - height}
            width={Math.min(pitch - gap, 8)}
            height={height}
            {...(cold[step] ? { fill: "url(#p-cold)" } : { class: "f-compute" })}
          />
        );
      })}
    </svg>
  );
}
