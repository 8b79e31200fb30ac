import type { InstanceView } from "../../api/types.ts";
import { InstanceDrawing } from "../../draw/InstanceDrawing.tsx";
import { type DurationUnit, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { type Bar, layOutInstance, spanName } from "../../model/sites/instanceLayout.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** The median episode of a site: drawn, told in numbered sentences, and the same facts in a table. */
export function InstancePart({ instance }: { instance: InstanceView }) {
  const { host, device, extent_us } = layOutInstance(instance, 1);
  const unit = tableUnit([extent_us]);
  const rows = host.length + device.length;
  return (
    <section aria-labelledby="instance">
      <h3 id="instance">
        What happens
        {instance.step !== null && (
          <span class="t3 plain">
            , one instance of <bdi>{instance.step}</bdi>
          </span>
        )}
      </h3>
      <InstanceDrawing instance={instance} unit={unit} />
      <ol class="remarks" aria-label="What happens">
        {instance.remarks.map(({ text }, at) => (
          <li key={at} class="row">
            <span class="disc">{at + 1}</span>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      <details>
        <summary class="s12">{formatCounted(rows, "bar")} in figures</summary>
        <table class="dense s12 instance-table" aria-label="The same in figures">
          <thead>
            <tr>
              <th scope="col">On</th>
              <th scope="col">Name</th>
              <NumberHead>At, {unit}</NumberHead>
              <NumberHead>For, {unit}</NumberHead>
            </tr>
          </thead>
          <tbody>
            {host.map((bar, at) => (
              <SpanLine key={`h${at}`} lane="Host" bar={bar} unit={unit} />
            ))}
            {device.map((bar, at) => (
              <SpanLine key={`d${at}`} lane="GPU" bar={bar} unit={unit} />
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
}

function SpanLine({ lane, bar, unit }: SpanLineProps) {
  return (
    <tr>
      <td class="nw">{lane}</td>
      <td class="mono ell" title={spanName(bar.span)}>
        <bdi>{spanName(bar.span)}</bdi>
      </td>
      <td class="num">{formatDurationIn(bar.start_us, unit)}</td>
      <td class="num">{formatDurationIn(bar.span.duration_us, unit)}</td>
    </tr>
  );
}
