// Cells of a table of the trace, as text.

import type { TableColumn } from "../../api/types.ts";
import { type DurationUnit, differenceUnit, formatFineDurationIn } from "../../format/duration.ts";
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

export function withUnit(column: TableColumn): ShownColumn {
  let longest = 0;
  if (column.kind === "us") for (const value of column.numbers ?? []) longest = Math.max(longest, value ?? 0);
  const isFine = OF_A_CALL.test(column.key) && longest < MOST_MICROSECONDS;
  return { column, unit: isFine ? "µs" : differenceUnit([longest]) };
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
