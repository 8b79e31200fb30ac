// The order of the ranks' table.

import type { SeriesRow, WindowFigures } from "../api/types.ts";

export type RankKey = "name" | "step" | "idle" | "wait" | "syncs" | "lag";

const FIGURES: Record<Exclude<RankKey, "name">, (figures: WindowFigures) => number | null> = {
  step: (figures) => figures.step_us,
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
