// What people and agents noted of the project, asked for while its page is open, or one that shows code.

import { computed } from "@preact/signals";
import { fetchSession } from "../api/routes.ts";
import type { Note, SessionView } from "../api/types.ts";
import { ask } from "./loading/ask.ts";
import { shownView, views } from "./runs/runs.ts";

const asked = computed<string | null>(() => (["session", "source"].includes(shownView.value) && views.value.includes("session") ? "" : null));

export const { answer: session, start: loadSession } = ask<SessionView>(asked, (_, signal) => fetchSession(signal));

/** The newest note about each line of code, by the line as it is written, without its indent. */
export const notesOfCode = computed<ReadonlyMap<string, Note>>(() => {
  const found = new Map<string, Note>();
  if (session.value.kind !== "there") return found;
  for (const note of session.value.value.notes) for (const line of note.code) if (!found.has(line)) found.set(line, note);
  return found;
});
