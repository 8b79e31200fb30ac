// The answer for the window shown: asked for once, or until its trace has been read.

import { computed, effect, signal } from "@preact/signals";
import { fetchWindow, type WindowAddress } from "../api/routes.ts";
import type { WindowAnswer, WindowView } from "../api/types.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { shown } from "./runs.ts";
import { visible } from "./visibility.ts";

const POLL_INTERVAL_MS = 500;
/** The old window stays on screen this long, so that quick answers do not flicker. */
const SKELETON_DELAY_MS = 300;

export const windowAnswer = signal<Loaded<WindowAnswer>>(LOADING);

/** The window, once it is there to be shown. */
export const windowView = computed<WindowView | null>(() =>
  windowAnswer.value.kind === "there" ? windowAnswer.value.value.window : null,
);

/** The address as one text, so that a refreshed list of the same windows asks nothing anew. */
const address = computed(() => {
  if (shown.value === null) return null;
  const { run, worker, window } = shown.value;
  return JSON.stringify({ run: run.run, worker: worker.worker, window: window.window } satisfies WindowAddress);
});

const attempts = signal(0);

/** Asks again after a failure. */
export function retryWindow(): void {
  attempts.value += 1;
}

export function loadShownWindow(): () => void {
  return effect(() => {
    void attempts.value;
    if (address.value === null) return;
    const control = new AbortController();
    const skeleton = setTimeout(() => (windowAnswer.value = LOADING), SKELETON_DELAY_MS);
    void request(address.value, control.signal).finally(() => clearTimeout(skeleton));
    return () => {
      control.abort();
      clearTimeout(skeleton);
    };
  });
}

/** Asks for the progress twice a second while a trace is being read and the tab is seen. */
export function pollWhileReading(): () => void {
  return effect(() => {
    if (!visible.value || windowAnswer.value.kind !== "there") return;
    if (windowAnswer.value.value.state !== "reading" || address.value === null) return;
    const asked = address.value;
    const control = new AbortController();
    const timer = setTimeout(() => void request(asked, control.signal), POLL_INTERVAL_MS);
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  });
}

async function request(asked: string, signal: AbortSignal): Promise<void> {
  try {
    const value = await fetchWindow(JSON.parse(asked) as WindowAddress, signal);
    windowAnswer.value = { kind: "there", value };
  } catch (error) {
    if (!signal.aborted) windowAnswer.value = failureOf(error);
  }
}
