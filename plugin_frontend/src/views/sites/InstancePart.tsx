import type { InstanceView } from "../../api/types.ts";
import { InstanceDrawing } from "../../draw/InstanceDrawing.tsx";
import { type DurationUnit, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { type Bar, isWait, layOutInstance, spanName } from "../../model/instanceLayout.ts";

/** The longest table that is open from the start. */
const OPEN_ROWS = 6;

/** The median episode of a site: drawn, and the same facts in a table. */
export function InstancePart({ instance }: { instance: InstanceView }) {
  const { host, device, extent_us } = layOutInstance(instance, 1);
  const unit = tableUnit([extent_us]);
  const rows = host.length + device.length;
  return (
    <section aria-labelledby="instance">
      <h3 id="instance">
        One instance
        {instance.step !== null && (
          <span class="t3 plain">
            , <bdi>{instance.step}</bdi>
          </span>
        )}
      </h3>
      <InstanceDrawing instance={instance} unit={unit} />
      <details open={rows <= OPEN_ROWS}>
        <summary class="s12">{formatCounted(rows, "bar")} in figures</summary>
        <table class="dense s12 instance-table" aria-label="The same in figures">
          <thead>
            <tr>
              <th scope="col">On</th>
              <th scope="col">Name</th>
              <th scope="col" class="num">
                At, {unit}
              </th>
              <th scope="col" class="num">
                For, {unit}
              </th>
            </tr>
          </thead>
          <tbody>
            {numberWaits(host).map(({ bar, number }, at) => (
              <SpanLine key={`h${at}`} lane="Host" bar={bar} unit={unit} number={number} />
            ))}
            {device.map((bar, at) => (
              <SpanLine key={`d${at}`} lane="GPU" bar={bar} unit={unit} number={null} />
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

interface SpanLineProps {
  lane: string;
  bar: Bar;
  unit: DurationUnit;
  number: number | null;
}

function SpanLine({ lane, bar, unit, number }: SpanLineProps) {
  return (
    <tr>
      <td class="nw">
        {lane} {number !== null && <span class="disc">{number}</span>}
      </td>
      <td class="mono ell" title={spanName(bar.span)}>
        <bdi>{spanName(bar.span)}</bdi>
      </td>
      <td class="num">{formatDurationIn(bar.start_us, unit)}</td>
      <td class="num">{formatDurationIn(bar.span.duration_us, unit)}</td>
    </tr>
  );
}

/** The numbers on the drawing's discs: those of the calls that can wait. */
function numberWaits(bars: readonly Bar[]): { bar: Bar; number: number | null }[] {
  const waits = bars.filter((bar) => isWait(bar.span));
  return bars.map((bar) => ({ bar, number: isWait(bar.span) ? waits.indexOf(bar) + 1 : null }));
}
