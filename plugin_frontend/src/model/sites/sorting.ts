// The order of sites: by any column, the rows with findings always before the others.

import type { SavingView, SiteRow } from "../../api/types.ts";
import { formatChain, formatLocation } from "../../format/place.ts";
import { savingAmount } from "../../format/saving.ts";

export const SORT_KEYS = [
  "saving",
  "site",
  "ops",
  "label",
  "perStep",
  "count",
  "size",
  "wait",
  "explained",
  "communication",
  "starve",
  "share",
  "speed",
  "memory",
  "nonBlocking",
  "hidden",
] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Lists of sites, each sorted. */
interface SiteGroups {
  planned: SiteRow[];
  withFindings: SiteRow[];
  others: SiteRow[];
}

/** A figure or a text to sort by; null sorts last both up and down. */
type SortValue = number | string | null;

const VALUES: Record<SortKey, (site: SiteRow) => SortValue> = {
  saving: (site) => savingOf(bestSaving(site)),
  site: (site) => (site.source === null ? null : formatLocation(site.source)),
  ops: (site) => (site.ops.length === 0 ? null : formatChain(site.ops)),
  label: siteLabel,
  perStep: meanPerStep,
  count: (site) => site.count,
  size: (site) => site.bytes,
  wait: hostWait,
  explained: explainedShare,
  communication: (site) => site.communication_wait_us,
  starve: (site) => site.starve_us,
  share: (site) => site.share_of_steps,
  speed: (site) => site.bytes_per_s,
  memory: (site) => (site.memory === "" ? null : site.memory),
  nonBlocking: (site) => (site.non_blocking === null ? null : Number(site.non_blocking)),
  hidden: (site) => site.exposed_us,
};

/** By the figure that stands in bold. */
function savingOf(saving: SavingView | null): number | null {
  return saving === null ? null : savingAmount(saving);
}

/** Texts run up at first, figures down: the largest is what one looks for. */
export function startsDescending(key: SortKey): boolean {
  return key !== "site" && key !== "ops" && key !== "label" && key !== "memory";
}

/** `planned` tells which sites are part of an action. */
export function groupSites(sites: readonly SiteRow[], planned: { has: (site: number) => boolean }, key: SortKey, descending: boolean): SiteGroups {
  const sorted = sortSites(sites, key, descending);
  return {
    planned: sorted.filter((site) => planned.has(site.index)),
    withFindings: sorted.filter((site) => !planned.has(site.index) && site.findings.length > 0),
    others: sorted.filter((site) => !planned.has(site.index) && site.findings.length === 0),
  };
}

export function sortSites(sites: readonly SiteRow[], key: SortKey, descending: boolean): SiteRow[] {
  return [...sites].sort((one, other) => compareSites(one, other, key, descending));
}

function compareSites(one: SiteRow, other: SiteRow, key: SortKey, descending: boolean): number {
  const first = VALUES[key](one);
  const second = VALUES[key](other);
  if (first === null || second === null) {
    const missingLast = Number(first === null) - Number(second === null);
    return missingLast || other.wait_us - one.wait_us || one.index - other.index;
  }
  const upward = typeof first === "string" ? first.localeCompare(String(second)) : first - Number(second);
  return (descending ? -upward : upward) || other.wait_us - one.wait_us || one.index - other.index;
}

/**
 * The largest saving among a site's findings; they share its waits, so they do not add up. What it
 * wins only together with others stands for it where there is nothing else.
 */
export function bestSaving(site: SiteRow): SavingView | null {
  const own = site.findings.filter((finding) => finding.sites.length <= 1 && finding.saving !== null);
  return (own.length > 0 ? own : site.findings)
    .map((finding) => finding.saving)
    .reduce((best, saving) => (saving !== null && (best === null || savingAmount(saving) > savingAmount(best)) ? saving : best), null);
}

/** How long its calls hold the host; null where they return without waiting, however long they take. */
export function hostWait(site: SiteRow): number | null {
  return site.blocking > 0 ? site.wait_us : null;
}

/** Mean number of calls a step; null where no step was recorded. */
export function meanPerStep(site: SiteRow): number | null {
  if (site.per_step.length === 0) return null;
  return site.per_step.reduce((sum, count) => sum + count, 0) / site.per_step.length;
}

export function explainedShare(site: SiteRow): number | null {
  return site.wait_us > 0 ? site.explained_us / site.wait_us : null;
}

/** The innermost label, with its module where both are known. */
export function siteLabel(site: SiteRow): string | null {
  const known = [site.label, site.module].filter((name) => name !== null);
  return known.length === 0 ? null : known.join(" · ");
}
