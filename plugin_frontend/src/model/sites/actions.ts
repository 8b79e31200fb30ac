// The numbers that sites have in the list of actions; one site has the same number on every screen.

import type { ActionRow, FindingRow, OverviewView } from "../../api/types.ts";

/** By index of the site the number of the first action that it is part of, from 1 on. */
export function actionNumbers(overview: OverviewView): ReadonlyMap<number, number> {
  const numbers = new Map<number, number>();
  overview.actions.forEach((row, at) => {
    const sites = findingsOf(row).flatMap((finding) => finding.sites);
    for (const site of sites) if (!numbers.has(site)) numbers.set(site, at + 1);
  });
  return numbers;
}

/** All that it is about, and what wins back the same time in another way. */
function findingsOf({ finding, others, ways }: ActionRow): FindingRow[] {
  return [finding, ...others, ...ways.flatMap((way) => way.findings)];
}

/** The findings that are about no site, those of actions first. */
export function unplacedFindings({ actions, unknown, leave }: OverviewView): FindingRow[] {
  return [...actions.flatMap(findingsOf), ...unknown, ...leave].filter((finding) => finding.sites.length === 0);
}
