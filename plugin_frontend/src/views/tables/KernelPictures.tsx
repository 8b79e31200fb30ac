import type { Histogram, SequenceRow, TableView } from "../../api/types.ts";
import { DurationHistogram } from "../../draw/charts/DurationHistogram.tsx";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** How long kernels take, and which follow each other again and again. */
export function KernelPictures({ view }: { view: TableView }) {
  if (view.histogram === null) return null;
  return (
    <div class="kernel-pictures">
      <HistogramCard histogram={view.histogram} />
      <SequencesCard sequences={view.sequences} device_us={view.device_us ?? 0} />
    </div>
  );
}

function HistogramCard({ histogram }: { histogram: Histogram }) {
  return (
    <Card id="durations" title="How long kernels take" about="in µs; upwards: share of the launches; downwards: of the time">
      <div class="in">
        <DurationHistogram histogram={histogram} />
      </div>
    </Card>
  );
}

function SequencesCard({ sequences, device_us: all }: { sequences: readonly SequenceRow[]; device_us: number }) {
  const unit = tableUnit(sequences.flatMap((one) => [one.total_us, one.between_us]));
  return (
    <Card id="sequences" title="Kernels that repeat in the same order" about="what one fused kernel or a CUDA graph would hold">
      {sequences.length === 0 ? (
        <p class="in t2">No two kernels follow each other more than once</p>
      ) : (
        <div class="sequences" tabIndex={0} role="region" aria-label="Repeated sequences">
          <table class="dense sequences-table" aria-labelledby="sequences">
            <thead>
              <tr>
                <th scope="col">Sequence</th>
                <NumberHead>Times</NumberHead>
                <NumberHead>Launches saved</NumberHead>
                <NumberHead>Kernels, {unit}</NumberHead>
                <NumberHead>Of all</NumberHead>
                <NumberHead>Between, {unit}</NumberHead>
              </tr>
            </thead>
            <tbody>
              {sequences.map((one, at) => (
                <tr key={at}>
                  <td>
                    <Sequence names={one.kernels} />
                  </td>
                  <td class="num">{formatCount(one.count)}</td>
                  <td class="num">{formatCount(one.saved_launches)}</td>
                  <td class="num">{formatDurationIn(one.total_us, unit)}</td>
                  <td class="num">{formatShare(shareOf(one.total_us, all))}</td>
                  <td class="num">{formatDurationIn(one.between_us, unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Sequence({ names }: { names: readonly string[] }) {
  return (
    <details>
      <summary>
        <span class="nw">{formatCounted(names.length, "kernel")}:</span>
        <bdi class="mono ell">{names.join(", ")}</bdi>
      </summary>
      <ol class="s12 mono sequence">
        {names.map((name, at) => (
          <li key={at} class="anywhere">
            <bdi>{name}</bdi>
          </li>
        ))}
      </ol>
    </details>
  );
}
