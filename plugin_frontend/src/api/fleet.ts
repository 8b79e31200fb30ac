// The route of all runs.

import { fetchJson } from "./routes.ts";
import type { FleetView } from "./types.ts";

/** Which runs, in which order, from which place in line on. */
export interface FleetQuestion {
  search: string;
  sort: string;
  isReversed: boolean;
  first: number;
}

/** What is done with traces that were not read yet, from now on, for all who look. */
export type TracesOrder = "" | "read" | "stop";

export function fetchFleet(question: FleetQuestion, traces: TracesOrder, signal: AbortSignal): Promise<FleetView> {
  const order = traces === "" ? {} : { traces };
  return fetchJson<FleetView>("fleet", { ...parametersOf(question), from: String(question.first), ...order }, signal);
}

/** Where all of them can be had as CSV. */
export function fleetCsvAddress(question: FleetQuestion): string {
  return `fleet.csv?${new URLSearchParams(parametersOf(question)).toString()}`;
}

function parametersOf({ search, sort, isReversed }: FleetQuestion): Record<string, string> {
  return { search, sort, order: isReversed ? "back" : "" };
}
