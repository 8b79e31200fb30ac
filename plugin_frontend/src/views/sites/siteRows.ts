// The lines of the table: its groups' titles between the sites.

import type { SiteRow } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import type { SiteGroups } from "../../model/sorting.ts";

export type ListRow =
  | { kind: "group"; title: string; detail: string }
  /** `first` is the row that the keyboard reaches before any is selected. */
  | { kind: "site"; site: SiteRow; first: boolean };

export function listRows({ planned, withFindings, others }: SiteGroups): ListRow[] {
  const first = planned[0] ?? withFindings[0] ?? others[0];
  const list = (title: string, sites: readonly SiteRow[]): ListRow[] =>
    sites.length === 0
      ? []
      : [
          { kind: "group", title, detail: formatCounted(sites.length, "site") },
          ...sites.map((site): ListRow => ({ kind: "site", site, first: site === first })),
        ];
  return [...list("Actions", planned), ...list("Other findings", withFindings), ...list("Without findings", others)];
}
