// Which rows of the table are drawn, and how the current one stays in sight.

import { useEffect } from "preact/hooks";
import { currentSite } from "../../state/sites/sites.ts";
import { type TableReference, useRowsOffset } from "../../widgets/scrolling/useRowsOffset.ts";
import { useVirtualRows } from "../../widgets/scrolling/useVirtualRows.ts";
import type { ListRow } from "./siteRows.ts";

const SITE_HEIGHT = 49;
const GROUP_HEIGHT = 29;
/** Up to here every row is drawn, so that the browser's own search finds all of them. */
const ALWAYS_DRAWN = 100;

interface DrawnRows {
  /** Places of the drawn rows among all. */
  drawn: number[];
  /** Heights of what is not drawn, in CSS px. */
  above: number;
  below: number;
}

/** The rows near what is in sight of `pane`; all of them while they are few. */
export function useDrawnRows(rows: readonly ListRow[], table: TableReference, pane: () => HTMLElement | null): DrawnRows {
  const offset = useRowsOffset(table, pane);
  const virtual = useVirtualRows({
    count: rows.length,
    rowHeight: (at) => (rows[at]?.kind === "group" ? GROUP_HEIGHT : SITE_HEIGHT),
    scroller: pane,
    offset,
  });
  const isVirtual = rows.length > ALWAYS_DRAWN;
  useCurrentInSight(table, rows, (at) => virtual.scrollToIndex(at, { align: "center" }));
  if (!isVirtual) return { drawn: rows.map((_, at) => at), above: 0, below: 0 };
  const items = virtual.getVirtualItems();
  return {
    drawn: items.map((item) => item.index),
    above: (items[0]?.start ?? offset) - offset,
    below: virtual.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset),
  };
}

/** The keys can move to a row out of sight: it is scrolled to, and takes the focus that a row had. */
function useCurrentInSight(table: TableReference, rows: readonly ListRow[], scrollTo: (at: number) => void): void {
  useEffect(() => {
    const index = currentSite.value;
    if (index === null) return;
    const mine = `tr[data-site="${index}"]`;
    // A site that is in several groups has a row in each: the one that was clicked has the focus.
    const row = document.activeElement?.closest<HTMLElement>(mine) ?? table.current?.querySelector<HTMLElement>(mine);
    if (row == null) {
      const at = rows.findIndex((listed) => listed.kind === "site" && listed.site.index === index);
      if (at >= 0) scrollTo(at);
      return;
    }
    row.scrollIntoView({ block: "nearest" });
    if (document.activeElement?.closest("tr[data-site]") != null) row.focus({ preventScroll: true });
  }, [currentSite.value]);
}
