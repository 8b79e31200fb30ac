import type { InstanceView, SpanRow } from "../api/types.ts";
import { type DurationUnit, formatDuration, formatDurationIn } from "../format/duration.ts";
import { type Bar, isWait, layOutInstance, spanName } from "../model/sites/instanceLayout.ts";
import { COMMUNICATING, COMPUTING, COPYING, type Fill } from "./marks/causes.ts";

const LANE_LEFT = 34;
const LANE_WIDTH = 354;
const LANE_HEIGHT = 20;
const HOST_TOP = 34;
const DEVICE_TOP = 74;
/** Width of an average letter at 11 px. */
const LETTER_WIDTH = 6.2;
/** From one disc's center to the next one's, at least. */
const DISC_PITCH = 15;
/** From a lane's top up to the center of its discs. */
const DISC_RISE = 9;

interface InstanceDrawingProps {
  instance: InstanceView;
  unit: DurationUnit;
}

/** One episode as two lanes, host over GPU, numbered where its remarks are about. */
export function InstanceDrawing({ instance, unit }: InstanceDrawingProps) {
  const layout = layOutInstance(instance, LANE_WIDTH);
  const discs = placeDiscs(instance, layout.place);
  return (
    <svg viewBox={`0 0 ${LANE_LEFT + LANE_WIDTH} 116`} width="100%" role="img" aria-label={describe(instance)}>
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
        {discs.map((disc) => (
          <Disc key={disc.number} {...disc} />
        ))}
        <text x="0" y="110" class="tx3">
          0
        </text>
        <text x={LANE_WIDTH} y="110" text-anchor="end" class="tx3">
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

const FILLS: Partial<Record<Bar["span"]["kind"], Fill>> = { copy: COPYING, communication: COMMUNICATING, memset: { class: "f-compute2" } };

function DeviceBar({ bar }: { bar: Bar }) {
  const { span, x, width } = bar;
  const fill = FILLS[span.kind] ?? COMPUTING;
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

interface DiscProps {
  x: number;
  y: number;
  number: number;
}

function Disc({ x, y, number }: DiscProps) {
  return (
    <g>
      <circle cx={x} cy={y} r="7" class="f-text" />
      <text x={x} y={y + 4} text-anchor="middle" class="in-disc">
        {number}
      </text>
    </g>
  );
}

/** A disc over its lane for each remark: where it begins, but clear of the one before it. */
function placeDiscs({ remarks }: InstanceView, place: (us: number) => number): DiscProps[] {
  const discs = remarks.map(({ lane, start_us }, at) => ({ x: place(start_us), y: (lane === "host" ? HOST_TOP : DEVICE_TOP) - DISC_RISE, number: at + 1 }));
  return (["host", "device"] as const).flatMap((lane) => spread(discs.filter((_, at) => remarks[at]?.lane === lane)));
}

function spread(discs: DiscProps[]): DiscProps[] {
  let last = -DISC_PITCH;
  const places = discs.map((disc) => ({ ...disc, x: (last = Math.max(disc.x, last + DISC_PITCH)) }));
  const over = Math.max(0, last + DISC_PITCH / 2 - LANE_WIDTH);
  return places.map((disc) => ({ ...disc, x: disc.x - over }));
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
