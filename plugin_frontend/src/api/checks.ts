// The route of the checks.

import { embedded } from "./embedded.ts";
import { embeddedWindow, fetchJson, type WindowAddress } from "./routes.ts";
import type { ChecksView } from "./types.ts";

export function fetchChecks(address: WindowAddress, signal: AbortSignal): Promise<ChecksView> {
  return embedded === null ? fetchJson<ChecksView>("checks", { ...address }, signal) : embeddedWindow(embedded, address).then((row) => row.checks);
}
