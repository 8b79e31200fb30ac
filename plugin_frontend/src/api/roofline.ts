// The route of the roofline.

import { fetchJson, type WindowAddress } from "./routes.ts";
import type { RooflineAnswer } from "./types.ts";

export function fetchRoofline(address: WindowAddress, scope: string, signal: AbortSignal): Promise<RooflineAnswer> {
  return fetchJson<RooflineAnswer>("roofline", { ...address, scope }, signal);
}
