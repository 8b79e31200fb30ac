// The routes of tables of a trace.

import { embedded } from "./embedded.ts";
import { embeddedWindow, fetchJson, findEmbedded, type WindowAddress } from "./routes.ts";
import type { RowDetails, TableAnswer, TableColumn } from "./types.ts";

/** Which table, what makes one row of it, and what is counted. */
export interface TableQuestion {
  table: string;
  by: string;
  scope: string;
}

/** `columns` says whether a long table may leave out figures that are not shown at first. */
export async function fetchTable(address: WindowAddress, question: TableQuestion, columns: "first" | "all", signal: AbortSignal): Promise<TableAnswer> {
  if (embedded === null) return inUnits(await fetchJson<TableAnswer>("table", { ...address, ...question, columns }, signal));
  const { tables } = await embeddedWindow(embedded, address);
  const view = tables?.[question.table] ?? null;
  return inUnits({ state: view === null ? "gone" : "ready", view, progress: null, problem: null });
}

/** Figures in what their heads say; they come as whole numbers. */
function inUnits(answer: TableAnswer): TableAnswer {
  return answer.view === null ? answer : { ...answer, view: { ...answer.view, columns: answer.view.columns.map(unscaled) } };
}

function unscaled(column: TableColumn): TableColumn {
  const { numbers, scale } = column;
  if (numbers === null || scale === 1) return column;
  return { ...column, numbers: numbers.map((value) => (value === null ? null : value / scale)), scale: 1 };
}

/** What is known of a row; a page carries none of it. */
export function fetchRow(address: WindowAddress, question: TableQuestion, row: number, signal: AbortSignal): Promise<RowDetails> {
  return fetchJson<RowDetails>("table_row", { ...address, ...question, row: String(row) }, signal);
}

/** The tables of two windows, row by row. */
export function fetchComparedTable(before: WindowAddress, after: WindowAddress, table: string, signal: AbortSignal): Promise<TableAnswer> {
  const other = { before_run: before.run, before_worker: before.worker, before_window: before.window };
  return fetchJson<TableAnswer>("compared_table", { ...other, ...after, table }, signal).then(inUnits);
}

/** Whether there is a table of the window: a page carries those of some. */
export function carriesTables(address: WindowAddress): boolean {
  return embedded === null || findEmbedded(embedded, address)?.tables != null;
}
