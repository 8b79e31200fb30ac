// What people and agents noted of the project, asked for while its page is open.

import { computed } from "@preact/signals";
import { fetchSession } from "../api/routes.ts";
import type { SessionView } from "../api/types.ts";
import { ask } from "./loading/ask.ts";
import { place } from "./place.ts";

const asked = computed<string | null>(() => (place.value.view === "session" ? "" : null));

export const { answer: session, start: loadSession } = ask<SessionView>(asked, (_, signal) => fetchSession(signal));
