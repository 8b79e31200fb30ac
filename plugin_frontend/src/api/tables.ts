// The routes of tables of a trace.

import { embedded } from "./embedded.ts";
import { embeddedWindow, fetchJson, findEmbedded, type WindowAddress } from "./routes.ts";
import type { RowDetails, TableAnswer } from "./types.ts";

/** Which table, what makes one row of it, and what is counted. */
export interface TableQuestion {
  table: string;
  by: string;
  scope: string;
}

export function fetchTable(address: WindowAddress, question: TableQuestion, signal: AbortSignal): Promise<TableAnswer> {
  if (embedded === null) return fetchJson<TableAnswer>("table", { ...address, ...question }, signal);
  return embeddedWindow(embedded, address).then(({ tables }) => {
    const view = tables?.[question.table] ?? null;
    return { state: view === null ? "gone" : "ready", view, progress: null, problem: null };
  });
}

/** What is known of a row; a page carries none of it. */
export function fetchRow(address: WindowAddress, question: TableQuestion, row: number, signal: AbortSignal): Promise<RowDetails> {
  return fetchJson<RowDetails>("table_row", { ...address, ...question, row: String(row) }, signal);
}

/** The tables of two windows, row by row. */
export function fetchComparedTable(before: WindowAddress, after: WindowAddress, table: string, signal: AbortSignal): Promise<TableAnswer> {
  const other = { before_run: before.run, before_worker: before.worker, before_window: before.window };
  return fetchJson<TableAnswer>("compared_table", { ...other, ...after, table }, signal);
}

/** Whether there is a table of the window: a page carries those of some. */
export function carriesTables(address: WindowAddress): boolean {
  return embedded === null || findEmbedded(embedded, address)?.tables != null;
}
