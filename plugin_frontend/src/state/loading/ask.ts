// An answer of the server to a question that changes: asked for, and asked again until it is whole.

import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { RouteError } from "../../api/routeError.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { visible } from "./visibility.ts";

/** The first time that an unfinished answer is asked for again. */
const SOONEST_MS = 100;
/** Of the time waited so far: nobody waits longer than by this share for an answer that is there. */
const LATEST_SHARE = 0.2;

export interface Options<Value> {
  /** Asks again so often while the server is not done, and the tab is seen; sooner as long as it has not taken long. */
  poll?: { everyMs: number; unfinished: (value: Value) => boolean };
  /** What the answer is of, beside the question: once it rises, the same question is asked anew. */
  revision?: ReadonlySignal<number>;
  /** The answer to one question never changes within a revision: the last one is shown again without being asked for. */
  keep?: boolean;
  /** The old answer stays on screen this long while the next question is asked, so that quick ones do not flicker. */
  patienceMs?: number;
}

export interface Asked<Value> {
  answer: ReadonlySignal<Loaded<Value>>;
  /** Follows the question from now on; gives back what ends it. */
  start: () => () => void;
  /** Asks again after a failure. */
  retry: () => void;
}

/** `key` is the question as one text, so that an equal one asks nothing again; null while nothing needs the answer. */
export function ask<Value>(
  key: ReadonlySignal<string | null>,
  fetch: (key: string, signal: AbortSignal) => Promise<Value>,
  options: Options<Value> = {},
): Asked<Value> {
  const { poll, revision, keep = false, patienceMs = 0 } = options;
  const answer = signal<Loaded<Value>>(LOADING);
  const attempts = signal(0);
  let kept: { key: string; revision: number | undefined; value: Value } | null = null;

  /** How long to wait before asking again; null: not at all. */
  async function askOnce(asked: string, since: number, ended: AbortSignal): Promise<number | null> {
    try {
      const value = await fetch(asked, ended);
      if (ended.aborted) return null;
      answer.value = { kind: "there", value };
      if (poll?.unfinished(value)) return Math.min(poll.everyMs, Math.max(SOONEST_MS, (Date.now() - since) * LATEST_SHARE));
      if (keep) kept = { key: asked, revision: revision?.peek(), value };
      return null;
    } catch (error) {
      if (ended.aborted) return null;
      answer.value = failureOf(error);
      return error instanceof RouteError ? error.retryAfterMs : null;
    }
  }

  async function askUntilDone(asked: string, ended: AbortSignal): Promise<void> {
    const skeleton = patienceMs > 0 ? setTimeout(() => (answer.value = LOADING), patienceMs) : undefined;
    ended.addEventListener("abort", () => clearTimeout(skeleton));
    if (skeleton === undefined) answer.value = LOADING;
    const since = Date.now();
    for (;;) {
      const waitMs = await askOnce(asked, since, ended);
      clearTimeout(skeleton);
      if (waitMs === null) return;
      await pause(waitMs, ended);
      if (ended.aborted) return;
    }
  }

  const follow = (): (() => void) | void => {
    void attempts.value;
    const asked = key.value;
    const now = revision?.value;
    if (asked === null) {
      if (patienceMs > 0) answer.value = LOADING;
      return;
    }
    if (kept?.key === asked && kept.revision === now) {
      answer.value = { kind: "there", value: kept.value };
      return;
    }
    const control = new AbortController();
    void askUntilDone(asked, control.signal);
    return () => control.abort();
  };
  return { answer, start: () => effect(follow), retry: () => (attempts.value += 1) };
}

/** Waits so long, and then until the tab is seen; ends at once with the signal. */
async function pause(ms: number, ended: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  let forget = (): void => {};
  await new Promise<void>((resolve) => {
    ended.addEventListener("abort", () => resolve());
    if (ended.aborted) resolve();
    forget = visible.subscribe((seen) => {
      if (seen) resolve();
    });
  });
  forget();
}
