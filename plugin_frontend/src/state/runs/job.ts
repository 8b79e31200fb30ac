// The job of the shown run: asked for while its view is open, and again while any rank is being read.

import { computed } from "@preact/signals";
import { fetchJob } from "../../api/routes.ts";
import type { JobAnswer } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { revision, shown } from "./runs.ts";

const askedJob = computed<string | null>(() =>
  shown.value === null || place.value.view !== "job" ? null : JSON.stringify([shown.value.run.run, shown.value.windowIndex + 1]),
);

export const { answer: job, start: loadJob } = ask<JobAnswer>(
  askedJob,
  (key, signal) => {
    const [run, number] = JSON.parse(key) as [string, number];
    return fetchJob(run, number, signal);
  },
  { revision, poll: { everyMs: 1_000, unfinished: ({ state }) => state === "reading" } },
);

/** Whether there is nothing to say of the ranks together, so that they stand side by side; known when all are read. */
export const standAlone = computed<boolean>(() => {
  if (job.value.kind !== "there") return false;
  const { state, page } = job.value.value;
  return state === "ready" && page !== null && page.ranks.length < 2;
});
