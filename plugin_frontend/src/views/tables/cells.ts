// Cells of a table of the trace, as text.

import type { TableColumn } from "../../api/types.ts";
import { type DurationUnit, differenceUnit, formatFineDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatMean, formatShare } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";

const NONE = "—";

export interface ShownColumn {
  column: TableColumn;
  /** Of times, one for the whole column. */
  unit: DurationUnit;
}

/** Of one call: short ones are told apart by parts of a microsecond. */
const OF_A_CALL = /_(mean|median|p90)_us$|^(mean|min|max)_us$/;
const MOST_MICROSECONDS = 100_000;

/** Sums of some milliseconds are in milliseconds where those beside them are. */
export function withUnits(columns: readonly TableColumn[]): ShownColumn[] {
  const alone = columns.map(withUnit);
  if (!alone.some(({ column, unit }) => column.kind === "us" && unit !== "µs")) return alone;
  return alone.map(({ column, unit }) => {
    const longest = longestOf(column);
    return { column, unit: isFine(column, longest) ? unit : tableUnit([longest]) };
  });
}

export function withUnit(column: TableColumn): ShownColumn {
  const longest = longestOf(column);
  return { column, unit: isFine(column, longest) ? "µs" : differenceUnit([longest]) };
}

function longestOf({ kind, numbers }: TableColumn): number {
  let longest = 0;
  if (kind === "us") for (const value of numbers ?? []) longest = Math.max(longest, value ?? 0);
  return longest;
}

function isFine({ key }: TableColumn, longest: number): boolean {
  return OF_A_CALL.test(key) && longest < MOST_MICROSECONDS;
}

export function headOf({ column, unit }: ShownColumn): string {
  return column.kind === "us" ? `${column.head}, ${unit}` : column.head;
}

export function cellText({ column, unit }: ShownColumn, row: number): string {
  if (column.texts !== null) return column.texts[row] ?? NONE;
  const value = column.numbers?.[row] ?? null;
  if (value === null) return NONE;
  switch (column.kind) {
    case "us":
      return formatFineDurationIn(value, unit);
    case "share":
      return formatShare(value);
    case "bytes":
      return formatSize(value);
    case "flag":
      return value === 1 ? "yes" : "no";
    case "count":
      return formatCount(value);
    default:
      return formatMean(value);
  }
}
