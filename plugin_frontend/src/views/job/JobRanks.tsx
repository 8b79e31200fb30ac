import { useState } from "preact/hooks";
import type { JobPage, JobRank } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COMMUNICATING, COMPUTING, COPYING, causeFill, type Fill } from "../../draw/marks/causes.ts";
import { deviceEntries, Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";
import { type DurationUnit, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, NOT_RECORDED, shareOf } from "../../format/number.ts";
import { firstKey, idleOf, type JobRankKey, LISTED_FIRST, MOST_LISTED, searchJobRanks, sortJobRanks } from "../../model/ranks/jobRanks.ts";
import { Card } from "../../widgets/Card.tsx";
import { SortHead } from "../../widgets/SortHead.tsx";
import { RankSearch } from "../series/RankSearch.tsx";
import { RankLink } from "./RankLink.tsx";

/** A row a rank: its step in five parts, how long it waits for others, and by how much others wait for it. */
export function JobRanks({ page }: { page: JobPage }) {
  const { ranks } = page;
  const [sort, setSort] = useState<JobRankKey>(firstKey(ranks));
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const found = searchJobRanks(sortJobRanks(ranks, sort), search);
  const shown = all || found.length <= MOST_LISTED ? found : found.slice(0, LISTED_FIRST);
  return (
    <Card id="job-ranks" title="Ranks" about={`${formatCounted(ranks.length, "rank")}, means of a step`} aside={<RanksLegend page={page} />}>
      {ranks.length > LISTED_FIRST && (
        <RankSearch search={search} left={`${formatCount(found.length)} of ${formatCounted(ranks.length, "rank")}`} onSearch={setSearch} />
      )}
      <RanksTable page={page} rows={shown} sort={sort} onSort={setSort} />
      {shown.length < found.length && (
        <p class="hr in s12 t2">
          {aboutRest(found.slice(shown.length), page)}{" "}
          <button class="btn sm" type="button" onClick={() => setAll(true)}>
            Show all {formatCount(found.length)}
          </button>
        </p>
      )}
    </Card>
  );
}

/** Of a step: a cause with less is too narrow for its pattern to show. */
const LEAST_SHARE = 0.01;

/** What those that are not listed have in common. */
function aboutRest(rest: readonly JobRank[], page: JobPage): string {
  const steps = rest.flatMap((rank) => rank.step_us ?? []);
  const unit = tableUnit(steps);
  const [least, most] = [Math.min(...steps), Math.max(...steps)].map((step) => formatDurationIn(step, unit));
  const between = least === most ? least : `${least} to ${most}`;
  const waiting = rest.reduce((sum, rank) => sum + (rank.arrival_wait_us ?? 0), 0) / Math.max(rest.length, 1);
  const part = formatShare(shareOf(waiting, page.step_us ?? 0));
  const range = steps.length === 0 ? "" : `, with steps of ${between} ${unit}`;
  return `${formatCounted(rest.length, "rank")} more${range}, wait ${part} of a step in the mean.`;
}

function RanksLegend({ page }: { page: JobPage }) {
  // Causes without a pattern of their own share one.
  const byFill = new Map<Fill, Set<string>>();
  for (const rank of page.ranks) {
    for (const part of rank.idle.filter(({ idle_us }) => idle_us >= LEAST_SHARE * (rank.step_us ?? 0))) {
      const fill = causeFill(part.cause);
      byFill.set(fill, (byFill.get(fill) ?? new Set()).add(part.name.toLowerCase()));
    }
  }
  const idle = [...byFill].map(([fill, names]): LegendEntry => [fill, [...names].join(", ")]);
  return (
    <span class="row wrap legends">
      <Legend entries={[...deviceEntries(), ...idle]} />
    </span>
  );
}

interface TableProps {
  page: JobPage;
  rows: readonly JobRank[];
  sort: JobRankKey;
  onSort: (key: JobRankKey) => void;
}

function RanksTable({ page, rows, sort, onSort }: TableProps) {
  const steps = page.ranks.map((rank) => rank.step_us ?? 0);
  const longest = Math.max(...steps, 0);
  const unit = tableUnit(steps);
  const latest = Math.max(...page.ranks.map((rank) => rank.late_us ?? 0), 0);
  const columns: readonly [JobRankKey, string][] = [
    ["step", `Step, ${unit}`],
    ["computing", "Computing"],
    ["communication", "Exposed"],
    ["idle", "Idle"],
    ["wait", "Waits for others"],
    ["late", "Late by"],
  ];
  return (
    <div class="scroll-x">
      <table class="dense job-ranks" aria-labelledby="job-ranks">
        <thead>
          <tr>
            <SortHead text="Rank" isName isSorted={sort === "name"} onSort={() => onSort("name")} />
            <th scope="col">Where its step goes</th>
            {columns.map(([key, text]) => (
              <SortHead key={key} text={text} isName={false} isSorted={key === sort} onSort={() => onSort(key)} />
            ))}
            <th scope="col">
              <span class="sr">Lateness drawn</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((rank) => (
            <RankLine key={rank.worker} rank={rank} unit={unit} longest_us={longest} latest_us={latest} matched={page.matched} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  rank: JobRank;
  unit: DurationUnit;
  longest_us: number;
  latest_us: number;
  matched: number;
}

function RankLine({ rank, unit, longest_us: longest, latest_us: latest, matched }: LineProps) {
  const figure = (value: number | null): string => (value === null ? NOT_RECORDED : formatDurationIn(value, unit));
  return (
    <tr>
      <td class="nw">
        <RankLink rank={rank} />
      </td>
      <td class="strip">
        <Meter parts={partsOf(rank)} most={longest} />
      </td>
      <td class="num b">{figure(rank.step_us)}</td>
      <td class="num">{figure(rank.computing_us)}</td>
      <td class="num">{figure(rank.communication_exposed_us)}</td>
      <td class="num">{rank.step_us === null ? NOT_RECORDED : figure(idleOf(rank))}</td>
      <td class="num">{figure(rank.arrival_wait_us)}</td>
      <td
        class="num b"
        title={rank.latest_in === null ? NOT_RECORDED : `latest in ${formatCount(rank.latest_in)} of ${formatCount(matched)} matched collectives`}
      >
        {rank.late_us === 0 ? "–" : figure(rank.late_us)}
      </td>
      <td class="late-bar">
        <Meter parts={[{ length: rank.late_us ?? 0, fill: { class: "f-text" } }]} most={latest} />
      </td>
    </tr>
  );
}

function partsOf(rank: JobRank) {
  return [
    { length: rank.computing_us ?? 0, fill: COMPUTING },
    { length: rank.communication_exposed_us ?? 0, fill: COMMUNICATING },
    { length: rank.copying_us ?? 0, fill: COPYING },
    ...rank.idle.map((part) => ({ length: part.idle_us, fill: causeFill(part.cause) })),
  ];
}
