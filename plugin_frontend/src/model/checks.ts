// Which checks stand in which part of the page, and under which family.

import type { CheckRow } from "../api/types.ts";

export interface Family {
  name: string;
  rows: CheckRow[];
}

/** What cost something, what costs nothing here, and what would fail on a GPU, each in the order of the answer: by worth. */
export function failedRows(rows: readonly CheckRow[]): { costly: CheckRow[]; harmless: CheckRow[]; predicted: CheckRow[] } {
  const failed = rows.filter((row) => row.state === "failed");
  return {
    costly: failed.filter((row) => row.severity !== "info"),
    harmless: failed.filter((row) => row.severity === "info"),
    predicted: rows.filter((row) => row.state === "predicted"),
  };
}

/** Those of one state by family, in the order in which the families come. */
export function byFamily(rows: readonly CheckRow[], state: CheckRow["state"]): Family[] {
  const families = new Map<string, CheckRow[]>();
  for (const row of rows) {
    if (row.state === state) families.set(row.family, [...(families.get(row.family) ?? []), row]);
  }
  return [...families].map(([name, members]) => ({ name, rows: members }));
}
