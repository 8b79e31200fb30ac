import type { CompareSteps, StepTimes } from "../../api/types.ts";
import { MICROSECONDS, tableUnit } from "../../format/duration.ts";
import { formatCount } from "../../format/number.ts";
import { ticksBetween } from "../../model/charts/axis.ts";
import { alongSteps, type StepAxis, stepAxis } from "../../model/charts/stepTimesAxis.ts";

const HEIGHT = 26;
const SIDES = [
  { side: "before", name: "Before", fill: "f-before", mark: "f-before" },
  { side: "after", name: "After", fill: "f-acc", mark: "f-acc st-mark" },
] as const;

/** The step times of two windows as strips on one axis; the same is said beside each. */
export function StepTimesPlot({ steps }: { steps: CompareSteps }) {
  const axis = stepAxis(steps);
  return (
    <dl class="in step-times">
      {SIDES.map(({ side, name, fill, mark }) => (
        <div key={side}>
          <dt class="b">{name}</dt>
          <dd>
            <Strip times={steps[side]} axis={axis} fill={fill} mark={mark} />
          </dd>
          <dd class="s12 t2 under anywhere">{steps[side].text}</dd>
        </div>
      ))}
      <Axis axis={axis} />
    </dl>
  );
}

/** The band is the noise, a mark is a step, the line that overtops them is the middle. */
function Strip({ times, axis, fill, mark }: { times: StepTimes; axis: StepAxis; fill: string; mark: string }) {
  const { low_us: low, high_us: high } = times;
  const at = (length: number): string => `${100 * alongSteps(axis, length)}%`;
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true" overflow="visible">
      <rect y={HEIGHT / 2 - 0.5} width="100%" height="1" class="f-text" opacity="0.3" />
      {low !== null && high !== null && (
        <rect x={at(low)} y="7" width={`${100 * (alongSteps(axis, high) - alongSteps(axis, low))}%`} height="12" class={fill} opacity="0.35" />
      )}
      <svg x={at(times.middle_us)} overflow="visible">
        <rect x="-1" y="2" width="2" height={HEIGHT - 4} class="f-text" />
      </svg>
      {times.steps_us.map((length, step) => (
        <circle key={step} cx={at(length)} cy={HEIGHT / 2} r="3.5" class={mark} />
      ))}
    </svg>
  );
}

function Axis({ axis }: { axis: StepAxis }) {
  const unit = tableUnit([axis.high]);
  const size = MICROSECONDS[unit];
  return (
    <div aria-hidden="true">
      <dt class="s12 t3">{unit}</dt>
      <dd>
        <svg width="100%" height="16" class="axis">
          {ticksBetween(axis.low / size, axis.high / size).map((tick) => (
            <text key={tick} x={`${100 * alongSteps(axis, tick * size)}%`} y="12" text-anchor="middle" class="tx3">
              {Number.isInteger(tick) ? formatCount(tick) : String(tick)}
            </text>
          ))}
        </svg>
      </dd>
    </div>
  );
}
