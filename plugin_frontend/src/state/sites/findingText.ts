// A finding as markdown, for the clipboard.

import { fetchFinding } from "../../api/routes.ts";
import { failureOf } from "../loading/loaded.ts";
import { announce, copyText } from "../notice.ts";
import { windowView } from "../windowAnswer.ts";

/** Asks for the text and copies it; what goes wrong is announced. */
export async function copyFinding(fingerprint: string): Promise<void> {
  const view = windowView.peek();
  if (view === null) return;
  const { run, worker, window } = view;
  try {
    const { markdown } = await fetchFinding({ run, worker, window }, fingerprint, new AbortController().signal);
    await copyText(markdown, "Finding");
  } catch (error) {
    announce(failureOf(error).message);
  }
}
