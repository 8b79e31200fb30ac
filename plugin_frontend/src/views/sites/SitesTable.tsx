import { useRef } from "preact/hooks";
import type { SiteRow, WindowView } from "../../api/types.ts";
import { tableUnit } from "../../format/duration.ts";
import { bestSaving, hostWait } from "../../model/sites/sorting.ts";
import { place } from "../../state/place.ts";
import { siteGroups, viewSites } from "../../state/sites/sites.ts";
import { NothingFound } from "../../widgets/NothingFound.tsx";
import { useWidth } from "../../widgets/useWidth.ts";
import { Gap, Heads, TableRow } from "./SiteTableRows.tsx";
import { type Column, columnsOf, type TableScale } from "./siteColumns.tsx";
import { listRows } from "./siteRows.ts";
import { useDrawnRows } from "./useDrawnRows.ts";

/** Every site of the window, with findings first; rows far out of sight are not drawn. */
export function SitesTable({ view, pane }: { view: WindowView; pane: () => HTMLElement | null }) {
  const table = useRef<HTMLTableElement>(null);
  const rows = listRows(siteGroups.value);
  const { drawn, above, below } = useDrawnRows(rows, table, pane);
  const { view: name, group } = place.value;
  const columns = columnsOf(name, group, viewSites.value, useWidth(pane));
  const listed = siteGroups.value.flatMap(({ sites }) => sites);
  const scale = scaleOf(view, listed, columns);
  return (
    <>
      <table class="site-table" role="grid" aria-label="Sites" aria-rowcount={rows.length + 1} ref={table}>
        <Heads columns={columns} scale={scale} />
        <tbody>
          <Gap height={above} columns={columns.length} />
          {drawn.map((at) => {
            const row = rows[at];
            return row && <TableRow key={row.key} row={row} at={at} columns={columns} scale={scale} />;
          })}
          <Gap height={below} columns={columns.length} />
        </tbody>
      </table>
      <NothingFound of="site" rows={listed.length} filter={place.value.filter} />
    </>
  );
}

function scaleOf(view: WindowView, sites: readonly SiteRow[], columns: readonly Column[]): TableScale {
  const waits = sites.map((site) => hostWait(site) ?? 0);
  const savings = sites.map((site) => bestSaving(site)?.ceiling_us ?? 0);
  return {
    unit: tableUnit([...waits, ...savings]),
    longest_us: Math.max(...waits, 0),
    largestSaving_us: Math.max(...savings, 0),
    steps: view.steps,
    marksSteps: view.marks_steps,
    showsOps: columns.some((column) => column.key === "ops"),
  };
}
