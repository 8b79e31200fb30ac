// The route of the flame graph.

import { fetchJson, type WindowAddress } from "./routes.ts";
import type { IcicleAnswer } from "./types.ts";

/** `kind` is what the time is nested by; "" for the first that was recorded. */
export function fetchIcicle(address: WindowAddress, kind: string, signal: AbortSignal): Promise<IcicleAnswer> {
  return fetchJson<IcicleAnswer>("icicle", { ...address, kind }, signal);
}
