// The rows of the ranks' table: their order, which of them a search leaves, and what is said of them.

import type { SeriesRow, WindowFigures } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatShare } from "../../format/number.ts";

export type RankKey = "name" | "step" | "communication" | "idle" | "wait" | "syncs" | "lag";

const FIGURES: Record<Exclude<RankKey, "name">, (figures: WindowFigures) => number | null> = {
  step: (figures) => figures.step_us,
  communication: (figures) => figures.communication_us,
  idle: (figures) => figures.idle_share,
  wait: (figures) => figures.wait_us,
  syncs: (figures) => figures.sync_points,
  lag: (figures) => figures.gpu_lag_us,
};

/** By a figure the largest first, by name as the server lists them; rows without the figure are last. */
export function sortRanks(rows: readonly SeriesRow[], key: RankKey): SeriesRow[] {
  if (key === "name") return [...rows];
  const figure = (row: SeriesRow): number => (row.figures === null ? null : FIGURES[key](row.figures)) ?? Number.NEGATIVE_INFINITY;
  return [...rows].sort((one, other) => (figure(one) === figure(other) ? 0 : figure(other) - figure(one)));
}

/** Those whose rank or worker holds every word. */
export function searchRanks(rows: readonly SeriesRow[], search: string): SeriesRow[] {
  const words = search.toLowerCase().split(/\s+/);
  return rows.filter((row) => words.every((word) => `${row.rank ?? ""}\n${row.worker}`.toLowerCase().includes(word)));
}

/** Of all with the most of something, as it is written; of none where all are alike. */
export function remarksOf(rows: readonly SeriesRow[]): ReadonlyMap<string, string> {
  const remarks = new Map<string, string>();
  const remark = (text: string, written: (figures: WindowFigures) => string, value: (figures: WindowFigures) => number | null): void => {
    const known = rows.flatMap((row) => (row.figures === null || value(row.figures) === null ? [] : [{ row, figures: row.figures }]));
    const most = known.reduce((best, one) => ((value(one.figures) ?? 0) > (value(best.figures) ?? 0) ? one : best), known[0] as (typeof known)[number]);
    const first = known.filter(({ figures }) => written(figures) === written(most.figures));
    if (first.length === known.length) return;
    for (const { row } of first) remarks.set(row.worker, [remarks.get(row.worker) ?? [], text].flat().join(", "));
  };
  remark("idle most", ({ idle_share: idle }) => formatShare(idle), FIGURES.idle);
  remark("waits longest", ({ wait_us: wait }) => formatDuration(wait), FIGURES.wait);
  return remarks;
}
