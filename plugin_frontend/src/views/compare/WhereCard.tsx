import type { CompareBars as Bars, CompareView } from "../../api/types.ts";
import { CompareBars } from "../../draw/bars/CompareBars.tsx";
import { causeFill } from "../../draw/marks/causes.ts";
import { deviceEntries, Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";
import { Card } from "../../widgets/Card.tsx";
import { FiguresTable } from "./FiguresTable.tsx";

/** Where a step of each window goes, drawn and in figures. */
export function WhereCard({ view: { bars, figures } }: { view: CompareView }) {
  return (
    <Card id="compared" title="Where a step goes" about="mean of the recorded steady steps">
      {bars !== null && (
        <>
          <p class="row wrap s12 t3 keys-row">
            <Legend entries={[...deviceEntries(communicates(bars)), ...bars.causes.map(({ cause, name }): LegendEntry => [causeFill(cause), name])]} />
          </p>
          <CompareBars bars={bars} />
        </>
      )}
      <FiguresTable figures={figures} />
    </Card>
  );
}

function communicates({ before, after }: Bars): boolean {
  return [before, after].some((bar) => bar !== null && bar.device.communication_us > 0);
}
