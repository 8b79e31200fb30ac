// Windows side by side: asked for while their view is open, and again while any is being read.

import { computed, signal } from "@preact/signals";
import { fetchRanks, fetchTrend } from "../../api/routes.ts";
import type { RanksView, SeriesRow, TrendView } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { standAlone } from "./job.ts";
import { revision, runs, shown } from "./runs.ts";

export interface NamedTrend {
  run: string;
  view: TrendView;
}

const poll = { everyMs: 1_000, unfinished: ({ rows }: { rows: readonly SeriesRow[] }): boolean => rows.some((row) => row.state === "reading") };

export const RANKS_OF_A_PAGE = 256;

const rankPage = signal<{ run: string; first: number } | null>(null);

/** From which place in line on ranks are shown; null: those that stand out. */
export const ranksFrom = computed(() => (rankPage.value?.run === shown.value?.run.run ? (rankPage.value?.first ?? null) : null));

export function showRanksFrom(first: number | null): void {
  rankPage.value = first === null || shown.value === null ? null : { run: shown.value.run.run, first };
}

const askedRanks = computed<string | null>(() =>
  shown.value === null || place.value.view !== "job" || !standAlone.value
    ? null
    : JSON.stringify([shown.value.run.run, shown.value.windowIndex + 1, ranksFrom.value]),
);

/** How many windows there are is part of the question: a new one changes the answer. */
const askedTrends = computed<string | null>(() => {
  if (shown.value === null || runs.value.kind !== "there" || place.value.view !== "trends") return null;
  const { run, worker } = shown.value;
  const others = runs.value.value.runs.filter((row) => row.run !== run.run && place.value.beside.includes(row.run));
  const beside = others.flatMap((row) => row.workers.find(({ rank }) => rank === worker.rank) ?? row.workers[0] ?? []);
  const asked = [worker, ...beside].map((row, at) => [(at === 0 ? run : others[at - 1])?.run ?? "", row.worker, row.windows.length]);
  return JSON.stringify(asked);
});

export const { answer: ranks, start: loadRanks } = ask<RanksView>(
  askedRanks,
  (key, ended) => {
    const [run, number, first] = JSON.parse(key) as [string, number, number | null];
    return fetchRanks(run, number, first, ended);
  },
  { revision, poll: { everyMs: poll.everyMs, unfinished: ({ reading }) => reading > 0 } },
);

/** The trend of the worker that is shown, then of the runs beside it. */
export const { answer: trends, start: loadTrends } = ask<NamedTrend[]>(
  askedTrends,
  (key, signal) => {
    const asked = JSON.parse(key) as [string, string, number][];
    return Promise.all(asked.map(async ([run, worker]) => ({ run, view: await fetchTrend(run, worker, signal) })));
  },
  { revision, poll: { everyMs: poll.everyMs, unfinished: (all) => all.some(({ view }) => poll.unfinished(view)) } },
);
