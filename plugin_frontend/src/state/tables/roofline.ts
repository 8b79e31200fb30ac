// The roofline of the window shown: asked for with its operators; a page that is sent has none.

import { computed } from "@preact/signals";
import { embedded } from "../../api/embedded.ts";
import { fetchRoofline } from "../../api/roofline.ts";
import type { WindowAddress } from "../../api/routes.ts";
import type { RooflineAnswer, RooflineView } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 500;

const asked = computed<string | null>(() =>
  embedded !== null || place.value.view !== "operators" || shownAddress.value === null
    ? null
    : JSON.stringify([JSON.parse(shownAddress.value), place.value.scope]),
);

const { answer, start } = ask<RooflineAnswer>(
  asked,
  (key, ended) => {
    const [address, scope] = JSON.parse(key) as [WindowAddress, string];
    return fetchRoofline(address, scope, ended);
  },
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" } },
);

export const loadRoofline = start;

/** Null until it is there. */
export const roofline = computed<RooflineView | null>(() => (answer.value.kind === "there" ? answer.value.value.roofline : null));
