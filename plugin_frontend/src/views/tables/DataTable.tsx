import { Component } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { TableView } from "../../api/types.ts";
import { columnWidth, shownColumns, widthOf } from "../../model/tables/table.ts";
import { place } from "../../state/place.ts";
import { currentRow, listed, moveRow, openRow, rankBy, ranking } from "../../state/tables/tables.ts";
import { NothingFound } from "../../widgets/NothingFound.tsx";
import { useEqualRows } from "../../widgets/scrolling/useEqualRows.ts";
import { useRowsOffset } from "../../widgets/scrolling/useRowsOffset.ts";
import { useWidth } from "../../widgets/useWidth.ts";
import { cellText, headOf, type ShownColumn, withUnits } from "./cells.ts";

const ROW_HEIGHT = 29;
/** More than are ever drawn: rows that come take the elements of those that go, wherever one scrolls to. */
const ELEMENTS = 128;
/** The tools and the heads that stay above the rows. */
const STICKY_HEIGHT = 76;

/** The rows that are in sight, of however many. */
export function DataTable({ view, pane, label }: { view: TableView; pane: () => HTMLElement | null; label: string }) {
  const table = useRef<HTMLTableElement>(null);
  const width = useWidth(pane);
  const chosen = place.value.columns;
  const columns = useMemo(() => shownColumns(view, chosen, width), [view, chosen, width]);
  const shown = useMemo(() => withUnits(columns), [columns]);
  const rows = listed.value;
  const offset = useRowsOffset(table, pane);
  const { first, end } = useEqualRows({ count: rows.length, height: ROW_HEIGHT, scroller: pane, offset });
  useCurrentInSight(pane, offset, rows);
  const current = currentRow.value;
  const drawn = rows.subarray(first, end);
  const focusable = current !== null && drawn.includes(current) ? current : (drawn[0] ?? null);
  return (
    <>
      <table
        class="site-table data-table"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        ref={table}
        style={{ minWidth: `${widthOf(columns)}px` }}
        onKeyDown={pressed}
      >
        <Heads shown={shown} />
        <tbody>
          <Gap height={first * ROW_HEIGHT} columns={shown.length} />
          {Array.from(drawn, (row, at) => (
            <Row key={(first + at) % ELEMENTS} row={row} at={first + at} shown={shown} isCurrent={row === current} isFocusable={row === focusable} />
          ))}
          <Gap height={(rows.length - end) * ROW_HEIGHT} columns={shown.length} />
        </tbody>
      </table>
      <NothingFound of="row" rows={rows.length} filter={place.value.filter} />
    </>
  );
}

const MOVES: Record<string, () => void> = { ArrowDown: () => moveRow(1), ArrowUp: () => moveRow(-1) };

function pressed(event: KeyboardEvent): void {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>("tr[data-row]") : null;
  if (row === null) return;
  const act = event.key === "Enter" ? () => openRow(Number(row.dataset.row)) : MOVES[event.key];
  if (act === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/** The keys can move to a row out of sight: it is scrolled to, and takes the focus that a row had. */
function useCurrentInSight(pane: () => HTMLElement | null, offset: number, rows: Uint32Array): void {
  const current = currentRow.value;
  useEffect(() => {
    const scroller = pane();
    const at = current === null ? -1 : rows.indexOf(current);
    if (scroller === null || at < 0) return;
    const top = offset + at * ROW_HEIGHT;
    const least = top + ROW_HEIGHT - scroller.clientHeight;
    if (top - STICKY_HEIGHT < scroller.scrollTop) scroller.scrollTop = top - STICKY_HEIGHT;
    else if (least > scroller.scrollTop) scroller.scrollTop = least;
    if (document.activeElement?.closest("tr[data-row]") == null) return;
    // Drawn with the scrolling, if it was not before.
    requestAnimationFrame(() => scroller.querySelector<HTMLElement>(`tr[data-row="${current}"]`)?.focus({ preventScroll: true }));
  }, [current]);
}

function Heads({ shown }: { shown: readonly ShownColumn[] }) {
  const now = ranking.value;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {shown.map((one, at) => {
          const { column } = one;
          const isRanked = now?.key === column.key;
          return (
            <th
              key={column.key}
              scope="col"
              class={column.kind === "text" ? "" : "num"}
              style={at === 0 ? {} : { width: `${columnWidth(column)}px` }}
              aria-sort={!isRanked ? "none" : now.descending ? "descending" : "ascending"}
            >
              <button type="button" title={column.about} onClick={() => rankBy(column)}>
                {headOf(one)}
                {isRanked && <span aria-hidden="true">{now.descending ? "↓" : "↑"}</span>}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface RowProps {
  row: number;
  /** Its place in the list. */
  at: number;
  shown: readonly ShownColumn[];
  isCurrent: boolean;
  isFocusable: boolean;
}

/** Scrolling draws those anew that show another row; for all of them a frame would be too short. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const now = this.props;
    return next.row !== now.row || next.at !== now.at || next.shown !== now.shown || next.isCurrent !== now.isCurrent || next.isFocusable !== now.isFocusable;
  }

  override render({ row, at, shown, isCurrent, isFocusable }: RowProps) {
    return (
      // The row of the heads is the first.
      <tr aria-rowindex={at + 2} aria-selected={isCurrent} tabIndex={isFocusable ? 0 : -1} data-row={row} onClick={() => openRow(row)}>
        {shown.map((one) => cellOf(one, row))}
      </tr>
    );
  }
}

function cellOf(one: ShownColumn, row: number) {
  const text = cellText(one, row);
  if (one.column.kind !== "text")
    return (
      <td key={one.column.key} class="num" {...barOf(one, row)}>
        {text}
      </td>
    );
  return (
    <td key={one.column.key} class="mono ell" title={text}>
      <bdi>{text}</bdi>
    </td>
  );
}

/** A share is drawn beside its figure. */
function barOf({ column }: ShownColumn, row: number): { style?: Record<string, string> } {
  if (column.key !== "share") return {};
  const part = Math.min(Math.max(column.numbers?.[row] ?? 0, 0), 1);
  return { style: { backgroundSize: `${100 * part}% 100%` } };
}

/** As high as the rows that are not drawn. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
