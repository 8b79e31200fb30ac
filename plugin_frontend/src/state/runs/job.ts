// The job of the shown run: asked for while its view or the Overview of one of its ranks is open, and again while
// any rank is being read.

import { computed } from "@preact/signals";
import { fetchJob } from "../../api/routes.ts";
import type { JobAnswer, JobPage, JobRank, RankRole } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { revision, shown } from "./runs.ts";

const askedJob = computed<string | null>(() => {
  if (shown.value === null) return null;
  const { run, windowIndex } = shown.value;
  const { view } = place.value;
  const isAsked = view === "job" || (view === "overview" && run.workers.length > 1);
  return isAsked ? JSON.stringify([run.run, windowIndex + 1]) : null;
});

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

/**
 * What the shown rank is to its job, and the late rank if that is another one; null where its job says nothing of it,
 * and until all ranks are read: who is late of some of them is not who is late of all.
 */
export const roleOfShown = computed<{ role: RankRole; late: JobRank | null } | null>(() => {
  const page = pageOfShown();
  const role = page?.ranks.find((rank) => rank.worker === shown.value?.worker.worker)?.role ?? null;
  if (page === null || role === null) return null;
  return { role, late: role.opens === null ? null : (page.ranks[role.opens] ?? null) };
});

function pageOfShown(): JobPage | null {
  if (askedJob.value === null || job.value.kind !== "there") return null;
  const { state, page } = job.value.value;
  return state === "ready" ? page : null;
}
