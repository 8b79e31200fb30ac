import type { RunPartRow, RunPauseRow, RunTimeView, StepLength } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COLD, COMPUTING, causeFill, type Fill } from "../../draw/marks/causes.ts";
import { formatDuration, formatHours } from "../../format/duration.ts";
import { formatCount, formatDecimal, formatShare } from "../../format/number.ts";
import { runTime } from "../../state/runs/runTime.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { SeriesHead, SeriesPage } from "../series/SeriesPage.tsx";

/** Where the wall time of the whole run went, in and outside of its steps. */
export function RunPage() {
  return <SeriesPage answer={runTime.value}>{(view: RunTimeView) => <WholeRun view={view} />}</SeriesPage>;
}

function WholeRun({ view }: { view: RunTimeView }) {
  if (view.headline === "")
    return (
      <SeriesHead
        verdict="Nothing was noted of the whole run"
        detail="The hook notes it in runs of this machine from its next start on, unless it is told not to."
      />
    );
  return (
    <>
      <SeriesHead verdict={view.headline} detail={view.sentences.join(" ")} />
      {view.advice.length > 0 && (
        <Card id="run-advice" title="What to change">
          <ul class="in points">
            {view.advice.map((advice) => (
              <li key={advice} class="anywhere">
                <InlineText text={advice} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card id="run-parts" title="Where the time went" about="since the start of the process; the parts add up to all of it">
        <Parts rows={view.parts} />
      </Card>
      {view.pauses.length > 0 && (
        <Card id="run-pauses" title="The longest pauses" about="in the order of their time">
          <Pauses rows={view.pauses} />
        </Card>
      )}
      {view.lengths.length > 0 && (
        <Card id="run-lengths" title="How long steps took" about={`${formatDuration(view.step_us)} at the median of the latest`}>
          <Lengths rows={view.lengths} />
        </Card>
      )}
      {view.problems.map((problem) => (
        <p key={problem} class="t3 anywhere">
          {problem}
        </p>
      ))}
    </>
  );
}

const FILLS: Record<string, Fill> = { steps: COMPUTING, idle: causeFill("sync"), data: causeFill("data"), start: COLD };

function Parts({ rows }: { rows: readonly RunPartRow[] }) {
  const hasGpu = rows.some((row) => row.gpu_h !== null);
  const most = rows.reduce((longest, row) => Math.max(longest, row.share), 0);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Table: where the time went">
      <table class="series-table run-parts" aria-labelledby="run-parts">
        <thead>
          <tr>
            <th scope="col">Part</th>
            <NumberHead>Time</NumberHead>
            <NumberHead>Share</NumberHead>
            <th scope="col">
              <span class="sr">Share drawn</span>
            </th>
            {hasGpu && <NumberHead>GPU-hours</NumberHead>}
            <NumberHead>Times</NumberHead>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.part}>
              <td>{row.name}</td>
              <td class="num">{formatLong(row.us)}</td>
              <td class="num b">{formatShare(row.share)}</td>
              <td class="parts">
                <Meter parts={[{ length: row.share, fill: FILLS[row.part] ?? causeFill("") }]} most={most} />
              </td>
              {hasGpu && <td class="num">{row.gpu_h === null ? "" : formatDecimal(row.gpu_h)}</td>}
              <td class="num">{row.count === 0 ? "" : formatCount(row.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pauses({ rows }: { rows: readonly RunPauseRow[] }) {
  const hasRanks = rows.some((row) => row.rank !== null);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Table: the longest pauses">
      <table class="dense" aria-labelledby="run-pauses">
        <thead>
          <tr>
            <NumberHead>Since the start</NumberHead>
            <NumberHead>After step</NumberHead>
            {hasRanks && <NumberHead>Rank</NumberHead>}
            <NumberHead>Time</NumberHead>
            <th scope="col">Part</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <td class="num">{formatLong(row.at_us)}</td>
              <td class="num">{formatCount(row.step)}</td>
              {hasRanks && <td class="num">{row.rank === null ? "" : formatCount(row.rank)}</td>}
              <td class="num b">{formatLong(row.us)}</td>
              <td>{row.name}</td>
              <td class="anywhere">
                <bdi class="mono">{row.place}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Lengths({ rows }: { rows: readonly StepLength[] }) {
  const most = rows.reduce((largest, row) => Math.max(largest, row.steps), 0);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Table: how long steps took">
      <table class="series-table run-parts" aria-labelledby="run-lengths">
        <thead>
          <tr>
            <NumberHead>From</NumberHead>
            <NumberHead>To</NumberHead>
            <NumberHead>Steps</NumberHead>
            <th scope="col">
              <span class="sr">Number drawn</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.below_us}>
              <td class="num">{formatLong(row.below_us / 2)}</td>
              <td class="num">{formatLong(row.below_us)}</td>
              <td class="num b">{formatCount(row.steps)}</td>
              <td class="parts">
                <Meter parts={[{ length: row.steps, fill: COMPUTING }]} most={most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What may take hours. */
function formatLong(us: number): string {
  return us < 120e6 ? formatDuration(us) : formatHours(us / 1e6);
}
