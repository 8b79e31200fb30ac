// The page of the manual that is open.

import { signal } from "@preact/signals";
import { fetchManual } from "../api/routes.ts";
import type { ManualPage } from "../api/types.ts";
import { ask } from "./loading/ask.ts";

/** How to read the tab: what somebody in the tab asks first. */
export const FIRST_PAGE = "tab";

/** The page before stays so long: the list beside it keeps the focus while a quick server answers. */
const PATIENCE_MS = 300;

/** Its name; null while the manual is closed. */
export const manualOpen = signal<string | null>(null);

export const { answer: manualPage, start: loadManualPage } = ask<ManualPage>(manualOpen, fetchManual, { keep: true, patienceMs: PATIENCE_MS });
