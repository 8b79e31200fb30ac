// The views of the tab, in the order of their names in the bar and of their keys.

import type { SiteRow } from "../api/types.ts";

export const VIEWS = [
  "fleet",
  "overview",
  "checks",
  "syncs",
  "copies",
  "timeline",
  "source",
  "flame",
  "operators",
  "kernels",
  "modules",
  "memory",
  "communication",
  "job",
  "compare",
  "trends",
] as const;
export type ViewName = (typeof VIEWS)[number];

/** The questions that views answer, in the order of the bar. */
export const GROUPS = ["All runs", "Answer", "Where", "What", "How it changed"] as const;
export type ViewGroup = (typeof GROUPS)[number];

const GROUP_OF: Record<ViewName, ViewGroup> = {
  fleet: "All runs",
  overview: "Answer",
  checks: "Answer",
  syncs: "Where",
  copies: "Where",
  timeline: "Where",
  source: "Where",
  flame: "What",
  operators: "What",
  kernels: "What",
  modules: "What",
  memory: "What",
  communication: "What",
  job: "What",
  compare: "How it changed",
  trends: "How it changed",
};

export function groupOf(view: ViewName): ViewGroup {
  return GROUP_OF[view];
}

interface Extent {
  /** A page that carries its windows has no flame graph, and can't have any two of them compared. */
  hasServer: boolean;
  /** A page carries a step of the newest windows only. */
  hasTimeline: boolean;
  /** A page carries tables of the newest windows only. */
  hasTables: boolean;
  /** Of the shown run. */
  workers: number;
  /** Of the shown worker. */
  windows: number;
  /** Of all runs. */
  allWindows: number;
  runs: number;
}

/** The views that have something to show: the timeline and the flame graph draw a trace, others put several of something side by side. */
export function viewsFor({ hasServer, hasTimeline, hasTables, workers, windows, allWindows, runs }: Extent): ViewName[] {
  const possible: Partial<Record<ViewName, boolean>> = {
    fleet: hasServer && runs > 1,
    timeline: hasTimeline,
    flame: hasServer,
    operators: hasTables,
    kernels: hasTables,
    modules: hasServer,
    memory: hasServer,
    job: hasServer || workers > 1,
    trends: windows > 1,
    compare: hasServer && allWindows > 1,
  };
  return VIEWS.filter((view) => possible[view] ?? true);
}

/** The sites that a view lists: those that wait, or those that copy; some do both. */
export function sitesOf(view: ViewName, sites: readonly SiteRow[]): SiteRow[] {
  return sites.filter((site) => (view === "copies" ? site.direction !== "" : site.blocking > 0));
}
