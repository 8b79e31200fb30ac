// The table of the trace that is shown: asked for when its view is opened.

import { computed, signal } from "@preact/signals";
import { embedded } from "../../api/embedded.ts";
import type { WindowAddress } from "../../api/routes.ts";
import { fetchRow, fetchTable, type TableQuestion } from "../../api/tables.ts";
import type { RowDetails, TableAnswer, TableColumn, TableView } from "../../api/types.ts";
import { isLeftOut, listedRows, parseRanking, printRanking, rankedBy, rowBeside } from "../../model/tables/table.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place, visit } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 500;
/** The rows by something else stay so long. */
const PATIENCE_MS = 300;

const BY_NAME = "name";

const question = computed<string | null>(() => {
  const { view, by, scope } = place.value;
  if (shownAddress.value === null || (view !== "operators" && view !== "kernels" && view !== "memory")) return null;
  const asked: TableQuestion = { table: view, by: view === "kernels" ? BY_NAME : (by ?? BY_NAME), scope };
  return JSON.stringify([JSON.parse(shownAddress.value), asked]);
});

const rows = ask<TableAnswer>(question, (key, ended) => fetchTable(...tableAsked(key), "first", ended), {
  revision,
  poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" },
  patienceMs: PATIENCE_MS,
});

export const tableAnswer = rows.answer;

/** A long table comes without the figures that are not shown at first. */
const firstPart = computed<TableView | null>(() => (tableAnswer.value.kind === "there" ? tableAnswer.value.value.view : null));

const wholeAsked = computed<string | null>(() => {
  const { columns, row, ranked } = place.value;
  const wanted = [...(columns ?? []), parseRanking(ranked)?.key];
  const isWanted = firstPart.value?.columns.some((column) => isLeftOut(column) && (row !== null || wanted.includes(column.key)));
  return isWanted === true ? question.value : null;
});

const whole = ask<{ key: string; answer: TableAnswer }>(
  wholeAsked,
  async (key, ended) => ({ key, answer: await fetchTable(...tableAsked(key), "all", ended) }),
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ answer }) => answer.state === "reading" }, patienceMs: PATIENCE_MS, keep: true },
);

export const table = computed<TableView | null>(() => {
  const all = whole.answer.value.kind === "there" && whole.answer.value.value.key === question.value ? whole.answer.value.value.answer.view : null;
  return firstPart.value === null ? null : (all ?? firstPart.value);
});

function tableAsked(key: string): [WindowAddress, TableQuestion] {
  return JSON.parse(key) as [WindowAddress, TableQuestion];
}

export const ranking = computed(() => parseRanking(place.value.ranked));

/** Places of the listed rows, from the top. */
export const listed = computed<Uint32Array>(() => (table.value === null ? new Uint32Array() : listedRows(table.value, place.value.filter, ranking.value)));

/** A page carries the figures of a row, and nothing else of it. */
const detailsAsked = computed<string | null>(() => {
  if (question.value === null || place.value.row === null || embedded !== null || table.value === null) return null;
  return JSON.stringify([...JSON.parse(question.value), place.value.row]);
});

const details = ask<RowDetails>(
  detailsAsked,
  (key, ended) => {
    const [address, asked, row] = JSON.parse(key) as [WindowAddress, TableQuestion, number];
    return fetchRow(address, asked, row, ended);
  },
  { revision, patienceMs: PATIENCE_MS },
);

export const rowDetails = details.answer;

const movedTo = signal<number | null>(null);

/** The row that the keys stand on: the open one, else where they were moved. */
export const currentRow = computed<number | null>(() => place.value.row ?? movedTo.value);

/** Asks for everything while the view is open; gives back what ends it. */
export function loadTable(): () => void {
  const ends = [rows.start(), whole.start(), details.start()];
  movedTo.value = null;
  return () => {
    for (const end of ends) end();
  };
}

export function openRow(row: number): void {
  movedTo.value = row;
  if (place.peek().row === null) visit({ row, site: null, rule: null, health: false });
  else adjust({ row, site: null, rule: null, health: false });
}

/** Moves so many rows down; an open drawer follows. */
export function moveRow(by: number): void {
  const next = rowBeside(listed.peek(), currentRow.peek(), by);
  if (next === null) return;
  movedTo.value = next;
  if (place.peek().row !== null) adjust({ row: next });
}

export function rankBy(column: TableColumn): void {
  adjust({ ranked: printRanking(rankedBy(column, ranking.peek())) });
}

/** What makes one row. */
export function groupBy(by: string): void {
  movedTo.value = null;
  adjust({ by: by === BY_NAME ? null : by, row: null, ranked: null });
}

export function countIn(scope: "steps" | "trace"): void {
  movedTo.value = null;
  adjust({ scope, row: null });
}
