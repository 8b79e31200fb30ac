import { type DurationUnit, formatDurationIn, formatExact } from "../../format/duration.ts";
import type { IdlePart } from "../bars/deviceSegments.ts";
import { causeFill } from "./causes.ts";
import { NamedKey } from "./Legend.tsx";

/** The first cells of a row: why the GPU is idle, as it is drawn, and how long. */
export function CauseCells({ row: { cause, name, idle_us }, unit }: { row: IdlePart; unit: DurationUnit }) {
  return (
    <>
      <td>
        <NamedKey fill={causeFill(cause)} name={name} />
      </td>
      <td class="num b" title={formatExact(idle_us)}>
        {formatDurationIn(idle_us, unit)}
      </td>
    </>
  );
}
