import type { InstanceView, SpanRow } from "../api/types.ts";
import { type DurationUnit, formatDuration, formatDurationIn } from "../format/duration.ts";
import { type Bar, isWait, layOutInstance, spanName } from "../model/instanceLayout.ts";

const LANE_LEFT = 34;
const LANE_WIDTH = 354;
const LANE_HEIGHT = 20;
const HOST_TOP = 34;
const DEVICE_TOP = 62;
/** Width of an average letter at 11 px. */
const LETTER_WIDTH = 6.2;
/** From one disc's centre to the next one's, at least. */
const DISC_PITCH = 15;

export interface InstanceDrawingProps {
  instance: InstanceView;
  unit: DurationUnit;
}

/** One episode as two lanes, host over GPU, its waits numbered as in the table below it. */
export function InstanceDrawing({ instance, unit }: InstanceDrawingProps) {
  const layout = layOutInstance(instance, LANE_WIDTH);
  const discs = spread(layout.host.filter((bar) => isWait(bar.span)).map((bar) => bar.x));
  return (
    <svg viewBox={`0 0 ${LANE_LEFT + LANE_WIDTH} 104`} width="100%" role="img" aria-label={describe(instance)}>
      <text x="0" y={HOST_TOP + 14}>
        Host
      </text>
      <text x="0" y={DEVICE_TOP + 14}>
        GPU
      </text>
      <g transform={`translate(${LANE_LEFT} 0)`}>
        {layout.op !== null && <OpLine bar={layout.op} />}
        <rect x="0" y={DEVICE_TOP + LANE_HEIGHT - 0.5} width={LANE_WIDTH} height="0.5" class="f-text" opacity="0.4" />
        {layout.host.map((bar, at) => (
          <HostBar key={at} bar={bar} unit={unit} />
        ))}
        {layout.device.map((bar, at) => (
          <DeviceBar key={at} bar={bar} />
        ))}
        {discs.map((x, at) => (
          <Disc key={at} x={x} number={at + 1} />
        ))}
        <text x="0" y="98" class="tx3">
          0
        </text>
        <text x={LANE_WIDTH} y="98" text-anchor="end" class="tx3">
          {formatDuration(layout.extent_us)}
        </text>
      </g>
    </svg>
  );
}

/** The op around the calls, as a bracket over the host lane. */
function OpLine({ bar }: { bar: Bar }) {
  return (
    <g>
      <path d={`M${bar.x} 16V12H${bar.x + bar.width}V16`} class="nofill st-strong" />
      <text x={Math.min(bar.x, LANE_WIDTH - 60)} y="8" class="tx3">
        {shorten(bar.span.name, LANE_WIDTH - Math.min(bar.x, LANE_WIDTH - 60))}
      </text>
    </g>
  );
}

function HostBar({ bar, unit }: { bar: Bar; unit: DurationUnit }) {
  const { span, x, width } = bar;
  if (!isWait(span)) return <rect x={x} y={HOST_TOP} width={width} height={LANE_HEIGHT} class="f-compute2" />;
  return (
    <g>
      <rect x={x} y={HOST_TOP + 0.5} width={width} height={LANE_HEIGHT - 1} class="f-none st-strong" stroke-dasharray="3 2" />
      <Label bar={bar} top={HOST_TOP} className="tx" text={`waits ${formatDurationIn(span.duration_us, unit)}`} />
    </g>
  );
}

function DeviceBar({ bar }: { bar: Bar }) {
  const { span, x, width } = bar;
  const fill = span.kind === "copy" ? { fill: "url(#p-copy)" } : { class: span.kind === "memset" ? "f-compute2" : "f-compute" };
  return (
    <g>
      <rect x={x} y={DEVICE_TOP} width={width} height={LANE_HEIGHT} {...fill} />
      {span.kind === "kernel" && <Label bar={bar} top={DEVICE_TOP} className="inv" text={spanName(span)} />}
    </g>
  );
}

function Label({ bar, top, className, text }: { bar: Bar; top: number; className: string; text: string }) {
  const shown = shorten(text, bar.width - 10);
  return shown === "" ? null : (
    <text x={bar.x + 5} y={top + 14} class={className}>
      {shown}
    </text>
  );
}

function Disc({ x, number }: { x: number; number: number }) {
  return (
    <g>
      <circle cx={x} cy="25" r="7" class="f-text" />
      <text x={x} y="29" text-anchor="middle" class="in-disc">
        {number}
      </text>
    </g>
  );
}

/** The discs' places: each over the start of its bar, but clear of the one before it. */
function spread(starts: readonly number[]): number[] {
  let last = -DISC_PITCH;
  const places = starts.map((start) => (last = Math.max(start, last + DISC_PITCH)));
  const over = Math.max(0, last + DISC_PITCH / 2 - LANE_WIDTH);
  return places.map((place) => place - over);
}

/** As much of a name as fits; nothing rather than a lone letter. */
function shorten(text: string, width: number): string {
  const letters = Math.floor(width / LETTER_WIDTH);
  if (text.length <= letters) return text;
  return letters < 4 ? "" : `${text.slice(0, letters - 1)}…`;
}

function describe(instance: InstanceView): string {
  const list = (spans: readonly SpanRow[]): string => spans.map((span) => `${spanName(span)} ${formatDuration(span.duration_us)}`).join(", ") || "nothing";
  return `Host: ${list(instance.host)}. GPU: ${list(instance.device)}.`;
}
