// The page of the rule that the address names.

import { computed, effect, signal } from "@preact/signals";
import { fetchRule } from "../api/routes.ts";
import type { RulePage } from "../api/types.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { place } from "./place.ts";

export const rulePage = signal<Loaded<RulePage>>(LOADING);

const code = computed(() => place.value.rule);

export function loadRulePage(): () => void {
  return effect(() => {
    if (code.value === null) return;
    const control = new AbortController();
    rulePage.value = LOADING;
    void request(code.value, control.signal);
    return () => control.abort();
  });
}

async function request(asked: string, signal: AbortSignal): Promise<void> {
  try {
    rulePage.value = { kind: "there", value: await fetchRule(asked, signal) };
  } catch (error) {
    if (!signal.aborted) rulePage.value = failureOf(error);
  }
}
