// The places that sites have in the fix plan; one site has the same number on every screen.

import type { FindingRow, OverviewView } from "../api/types.ts";

/** By index of the site the number of the first change that it is part of, from 1 on. */
export function planNumbers(overview: OverviewView): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  overview.plan.forEach((row, at) => {
    for (const site of row.finding.sites) if (!numbers.has(site)) numbers.set(site, at + 1);
  });
  return numbers;
}

/** The findings that are about no site, the plan's first. */
export function unplacedFindings({ plan, ceilings, leave }: OverviewView): FindingRow[] {
  return [...plan.map((row) => row.finding), ...ceilings, ...leave].filter((finding) => finding.sites.length === 0);
}
