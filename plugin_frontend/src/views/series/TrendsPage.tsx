import { useRef, useState } from "preact/hooks";
import type { SeriesRow } from "../../api/types.ts";
import { MOST_SERIES, SeriesKey, TrendChart } from "../../draw/charts/TrendChart.tsx";
import { formatCount, formatCounted, NOT_RECORDED } from "../../format/number.ts";
import { formatCommit } from "../../format/place.ts";
import { layOutTrends, listedMetrics, type Metric, metricsOf, type TrendPoint } from "../../model/charts/trends.ts";
import { adjust, place, visit } from "../../state/place.ts";
import { runs, shown, visitWindow } from "../../state/runs/runs.ts";
import { type NamedTrend, trends } from "../../state/runs/series.ts";
import { Card } from "../../widgets/Card.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";
import { Picker } from "../../widgets/picker/Picker.tsx";
import { useWidth } from "../../widgets/useWidth.ts";
import { SeriesHead, SeriesPage } from "./SeriesPage.tsx";

/** The windows of a worker over the training, and those of other runs beside them. */
export function TrendsPage() {
  return <SeriesPage answer={trends.value}>{(all: NamedTrend[]) => <Trends all={all} />}</SeriesPage>;
}

function Trends({ all }: { all: readonly NamedTrend[] }) {
  const metrics = metricsOf(all.flatMap(({ view }) => view.rows));
  const metric = metrics.find(({ key }) => key === place.value.metric) ?? metrics[0];
  const view = all[0]?.view;
  if (metric === undefined || view === undefined) return null;
  const leftOut = view.left_out > 0 ? `; ${formatCount(view.left_out)} older left out` : "";
  return (
    <>
      <SeriesHead verdict={view.verdict} detail={view.detail} />
      <Card id="trend" title={`${metric.name} over the training`} about={`${formatCounted(view.rows.length, "window")}, means of steady steps${leftOut}`}>
        <div class="in trends">
          <Choices all={all} metric={metric} metrics={metrics} />
          <Chart all={all} metric={metric} />
        </div>
      </Card>
      <Card id="windows" title="Windows">
        <WindowsTable all={all} metrics={listedMetrics(metrics, metric)} />
      </Card>
    </>
  );
}

function Choices({ all, metric, metrics }: { all: readonly NamedTrend[]; metric: Metric; metrics: readonly Metric[] }) {
  const there = runs.value.kind === "there" ? runs.value.value.runs : [];
  const others = there.filter(({ run }) => all.every((one) => one.run !== run));
  const beside = place.value.beside;
  return (
    <div class="row wrap">
      <Picker
        label="Figure"
        value={metric.name}
        selected={metric.key}
        options={metrics.map(({ key, name }) => ({ key, text: name, detail: "" }))}
        onPick={(key) => visit({ metric: key })}
      />
      {all.length < MOST_SERIES && others.length > 0 && (
        <Picker
          label="Beside"
          value="another run"
          selected=""
          options={others.map(({ run }) => ({ key: run, text: run || ".", detail: "" }))}
          onPick={(run) => visit({ beside: [...beside, run] })}
        />
      )}
      {all.map(({ run }, at) => (
        <span key={run} class="legend s12">
          <SeriesKey number={at} />
          <bdi class="ell">{run || "."}</bdi>
          {at > 0 && (
            <button class="btn sm" type="button" aria-label={`Take ${run || "."} away`} onClick={() => visit({ beside: beside.filter((one) => one !== run) })}>
              <Icon name="close" />
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

function Chart({ all, metric }: { all: readonly NamedTrend[]; metric: Metric }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(() => box.current);
  const [pointed, setPointed] = useState<{ point: TrendPoint; series: number } | null>(null);
  const layout = layOutTrends(
    all.map(({ view }) => view.rows),
    metric,
  );
  const points = layout.series.flatMap((list, series) => list.map((point) => ({ point, series })));
  const same = points.find(({ point, series }) => series === pointed?.series && point.row.window === pointed.point.row.window);
  const current = same ?? points.find(({ point, series }) => series === 0 && point.row.window === shown.value?.window.window);
  const tell = ({ point, series }: { point: TrendPoint; series: number }): string => describe(point, metric, all.length > 1 ? all[series]?.run : undefined);
  return (
    <div ref={box}>
      {points.length === 0 ? (
        <p class="t3">No window has this figure.</p>
      ) : (
        <TrendChart
          layout={layout}
          width={width}
          format={(value) => metric.format(value).replace(".0", "")}
          label={`${metric.name}, a point a window; arrow keys tell its value, Enter opens it. The table below has all values.`}
          pointed={current?.point ?? null}
          onPoint={(point, series) => setPointed({ point, series })}
          onOpen={(point, series) => open(all[series]?.run ?? "", point.row)}
        />
      )}
      <p class="s12 t2" role="status">
        {current === undefined ? "" : tell(current)}
      </p>
    </div>
  );
}

function describe({ row, value }: TrendPoint, metric: Metric, run?: string): string {
  const step = row.figures?.first_step;
  const from = step == null ? "" : `, from step ${formatCount(step)}`;
  return `${run === undefined ? "" : `${run || "."}, `}Window ${formatCount(row.number)}${from}: ${lowered(metric.name)} ${metric.format(value)}`;
}

/** Within a sentence; a name such as GPU stays one. */
function lowered(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function WindowsTable({ all, metrics }: { all: readonly NamedTrend[]; metrics: readonly Metric[] }) {
  const rows = all.flatMap(({ run, view }) => view.rows.map((row) => ({ run, row })));
  const commits = rows.some(({ row }) => row.figures?.git_commit != null);
  return (
    <div class="scroll-x">
      <table class="dense windows" aria-labelledby="windows">
        <thead>
          <tr>
            {all.length > 1 && <th scope="col">Run</th>}
            <th scope="col">Window</th>
            <NumberHead>First step</NumberHead>
            {metrics.map(({ key, name }) => (
              <th key={key} scope="col" class="num">
                {name}
              </th>
            ))}
            {commits && <th scope="col">Commit</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ run, row }) => (
            <tr key={`${run}\n${row.window}`}>
              {all.length > 1 && (
                <td>
                  <bdi>{run || "."}</bdi>
                </td>
              )}
              <td>
                <button class="link" type="button" title={row.window} onClick={() => open(run, row)}>
                  {formatCount(row.number)}
                </button>
              </td>
              <Figures row={row} metrics={metrics} commits={commits} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Figures({ row, metrics, commits }: { row: SeriesRow; metrics: readonly Metric[]; commits: boolean }) {
  const { figures } = row;
  if (figures === null) {
    return (
      <td colSpan={metrics.length + (commits ? 2 : 1)} class="t3 anywhere">
        {row.state === "reading" ? "being read" : row.problem}
      </td>
    );
  }
  return (
    <>
      <td class="num">{figures.first_step === null ? "—" : formatCount(figures.first_step)}</td>
      {metrics.map(({ key, of, format }) => {
        const value = of(figures);
        return (
          <td key={key} class="num">
            {value === null ? NOT_RECORDED : format(value)}
          </td>
        );
      })}
      {commits && <td class="mono">{figures.git_commit === null ? "—" : formatCommit(figures.git_commit)}</td>}
    </>
  );
}

/** Another run takes the place of the one beside which it stood. */
function open(run: string, row: SeriesRow): void {
  visitWindow({ run, worker: row.worker, window: row.window });
  adjust({ view: "overview", beside: [] });
}
