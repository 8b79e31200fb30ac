// The lines of the table: its groups' titles between the sites.

import type { SiteRow } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import type { SiteGroup } from "../../model/sites/grouping.ts";
import { hostWait } from "../../model/sites/sorting.ts";

export type ListRow =
  | { kind: "group"; key: string; title: string; detail: string }
  /** `first` is the row that the keyboard reaches before any is selected. */
  | { kind: "site"; key: string; site: SiteRow; first: boolean };

export function listRows(groups: readonly SiteGroup[]): ListRow[] {
  return groups.flatMap(({ title, sites }, at) => [
    { kind: "group", key: title, title, detail: detailOf(sites) },
    ...sites.map((site, row): ListRow => ({ kind: "site", key: `${title}\n${site.index}`, site, first: at === 0 && row === 0 })),
  ]);
}

function detailOf(sites: readonly SiteRow[]): string {
  const waits = sites.map(hostWait).filter((wait) => wait !== null);
  const waited = waits.length === 0 ? "does not wait" : `waits ${formatDuration(waits.reduce((sum, wait) => sum + wait, 0))}`;
  return `${formatCounted(sites.length, "site")}, the host ${waited}`;
}
