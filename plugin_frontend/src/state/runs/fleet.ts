// All runs: asked for while their view is open, and again while a report or the trace shown is being read.

import { computed, signal } from "@preact/signals";
import { type FleetQuestion, fetchFleet, type TracesOrder } from "../../api/fleet.ts";
import type { FleetView } from "../../api/types.ts";
import { fleetSorting, sortedBy } from "../../model/runs/fleet.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place } from "../place.ts";
import { windowAnswer } from "../windowAnswer.ts";
import { revision, runs, shownAddress } from "./runs.ts";

const POLL_INTERVAL_MS = 1_000;
/** The rows of another order or search stay so long. */
const PATIENCE_MS = 400;

export const fleetQuestion = computed<FleetQuestion>(() => {
  const { filter, ranked, row } = place.value;
  return { search: filter, ...fleetSorting(ranked), first: row ?? 0 };
});

/** What somebody here wants done with unread traces; sent once, with the next question. */
const wanted = signal<{ order: TracesOrder; number: number }>({ order: "", number: 0 });

/** The list of runs is part of the question: another one has another answer. */
const asked = computed<string | null>(() => {
  if (place.value.view !== "fleet" || runs.value.kind !== "there") return null;
  const windows = runs.value.value.runs.map((row) => row.workers.map((worker) => worker.windows.length).join()).join("|");
  return JSON.stringify([fleetQuestion.value, windows, wanted.value.number]);
});

const found = ask<FleetView>(
  asked,
  (key, ended) => {
    const [question] = JSON.parse(key) as [FleetQuestion, string, number];
    const { order } = wanted.peek();
    wanted.peek().order = "";
    return fetchFleet(question, order, ended);
  },
  {
    revision,
    poll: { everyMs: POLL_INTERVAL_MS, unfinished: (view) => (view.reading > 0 && !view.is_stopped) || lacksShown(view) },
    patienceMs: PATIENCE_MS,
  },
);

/** Whether the window shown has no figures here, though it is being read or was. */
function lacksShown({ rows }: FleetView): boolean {
  if (windowAnswer.peek().kind === "failed") return false;
  return rows.some(({ state, run, worker, window }) => state === "unread" && JSON.stringify({ run, worker, window }) === shownAddress.peek());
}

export const fleet = found.answer;
export const loadFleet = found.start;

export function searchFleet(filter: string): void {
  adjust({ filter, row: null });
}

export function sortFleet(sort: string): void {
  adjust({ ranked: sortedBy(sort, place.peek().ranked), row: null });
}

export function showFleetFrom(first: number): void {
  adjust({ row: first === 0 ? null : first });
}

/** Have unread traces left alone, or read again. */
export function orderTraces(order: TracesOrder): void {
  wanted.value = { order, number: wanted.peek().number + 1 };
}
