// The views of the tab, in the order of their names in the bar and of their keys.

import type { SiteRow } from "../api/types.ts";

export const VIEWS = ["overview", "syncs", "copies", "ranks", "trends"] as const;
export type ViewName = (typeof VIEWS)[number];

/** The views that have something to show: ranks need several workers, trends several windows. */
export function viewsFor(workers: number, windows: number): ViewName[] {
  return VIEWS.filter((view) => (view === "ranks" ? workers > 1 : view === "trends" ? windows > 1 : true));
}

/** The sites that a view lists: those that wait, or those that copy; some do both. */
export function sitesOf(view: ViewName, sites: readonly SiteRow[]): SiteRow[] {
  return sites.filter((site) => (view === "copies" ? site.direction !== "" : site.blocking > 0));
}
