// The views of the tab, in the order of their names in the bar and of their keys.

import type { SiteRow } from "../api/types.ts";

export const VIEWS = ["overview", "syncs", "copies"] as const;
export type ViewName = (typeof VIEWS)[number];

/** The sites that a view lists: those that wait, or those that copy; some do both. */
export function sitesOf(view: ViewName, sites: readonly SiteRow[]): SiteRow[] {
  return sites.filter((site) => (view === "copies" ? site.direction !== "" : site.blocking > 0));
}
