// Where the time of the run shown went since its start, as the hook noted it.

import { computed } from "@preact/signals";
import { embedded } from "../../api/embedded.ts";
import { fetchRunTime } from "../../api/routes.ts";
import type { RunTimeView } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { revision, shown } from "./runs.ts";

const asked = computed<string | null>(() => (embedded === null ? (shown.value?.run.run ?? null) : null));

const { answer, start } = ask<RunTimeView>(asked, fetchRunTime, { revision, patienceMs: 200 });

export const runTime = answer;
export const loadRunTime = start;

/** The answer where the hook left something of the run. */
export const notedRunTime = computed<RunTimeView | null>(() =>
  asked.value !== null && answer.value.kind === "there" && answer.value.value.headline !== "" ? answer.value.value : null,
);
