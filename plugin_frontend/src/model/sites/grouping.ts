// The groups of the list of sites: by what to do about them, or by where or when they are.

import type { SiteRow, SourceView } from "../../api/types.ts";
import { formatLocation, LINE_NOT_RECORDED } from "../../format/place.ts";
import { groupSites, type SortKey, sortSites } from "./sorting.ts";

export const GROUPINGS = ["action", "line", "operator", "library", "step"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface SiteGroup {
  title: string;
  /** In a step a site has the count and the wait of that step. */
  sites: SiteRow[];
}

interface Order {
  sort: SortKey;
  descending: boolean;
}

/** The groups that hold something, those with the first rows first; steps in their own order. */
export function groupsOf(
  grouping: Grouping,
  sites: readonly SiteRow[],
  planned: { has: (site: number) => boolean },
  steps: readonly string[],
  { sort, descending }: Order,
): SiteGroup[] {
  if (grouping === "step") return byStep(sites, steps).map((group) => ({ ...group, sites: sortSites(group.sites, sort, descending) }));
  if (grouping === "action") {
    const { planned: inActions, withFindings, others } = groupSites(sites, planned, sort, descending);
    const groups = [
      { title: "Actions", sites: inActions },
      { title: "Other findings", sites: withFindings },
      { title: "Without findings", sites: others },
    ];
    return groups.filter((group) => group.sites.length > 0);
  }
  const found = new Map<string, SiteRow[]>();
  for (const site of sortSites(sites, sort, descending)) {
    const title = TITLES[grouping](site);
    found.set(title, [...(found.get(title) ?? []), site]);
  }
  return [...found].map(([title, mine]) => ({ title, sites: mine }));
}

const TITLES: Record<"line" | "operator" | "library", (site: SiteRow) => string> = {
  line: ({ source }) => (source === null ? LINE_NOT_RECORDED : lineOf(source)),
  // The one that the program called; those it is made of are inside it.
  operator: ({ ops }) => ops.at(-1) ?? "no operator",
  library: ({ source, library }) => (source === null ? LINE_NOT_RECORDED : (library ?? "your own code")),
};

/** Where only the function is known, that stands for its lines. */
function lineOf(source: SourceView): string {
  return source.line === null ? `${source.file}, ${source.function}` : formatLocation(source);
}

function byStep(sites: readonly SiteRow[], steps: readonly string[]): SiteGroup[] {
  const groups = steps.map((title, step) => ({
    title,
    sites: sites.flatMap((site) => part(site, site.per_step[step] ?? 0, site.wait_per_step_us[step] ?? 0)),
  }));
  const outside = sites.flatMap((site) => part(site, site.count - sum(site.per_step), site.wait_us - sum(site.wait_per_step_us)));
  return [...groups, { title: "In no step", sites: outside }].filter((group) => group.sites.length > 0);
}

function part(site: SiteRow, count: number, wait_us: number): SiteRow[] {
  return count > 0 ? [{ ...site, count, wait_us }] : [];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
