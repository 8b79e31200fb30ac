// The filter box: every word must be somewhere in a site's place, ops, label or rules.

import type { SiteRow } from "../../api/types.ts";
import { formatChain, formatLocation } from "../../format/place.ts";
import { siteLabel } from "./sorting.ts";

export function filterSites(sites: readonly SiteRow[], filter: string): SiteRow[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return sites.filter((site) => {
    const text = searchText(site);
    return words.every((word) => text.includes(word));
  });
}

function searchText(site: SiteRow): string {
  const place = site.source === null ? "" : `${formatLocation(site.source)} ${site.source.function}`;
  const rules = site.findings.flatMap((finding) => [finding.rule, finding.name, finding.title]);
  return [place, formatChain(site.ops), siteLabel(site) ?? "", site.what, ...rules].join("\n").toLowerCase();
}
