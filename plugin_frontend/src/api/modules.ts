// The route of the modules.

import { fetchJson, type WindowAddress } from "./routes.ts";
import type { ModulesAnswer } from "./types.ts";

export function fetchModules(address: WindowAddress, signal: AbortSignal): Promise<ModulesAnswer> {
  return fetchJson<ModulesAnswer>("modules", { ...address }, signal);
}
