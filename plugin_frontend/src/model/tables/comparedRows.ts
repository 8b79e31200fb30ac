// Rows of two windows side by side, and what those add that have no room.

import type { TableView } from "../../api/types.ts";

export interface ComparedRow {
  name: string;
  /** Shapes or functions that tell it from others of its name. */
  detail: string;
  state: string;
  callsBefore: number;
  callsAfter: number;
  beforeUs: number;
  afterUs: number;
  differenceUs: number;
  /** Of the difference of the windows; null where they take equally long. */
  share: number | null;
}

/** Those that differ most, and one for all others, so that the rows add up to the windows. */
export function comparedRows(view: TableView, most: number): { rows: ComparedRow[]; rest: ComparedRow | null; all: ComparedRow } {
  const rows = Array.from({ length: countOf(view) }, (_, at) => rowAt(view, at));
  const listed = rows.slice(0, most).filter((row) => row.beforeUs !== 0 || row.afterUs !== 0);
  const left = rows.filter((row) => !listed.includes(row));
  return { rows: listed, rest: left.length === 0 ? null : sumOf(left), all: sumOf(rows) };
}

function countOf(view: TableView): number {
  return view.columns.find(({ key }) => key === "state")?.texts?.length ?? 0;
}

function rowAt(view: TableView, at: number): ComparedRow {
  const text = (key: string): string => view.columns.find((column) => column.key === key)?.texts?.[at] ?? "";
  const figure = (key: string): number | null => view.columns.find((column) => column.key === key)?.numbers?.[at] ?? null;
  return {
    name: text("short_name") || text("path") || text("name"),
    detail: text("shapes"),
    state: text("state"),
    callsBefore: figure("calls_before") ?? 0,
    callsAfter: figure("calls_after") ?? 0,
    beforeUs: figure("us_before") ?? 0,
    afterUs: figure("us_after") ?? 0,
    differenceUs: figure("difference_us") ?? 0,
    share: figure("share"),
  };
}

function sumOf(rows: readonly ComparedRow[]): ComparedRow {
  const sum = (of: (row: ComparedRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    name: String(rows.length),
    detail: "",
    state: "",
    callsBefore: sum((row) => row.callsBefore),
    callsAfter: sum((row) => row.callsAfter),
    beforeUs: sum((row) => row.beforeUs),
    afterUs: sum((row) => row.afterUs),
    differenceUs: sum((row) => row.differenceUs),
    share: rows.some((row) => row.share === null) ? null : sum((row) => row.share ?? 0),
  };
}
