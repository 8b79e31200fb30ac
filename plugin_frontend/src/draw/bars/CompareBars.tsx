import { Fragment } from "preact";
import type { CompareBars as Bars, CompareBar } from "../../api/types.ts";
import { type DurationUnit, differenceUnit, formatDurationIn } from "../../format/duration.ts";
import { NOT_RECORDED } from "../../format/number.ts";
import { TimeAxis } from "../charts/TimeAxis.tsx";
import { deviceSegments, deviceText, type IdlePart } from "./deviceSegments.ts";
import { StackBar } from "./StackBar.tsx";

const SIDES = [
  { side: "before", name: "Before" },
  { side: "after", name: "After" },
] as const;

/** What the GPU did in a step of each window, on the axis of the longer one. */
export function CompareBars({ bars }: { bars: Bars }) {
  const unit = differenceUnit([bars.longest_us]);
  return (
    <div class="in bars compare-bars">
      {SIDES.map(({ side, name }) => (
        <Fragment key={side}>
          <b>{name}</b>
          {bars[side] === null ? <span class="t3 s12">{NOT_RECORDED}</span> : <Bar name={name} bars={bars} bar={bars[side]} unit={unit} />}
        </Fragment>
      ))}
      <span />
      <TimeAxis scale_us={bars.longest_us} unit={unit} />
    </div>
  );
}

function Bar({ name, bars, bar, unit }: { name: string; bars: Bars; bar: CompareBar; unit: DurationUnit }) {
  const idle = idleParts(bars, bar);
  return (
    <>
      <StackBar segments={deviceSegments(bar.device, idle, unit)} scale_us={bars.longest_us} label={deviceText(name, bar.device, idle)} />
      <span class="num">
        <b>{formatDurationIn(bar.step_us, unit)}</b> <span class="t3 s12">idle {formatDurationIn(bar.device.idle_us, unit)}</span>
      </span>
    </>
  );
}

function idleParts({ causes }: Bars, { idle_us }: CompareBar): IdlePart[] {
  return causes.map((cause, at) => ({ ...cause, idle_us: idle_us[at] ?? 0 }));
}
