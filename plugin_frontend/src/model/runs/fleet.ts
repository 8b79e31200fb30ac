// What the list of all runs is asked for, as the address holds it, and where its rows lead.

import type { FleetRow } from "../../api/types.ts";
import { type Place, START } from "../place.ts";
import { parseRanking, printRanking } from "../tables/table.ts";

export const RUNS_OF_A_PAGE = 200;

/** What rows can be sorted by, as it is called, most worth first. */
export const FLEET_SORTS: Record<string, string> = {
  wasted: "Wasted",
  alarm: "Alarm",
  idle: "Idle",
  busy: "Busy",
  communication: "Communication",
  change: "Change",
  gpus: "GPUs",
  watched: "Watched",
  goodput: "Goodput",
  recorded: "Newest",
  run: "Run",
  owner: "Owner",
  commit: "Commit",
};
const DEFAULT_SORT = "wasted";

const BEGIN_LOW = ["run", "owner", "commit", "goodput", "busy"];

/** Whether the first row has the least: names begin with A, and the GPUs that compute least come first. */
export function beginsLow(sort: string): boolean {
  return BEGIN_LOW.includes(sort);
}

/** `sort`, and whether its other end comes first. */
export function fleetSorting(ranked: string | null): { sort: string; isReversed: boolean } {
  const ranking = parseRanking(ranked);
  const sort = ranking !== null && ranking.key in FLEET_SORTS ? ranking.key : DEFAULT_SORT;
  return { sort, isReversed: ranking !== null && !ranking.descending };
}

/** What a click on `sort` leads to: a second one turns round. */
export function sortedBy(sort: string, ranked: string | null): string {
  const now = fleetSorting(ranked);
  return printRanking({ key: sort, descending: sort !== now.sort || now.isReversed });
}

/** The window that a row tells of. */
export function placeOfRun(row: FleetRow): Place {
  return { ...START, run: row.run, worker: row.worker, window: row.window };
}

/** The same with its top line open. */
export function placeOfLine(row: FleetRow): Place {
  const found = row.top_site === null ? { rule: row.top_rule || null } : { site: row.top_site };
  return { ...placeOfRun(row), ...found };
}

/** The window beside the newest one of the run before. */
export function placeOfChange(row: FleetRow): Place {
  return { ...placeOfRun(row), view: "compare", beforeRun: row.before };
}
