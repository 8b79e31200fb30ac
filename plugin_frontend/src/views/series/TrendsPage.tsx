import type { SeriesRow, TrendView, WindowFigures } from "../../api/types.ts";
import { COMPUTING, causeFill, type Fill } from "../../draw/causes.ts";
import { Key } from "../../draw/Key.tsx";
import { TrendChart } from "../../draw/TrendChart.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatMean, formatShare } from "../../format/number.ts";
import { formatCommit } from "../../format/place.ts";
import { formatSize } from "../../format/size.ts";
import { visit } from "../../state/place.ts";
import { shown, visitWindow } from "../../state/runs.ts";
import { trend } from "../../state/series.ts";
import { Card } from "../../widgets/Card.tsx";
import { SeriesHead, SeriesPage } from "./SeriesPage.tsx";

/** The windows of a worker over the training. */
export function TrendsPage() {
  return (
    <SeriesPage answer={trend.value}>
      {(view: TrendView) => (
        <>
          <SeriesHead verdict={view.verdict} detail={view.detail} />
          <Card
            id="trend"
            title="Over the training"
            about={`${formatCounted(view.rows.length, "window")}, a column each${view.left_out > 0 ? `; ${formatCount(view.left_out)} older left out` : ""}`}
          >
            <div class="in trends">
              <Charts rows={view.rows} />
            </div>
          </Card>
          <Card id="windows" title="Windows">
            <WindowsTable rows={view.rows} />
          </Card>
        </>
      )}
    </SeriesPage>
  );
}

interface Measure {
  name: string;
  parts: (figures: WindowFigures) => { length: number; fill: Fill }[];
  format: (value: number) => string;
}

const MEASURES: readonly Measure[] = [
  { name: "Step", parts: (figures) => [{ length: figures.step_us ?? 0, fill: COMPUTING }], format: formatDuration },
  {
    name: "GPU idle, by cause",
    parts: (figures) => figures.causes.map((cause) => ({ length: cause.idle_us, fill: causeFill(cause.cause) })),
    format: formatDuration,
  },
  { name: "Sync points a step", parts: (figures) => [{ length: figures.sync_points, fill: { class: "f-compute2" } }], format: formatMean },
  { name: "Host to GPU a step", parts: (figures) => [{ length: figures.uploaded_bytes, fill: { fill: "url(#p-copy)" } }], format: formatSize },
];

function Charts({ rows }: { rows: readonly SeriesRow[] }) {
  const causes = new Map(rows.flatMap((row) => row.figures?.causes ?? []).map((cause) => [cause.cause, cause.name]));
  return (
    <>
      {MEASURES.map((measure) => (
        <Chart key={measure.name} measure={measure} rows={rows} />
      ))}
      <span />
      <p class="row wrap s12 t3">
        {[...causes].map(([cause, name]) => (
          <span key={cause} class="legend">
            <Key fill={causeFill(cause)} />
            {name}
          </span>
        ))}
      </p>
    </>
  );
}

function Chart({ measure, rows }: { measure: Measure; rows: readonly SeriesRow[] }) {
  const columns = rows.map((row) => {
    const parts = row.figures === null ? [] : measure.parts(row.figures);
    const sum = parts.reduce((total, part) => total + part.length, 0);
    const text = `window ${row.number}: ${row.figures === null ? "no figures" : measure.format(sum)}`;
    return { parts, sum, text, isCurrent: row.window === shown.value?.window.window };
  });
  const most = Math.max(...columns.map((column) => column.sum), 0);
  return (
    <>
      <div>
        <p class="s12 t2">{measure.name}</p>
        <p class="s12 t3">up to {measure.format(most)}</p>
      </div>
      <TrendChart columns={columns} most={most} label={`${measure.name}: ${columns.map((column) => column.text).join("; ")}`} />
    </>
  );
}

function WindowsTable({ rows }: { rows: readonly SeriesRow[] }) {
  const commits = rows.some((row) => row.figures?.git_commit != null);
  return (
    <table class="dense" aria-labelledby="windows">
      <thead>
        <tr>
          <th scope="col">Window</th>
          <th scope="col" class="num">
            First step
          </th>
          <th scope="col" class="num">
            Step
          </th>
          <th scope="col" class="num">
            GPU idle
          </th>
          <th scope="col" class="num">
            Sync points a step
          </th>
          <th scope="col" class="num">
            Waits a step
          </th>
          <th scope="col" class="num">
            Host to GPU a step
          </th>
          {commits && <th scope="col">Commit</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.window}>
            <td>
              <button class="link" type="button" title={row.window} onClick={() => open(row)}>
                {formatCount(row.number)}
              </button>
            </td>
            {row.figures === null ? (
              <td colSpan={commits ? 7 : 6} class="t3 anywhere">
                {row.state === "reading" ? "being read" : row.problem}
              </td>
            ) : (
              <Figures figures={row.figures} commits={commits} />
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figures({ figures, commits }: { figures: WindowFigures; commits: boolean }) {
  return (
    <>
      <td class="num">{figures.first_step === null ? "—" : formatCount(figures.first_step)}</td>
      <td class="num b">{formatDuration(figures.step_us)}</td>
      <td class="num b">{formatShare(figures.idle_share)}</td>
      <td class="num">{formatMean(figures.sync_points)}</td>
      <td class="num">{formatDuration(figures.wait_us)}</td>
      <td class="num">{formatSize(figures.uploaded_bytes)}</td>
      {commits && <td class="mono">{figures.git_commit === null ? "—" : formatCommit(figures.git_commit)}</td>}
    </>
  );
}

function open(row: SeriesRow): void {
  visitWindow({ window: row.window });
  visit({ view: "overview" });
}
