// The ranks of a job as a table, and who waits for whom as a matrix, of two ranks and of a thousand.

import type { JobPage, JobRank } from "../../api/types.ts";

export type JobRankKey = "name" | "late" | "wait" | "step" | "computing" | "communication" | "idle";

/** Up to so many all are listed at once. */
export const MOST_LISTED = 24;
/** Of more these many, the first by what the table is sorted by. */
export const LISTED_FIRST = 12;

const FIGURES: Record<Exclude<JobRankKey, "name">, (rank: JobRank) => number | null> = {
  late: (rank) => rank.late_us,
  wait: (rank) => rank.arrival_wait_us,
  step: (rank) => rank.step_us,
  computing: (rank) => rank.computing_us,
  communication: (rank) => rank.communication_exposed_us,
  idle: (rank) => (rank.step_us === null ? null : idleOf(rank)),
};

export function idleOf(rank: JobRank): number {
  return rank.idle.reduce((sum, part) => sum + part.idle_us, 0);
}

/** By a figure the largest first; by name as they come. */
export function sortJobRanks(ranks: readonly JobRank[], key: JobRankKey): JobRank[] {
  if (key === "name") return [...ranks];
  const figure = (rank: JobRank): number => FIGURES[key](rank) ?? Number.NEGATIVE_INFINITY;
  return [...ranks].sort((one, other) => figure(other) - figure(one));
}

export function searchJobRanks(ranks: readonly JobRank[], search: string): JobRank[] {
  const words = search.toLowerCase().split(/\s+/);
  return ranks.filter((rank) => words.every((word) => `${rank.name}\n${rank.worker}`.toLowerCase().includes(word)));
}

/** A few ranks would rather be read in their order, many with those that matter first. */
export function firstKey(ranks: readonly JobRank[]): JobRankKey {
  return ranks.length > MOST_LISTED ? "late" : "name";
}

/** Rows and columns of the matrix: index of a rank, or what stands for several. */
export type Party = number | "nobody" | "others";

interface WaitMatrix {
  rows: readonly Party[];
  columns: readonly Party[];
  /** In us, a step; of `others` in the rows the mean of one of them. */
  cell: (row: Party, column: Party) => number;
  /** How many ranks the row "others" stands for. */
  others: number;
  most: number;
}

const MOST_ROWS = 16;
const MOST_COLUMNS = 10;

/** Those that wait and are waited for longest, the latter as rows as well; the rest together. */
export function waitMatrix({ ranks, waits }: JobPage): WaitMatrix {
  const waiting = new Map<Party, number>(ranks.map((_, at) => [at, 0]));
  const awaited = new Map<Party, number>();
  for (const wait of waits) {
    const column = wait.awaited ?? "nobody";
    waiting.set(wait.waiting, (waiting.get(wait.waiting) ?? 0) + wait.wait_us);
    awaited.set(column, (awaited.get(column) ?? 0) + wait.wait_us);
  }
  const columns = most(awaited, MOST_COLUMNS);
  // The mean of "others" is of those that wait, and a late rank hardly does.
  for (const column of columns) if (typeof column === "number") waiting.set(column, Number.POSITIVE_INFINITY);
  const rows = most(waiting, MOST_ROWS);
  const cells = new Map<string, number>();
  const others = ranks.length - rows.filter((row) => row !== "others").length;
  for (const wait of waits) {
    const column = wait.awaited ?? "nobody";
    const row = rows.includes(wait.waiting) ? wait.waiting : "others";
    const key = `${row} ${columns.includes(column) ? column : "others"}`;
    cells.set(key, (cells.get(key) ?? 0) + wait.wait_us / (row === "others" ? Math.max(others, 1) : 1));
  }
  return { rows, columns, cell: (row, column) => cells.get(`${row} ${column}`) ?? 0, others, most: Math.max(...cells.values(), 0) };
}

/** In their order, "nobody" after the ranks and "others" last. */
function most(totals: ReadonlyMap<Party, number>, count: number): Party[] {
  const largest = [...totals].sort((one, other) => other[1] - one[1]).map(([party]) => party);
  const kept = largest.length <= count ? largest : largest.slice(0, count - 1);
  const place = (party: Party): number => (typeof party === "number" ? party : Number.MAX_SAFE_INTEGER);
  const ordered = [...kept].sort((one, other) => place(one) - place(other));
  return largest.length <= count ? ordered : [...ordered, "others"];
}
