import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SiteRow, WindowView } from "../../api/types.ts";
import { tableUnit } from "../../format/duration.ts";
import { tableSizeUnit } from "../../format/size.ts";
import { bestSaving } from "../../model/sorting.ts";
import { place } from "../../state/place.ts";
import { currentSite, siteGroups, sortBy, visitSite } from "../../state/sites.ts";
import { useVirtualRows } from "../../widgets/useVirtualRows.ts";
import { useWidth } from "../../widgets/useWidth.ts";
import { columnsOf, type Column, type TableScale } from "./siteColumns.tsx";
import { listRows, type ListRow } from "./siteRows.ts";

const SITE_HEIGHT = 49;
const GROUP_HEIGHT = 29;
/** Up to here every row is drawn, so that the browser's own search finds all of them. */
const DRAWN_ROWS = 100;

/** Every site of the window, with findings first; rows beyond sight are not drawn. */
export function SitesTable({ view, pane }: { view: WindowView; pane: () => HTMLElement | null }) {
  const table = useRef<HTMLTableElement>(null);
  const rows = listRows(siteGroups.value);
  const offset = useOffset(table, pane);
  const virtual = useVirtualRows({
    count: rows.length,
    rowHeight: (at) => (rows[at]?.kind === "group" ? GROUP_HEIGHT : SITE_HEIGHT),
    scroller: pane,
    offset,
  });
  const isVirtual = rows.length > DRAWN_ROWS;
  useKeepCurrentInSight(table, rows, (at) => isVirtual && virtual.scrollToIndex(at));

  const columns = columnsOf(view.sites, useWidth(pane));
  const scale = scaleOf(view, columns);
  const items = isVirtual ? virtual.getVirtualItems() : [];
  const drawn = isVirtual ? items.map((item) => item.index) : rows.map((_, at) => at);
  const above = (items[0]?.start ?? offset) - offset;
  const below = isVirtual ? virtual.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset) : 0;
  return (
    <table class="site-table" role="grid" aria-label="Sites" aria-rowcount={rows.length + 1} ref={table}>
      <Heads columns={columns} scale={scale} />
      <tbody>
        <Gap height={above} columns={columns.length} />
        {drawn.map((at) => (
          <ListedRow key={rowKey(rows[at])} row={rows[at]} at={at} columns={columns} scale={scale} />
        ))}
        <Gap height={below} columns={columns.length} />
      </tbody>
    </table>
  );
}

function Heads({ columns, scale }: { columns: readonly Column[]; scale: TableScale }) {
  const { sort, descending } = place.value;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, head, className }) => (
          <th key={key} class={className} scope="col" aria-sort={key !== sort ? "none" : descending ? "descending" : "ascending"}>
            <button type="button" onClick={() => sortBy(key)}>
              {head(scale)}
              <span aria-hidden="true">{key !== sort ? "" : descending ? "↓" : "↑"}</span>
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface ListedRowProps {
  row: ListRow | undefined;
  at: number;
  columns: readonly Column[];
  scale: TableScale;
}

function ListedRow({ row, at, columns, scale }: ListedRowProps) {
  if (row === undefined) return null;
  if (row.kind === "group") {
    return (
      <tr class="grp" aria-rowindex={at + 2}>
        <td colSpan={columns.length}>
          <b>{row.title}</b> · {row.detail}
        </td>
      </tr>
    );
  }
  const { site } = row;
  const isCurrent = currentSite.value === site.index;
  return (
    <tr
      aria-rowindex={at + 2}
      aria-selected={isCurrent}
      tabIndex={isCurrent || (currentSite.value === null && row.first) ? 0 : -1}
      data-site={site.index}
      onClick={() => visitSite(site.index)}
    >
      {columns.map(({ key, className, cell }) => (
        <td key={key} class={className}>
          {cell(site, scale)}
        </td>
      ))}
    </tr>
  );
}

/** The height of the rows that are not drawn. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function rowKey(row: ListRow | undefined): string {
  return row === undefined ? "" : row.kind === "group" ? row.title : String(row.site.index);
}

function scaleOf(view: WindowView, columns: readonly Column[]): TableScale {
  const waits = view.sites.map((site: SiteRow) => site.wait_us);
  const savings = view.sites.map((site) => bestSaving(site)?.ceiling_us ?? 0);
  return {
    unit: tableUnit([...waits, ...savings]),
    sizeUnit: tableSizeUnit(view.sites.map((site) => site.bytes)),
    longest_us: Math.max(...waits, 0),
    largestSaving_us: Math.max(...savings, 0),
    steps: view.steps,
    showsOps: columns.some((column) => column.key === "ops"),
  };
}

/** How far below the pane's top the first row starts; what is above it can change its height. */
function useOffset(table: { current: HTMLTableElement | null }, pane: () => HTMLElement | null): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const body = table.current?.tBodies[0];
    const scroller = pane();
    if (body === undefined || scroller === null) return;
    const measure = (): void => {
      setOffset(body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop);
    };
    const observer = new ResizeObserver(measure);
    for (const child of scroller.children) observer.observe(child);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }, []);
  return offset;
}

/** The keys can move to a row out of sight: it is scrolled to, and takes the focus that a row had. */
function useKeepCurrentInSight(
  table: { current: HTMLTableElement | null },
  rows: readonly ListRow[],
  scrollTo: (at: number) => void,
): void {
  useEffect(() => {
    const index = currentSite.value;
    if (index === null) return;
    const at = rows.findIndex((row) => row.kind === "site" && row.site.index === index);
    if (at >= 0) scrollTo(at);
    const row = table.current?.querySelector<HTMLElement>(`tr[data-site="${index}"]`);
    row?.scrollIntoView({ block: "nearest" });
    if (document.activeElement?.closest("tr[data-site]") != null) row?.focus({ preventScroll: true });
  }, [currentSite.value]);
}
