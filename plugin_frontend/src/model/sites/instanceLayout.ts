// Where the bars of one drawn instance go: two lanes on one time axis.

import type { InstanceView, SpanRow } from "../../api/types.ts";

export interface Bar {
  span: SpanRow;
  /** From the drawing's left edge, in its own units. */
  x: number;
  width: number;
  /** From the first shown moment. */
  start_us: number;
}

interface InstanceLayout {
  host: Bar[];
  device: Bar[];
  op: Bar | null;
  extent_us: number;
  /** Where an instant is on the axis. */
  place: (us: number) => number;
}

/** The narrowest bar that can still be seen. */
const LEAST_WIDTH = 1.5;

/** Places every span of an instance on an axis `width` wide; spans too short to see are widened. */
export function layOutInstance(instance: InstanceView, width: number): InstanceLayout {
  const drawn = [...instance.host, ...instance.device];
  const first = Math.min(...drawn.map((span) => span.start_us));
  const last = Math.max(...drawn.map((span) => span.start_us + span.duration_us));
  const extent = Math.max(last - first, Number.EPSILON);
  const layOut = (span: SpanRow): Bar => {
    const left = Math.max(0, ((span.start_us - first) / extent) * width);
    const right = Math.min(width, ((span.start_us + span.duration_us - first) / extent) * width);
    const barWidth = Math.max(right - left, LEAST_WIDTH);
    return { span, x: Math.min(left, width - barWidth), width: barWidth, start_us: span.start_us - first };
  };
  return {
    host: instance.host.map(layOut),
    device: instance.device.map(layOut),
    op: instance.op === null || drawn.length === 0 ? null : layOut(instance.op),
    extent_us: drawn.length === 0 ? 0 : extent,
    place: (us) => Math.min(Math.max(((us - first) / extent) * width, 0), width),
  };
}

const WORDS: Record<SpanRow["kind"], string> = {
  launch: "launch",
  copy_call: "copy call",
  sync_call: "synchronize call",
  kernel: "busy",
  communication: "communicating",
  copy: "copying",
  memset: "setting memory",
};

/** The recorded name; rows merged into one have none, and are called by what they do. */
export function spanName(span: SpanRow): string {
  return span.name === "" ? WORDS[span.kind] : span.name;
}

/** Whether a span of the host lane is a call in which it can wait. */
export function isWait(span: SpanRow): boolean {
  return span.kind === "copy_call" || span.kind === "sync_call";
}
