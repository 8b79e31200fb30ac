// What a GPU did in a step, as the parts of a bar and in words.

import type { DeviceBar } from "../../api/types.ts";
import { type DurationUnit, formatDuration, formatDurationIn } from "../../format/duration.ts";
import { COMMUNICATING, COMPUTING, COPYING, causeFill } from "../marks/causes.ts";
import type { Segment } from "./StackBar.tsx";

/** Idle of one cause. */
export interface IdlePart {
  cause: string;
  name: string;
  idle_us: number;
}

export function deviceSegments(device: DeviceBar, idle: readonly IdlePart[], unit: DurationUnit): Segment[] {
  return [
    { length_us: device.computing_us, fill: COMPUTING, text: `computing ${formatDurationIn(device.computing_us, unit)}`, textClass: "inv" },
    { length_us: device.communication_us, fill: COMMUNICATING, text: "", textClass: "tx" },
    { length_us: device.copying_us, fill: COPYING, text: "", textClass: "tx" },
    ...idle.map((part): Segment => ({ length_us: part.idle_us, fill: causeFill(part.cause), text: "", textClass: "tx" })),
  ];
}

/** The same for who can't see the bar. */
export function deviceText(name: string, device: DeviceBar, idle: readonly IdlePart[]): string {
  const parts = idle.map((part) => `${part.name} ${formatDuration(part.idle_us)}`).join(", ");
  return `${name}: computing ${formatDuration(device.computing_us)}, communication that no computing covers ${formatDuration(device.communication_us)}, copying ${formatDuration(device.copying_us)}, idle ${formatDuration(device.idle_us)}${parts === "" ? "" : `: ${parts}`}`;
}
