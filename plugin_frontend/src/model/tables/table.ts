// A table of a trace: which of its columns are shown, which rows a filter leaves, and in which order.

import type { TableColumn, TableView } from "../../api/types.ts";

interface Ranking {
  /** Of a column. */
  key: string;
  descending: boolean;
}

const UPWARDS = ".up";

/** As the address holds it: `calls`, `calls.up`. */
export function printRanking({ key, descending }: Ranking): string {
  return descending ? key : `${key}${UPWARDS}`;
}

export function parseRanking(text: string | null): Ranking | null {
  if (text === null || text === "") return null;
  return text.endsWith(UPWARDS) ? { key: text.slice(0, -UPWARDS.length), descending: false } : { key: text, descending: true };
}

/** What a click on a column's head leads to: figures begin with the largest, texts with A; a second click turns round. */
export function rankedBy(column: TableColumn, now: Ranking | null): Ranking {
  return { key: column.key, descending: now?.key === column.key ? !now.descending : column.kind !== "text" };
}

/** In CSS px; the first column has what is left. */
const WIDTHS: Record<TableColumn["kind"], number> = { text: 150, count: 76, us: 100, share: 84, number: 104, bytes: 104, flag: 104 };
const WIDE = new Set(["shapes", "source", "region", "called_in"]);
const WIDE_WIDTH = 230;
const LEAST_NAME_WIDTH = 230;

export function columnWidth(column: TableColumn): number {
  return WIDE.has(column.key) ? WIDE_WIDTH : WIDTHS[column.kind];
}

/** Where there is little room, the first ones go first. */
const DROPPED = [
  "host_self_us",
  "launches",
  "cumulative_share",
  "tensor_cores_used",
  "blocks_per_sm",
  "device_total_us",
  "calls",
  "mean_us",
  "wait_us",
  "idle_us",
];

/** The chosen columns; where nobody chose, those that the table begins with and that fit. */
export function shownColumns(view: TableView, chosen: readonly string[] | null, width: number): TableColumn[] {
  if (chosen !== null) return view.columns.filter((column, at) => at === 0 || chosen.includes(column.key));
  let columns = view.columns.filter((column) => column.is_first);
  for (const key of DROPPED) {
    if (widthOf(columns) <= width) break;
    columns = columns.filter((column) => column.key !== key);
  }
  return columns;
}

/** That these columns take at least. */
export function widthOf(columns: readonly TableColumn[]): number {
  return columns.reduce((sum, column, at) => sum + (at === 0 ? LEAST_NAME_WIDTH : columnWidth(column)), 0);
}

/** Whether its figures have not been sent yet. */
export function isLeftOut({ texts, numbers }: TableColumn): boolean {
  return texts === null && numbers === null;
}

/** How many rows were sent. */
export function rowCount(view: TableView): number {
  const [first] = view.columns;
  return (first?.texts ?? first?.numbers ?? []).length;
}

/** All that is written in a row, in small letters; worked out once for a table. */
const searched = new WeakMap<TableView, readonly string[]>();

function textsOf(view: TableView): readonly string[] {
  const known = searched.get(view);
  if (known !== undefined) return known;
  const columns = view.columns.flatMap(({ texts }) => (texts === null ? [] : [texts]));
  const rows = Array.from({ length: rowCount(view) }, (_, at) =>
    columns
      .map((texts) => texts[at] ?? "")
      .join("\n")
      .toLowerCase(),
  );
  searched.set(view, rows);
  return rows;
}

/** Places of the rows that hold every word of the filter, in the order of the ranking; without one, by importance. */
export function listedRows(view: TableView, filter: string, ranking: Ranking | null): Uint32Array {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = Uint32Array.from({ length: rowCount(view) }, (_, at) => at);
  const texts = words.length === 0 ? [] : textsOf(view);
  const rows = words.length === 0 ? all : all.filter((at) => words.every((word) => texts[at]?.includes(word)));
  const column = view.columns.find(({ key }) => key === ranking?.key);
  if (column === undefined || ranking === null) return rows;
  return column.texts === null ? byNumber(rows, column.numbers ?? [], ranking.descending) : byText(rows, column.texts, ranking.descending);
}

/** What is not known comes last; equal ones keep their order. */
function byNumber(rows: Uint32Array, numbers: readonly (number | null)[], descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1;
  const keys = Float64Array.from(numbers, (value) => (value === null ? Number.POSITIVE_INFINITY : sign * value));
  return rows.sort((one, other) => {
    const [a, b] = [keys[one] ?? 0, keys[other] ?? 0];
    return a === b ? one - other : a < b ? -1 : 1;
  });
}

function byText(rows: Uint32Array, texts: readonly (string | null)[], descending: boolean): Uint32Array {
  // Equal names have one number, so that each is compared a few times only.
  const names = [...new Set(texts)].filter((text) => text !== null).sort();
  const numbers = new Map(names.map((text, at) => [text, at]));
  return byNumber(
    rows,
    texts.map((text) => (text === null ? null : (numbers.get(text) ?? null))),
    descending,
  );
}

/** The place of a row `by` rows further down in the list; at its ends it stays. */
export function rowBeside(listed: Uint32Array, row: number | null, by: number): number | null {
  const at = row === null ? -1 : listed.indexOf(row);
  const from = at < 0 && by < 0 ? 0 : at;
  return listed[Math.min(Math.max(from + by, 0), listed.length - 1)] ?? null;
}
