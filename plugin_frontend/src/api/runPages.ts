// The runs of a log directory, of which the server sends a page at a time.

import type { RunsView } from "./types.ts";

/** The runs of the first page and those after it as one list; a run that moved meanwhile is there once. */
export function joinedPages(first: RunsView, others: readonly RunsView[]): RunsView {
  const runs = new Map([first, ...others].flatMap((page) => page.runs).map((row) => [row.run, row]));
  return { ...first, newest_run: others.at(-1)?.newest_run ?? first.newest_run, runs: [...runs.values()], next_page: null };
}
