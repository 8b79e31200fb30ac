// What each operator, kernel or module adds to the difference of two windows: asked for when Compare is open.

import { computed } from "@preact/signals";
import type { WindowAddress } from "../../api/routes.ts";
import { fetchComparedTable } from "../../api/tables.ts";
import type { TableAnswer } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";
import { before } from "./comparison.ts";

const POLL_INTERVAL_MS = 1_000;
const PATIENCE_MS = 300;

export const COMPARED = ["operators", "kernels", "modules"] as const;
export type ComparedName = (typeof COMPARED)[number];

export const comparedName = computed<ComparedName>(() => COMPARED.find((name) => name === place.value.by) ?? "operators");

const asked = computed<string | null>(() => {
  if (place.value.view !== "compare" || shownAddress.value === null || before.value === null) return null;
  const { run, worker, window } = before.value;
  const other: WindowAddress = { run: run.run, worker: worker.worker, window: window.window };
  return JSON.stringify([other, JSON.parse(shownAddress.value), comparedName.value]);
});

export const { answer: comparedTable, start: loadComparedTable } = ask<TableAnswer>(
  asked,
  (key, ended) => {
    const [first, second, name] = JSON.parse(key) as [WindowAddress, WindowAddress, string];
    return fetchComparedTable(first, second, name, ended);
  },
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" }, patienceMs: PATIENCE_MS },
);

export function compareBy(name: ComparedName): void {
  adjust({ by: name });
}
