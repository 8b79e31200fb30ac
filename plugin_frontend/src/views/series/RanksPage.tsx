import { useState } from "preact/hooks";
import type { RanksView, SeriesRow, WindowFigures } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COMMUNICATING, COMPUTING, causeFill } from "../../draw/marks/causes.ts";
import { type DurationUnit, formatDuration, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted, formatMean, formatShare, NOT_RECORDED } from "../../format/number.ts";
import { type RankKey, remarksOf, searchRanks, sortRanks } from "../../model/ranks/rankSorting.ts";
import { visit } from "../../state/place.ts";
import { visitWindow } from "../../state/runs/runs.ts";
import { ranks, ranksFrom } from "../../state/runs/series.ts";
import { Card } from "../../widgets/Card.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { SortHead } from "../../widgets/SortHead.tsx";
import { RankPages } from "./RankPages.tsx";
import { RankSearch } from "./RankSearch.tsx";
import { SeriesHead, SeriesPage } from "./SeriesPage.tsx";

/** All ranks of a run side by side: step, idle, waits, lag; `about` says why nothing is said of them together. */
export function RanksPage({ about }: { about: string }) {
  return (
    <SeriesPage answer={ranks.value}>
      {(view: RanksView) => (
        <>
          <SeriesHead verdict={view.verdict} detail={view.detail} />
          {about !== "" && <p class="t2 anywhere">{about}</p>}
          {[view.damaged, view.missing]
            .filter((sentence) => sentence !== "")
            .map((sentence) => (
              <div key={sentence} class="note small">
                <Icon name="warning" tone="i-warn" />
                <div>
                  <p>{sentence}</p>
                </div>
              </div>
            ))}
          <Rows view={view} kind={view.rows.every((row) => row.rank !== null) ? RANK : WORKER} />
        </>
      )}
    </SeriesPage>
  );
}

interface Kind {
  singular: string;
  title: string;
  nameOf: (row: SeriesRow) => string;
}

const RANK: Kind = { singular: "rank", title: "Rank", nameOf: (row) => String(row.rank) };
/** What all are called where one of them tells no rank. */
const WORKER: Kind = { singular: "worker", title: "Worker", nameOf: (row) => row.worker };

function Rows({ view, kind }: { view: RanksView; kind: Kind }) {
  return (
    <Card id="ranks" title={`${kind.title}s`} about={`${formatCounted(view.total, kind.singular)}, means of a steady step`}>
      <RankPages view={view} first={ranksFrom.value} />
      <RanksTable rows={view.rows} kind={kind} />
    </Card>
  );
}

interface Scale {
  stepUnit: DurationUnit;
  waitUnit: DurationUnit;
  step: number;
  /** Whether any rank was exposed to it: else it has no column. */
  communicates: boolean;
  /** That of a step where none is longer: a wait of nothing has an empty bar. */
  wait: number;
}

function RanksTable({ rows, kind }: { rows: readonly SeriesRow[]; kind: Kind }) {
  const known = rows.flatMap((row) => row.figures ?? []);
  const steps = known.map((figures) => figures.step_us ?? 0);
  const waits = known.map((figures) => figures.wait_us);
  const scale = {
    stepUnit: tableUnit(steps),
    waitUnit: tableUnit(waits),
    step: Math.max(...steps, 0),
    communicates: known.some((figures) => figures.communication_us),
    wait: Math.max(...steps, ...waits, 0),
  };
  const [sort, setSort] = useState<RankKey>("name");
  const [search, setSearch] = useState("");
  const found = searchRanks(sortRanks(rows, sort), search);
  const remarks = remarksOf(rows);
  const head = (key: RankKey, text: string) => <SortHead text={text} isName={key === "name"} isSorted={key === sort} onSort={() => setSort(key)} />;
  return (
    <>
      <RankSearch search={search} left={`${formatCount(found.length)} of ${formatCounted(rows.length, kind.singular)}`} onSearch={setSearch} />
      <table class="series-table" aria-labelledby="ranks">
        <thead>
          <tr>
            {head("name", kind.title)}
            {head("step", `Step, ${scale.stepUnit}`)}
            <th scope="col">
              <span class="sr">Step drawn</span>
            </th>
            {scale.communicates && head("communication", `Communication, ${scale.stepUnit}`)}
            {head("idle", "GPU idle")}
            <th scope="col">
              <span class="sr">Idle drawn</span>
            </th>
            {head("wait", `Host waits, ${scale.waitUnit}`)}
            <th scope="col">
              <span class="sr">Waits drawn</span>
            </th>
            {head("syncs", "Syncs")}
            {head("lag", "GPU behind by")}
          </tr>
        </thead>
        <tbody>
          {found.map((row) => (
            <RankLine key={row.worker} row={row} name={kind.nameOf(row)} remark={remarks.get(row.worker) ?? ""} scale={scale} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function RankLine({ row, name, remark, scale }: { row: SeriesRow; name: string; remark: string; scale: Scale }) {
  return (
    <tr>
      <td>
        <button class="link" type="button" title={row.worker} onClick={() => open(row)}>
          <bdi>{name}</bdi>
        </button>
        {remark !== "" && <span class="s12 t3 nw">{remark}</span>}
      </td>
      {row.figures === null ? (
        <td colSpan={9} class="t3 anywhere">
          {row.state === "reading" ? "being read" : row.problem}
        </td>
      ) : (
        <Figures figures={row.figures} scale={scale} />
      )}
    </tr>
  );
}

function Figures({ figures, scale }: { figures: WindowFigures; scale: Scale }) {
  const { step_us: step, communication_us: communication, idle_share: idle, wait_us: wait } = figures;
  return (
    <>
      <td class="num b">{step === null ? NOT_RECORDED : formatDurationIn(step, scale.stepUnit)}</td>
      <td>
        <Meter parts={[{ length: step ?? 0, fill: COMPUTING }]} most={scale.step} />
      </td>
      {scale.communicates && <td class="num">{communication === null ? NOT_RECORDED : formatDurationIn(communication, scale.stepUnit)}</td>}
      <td class="num b">{formatShare(idle)}</td>
      <td>
        <Meter
          parts={[
            { length: communication ?? 0, fill: COMMUNICATING },
            ...figures.causes.map((cause) => ({ length: cause.idle_us, fill: causeFill(cause.cause) })),
          ]}
          most={step ?? 0}
        />
      </td>
      <td class="num">{formatDurationIn(wait, scale.waitUnit)}</td>
      <td>
        <Meter parts={[{ length: wait, fill: { class: "f-compute2" } }]} most={scale.wait} />
      </td>
      <td class="num">{formatMean(figures.sync_points)}</td>
      <td class="num">{formatDuration(figures.gpu_lag_us)}</td>
    </>
  );
}

function open(row: SeriesRow): void {
  visitWindow({ worker: row.worker, window: row.window });
  visit({ view: "overview" });
}
