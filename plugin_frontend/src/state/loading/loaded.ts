// What is known of an answer of the server.

import { RouteError } from "../../api/routeError.ts";

export interface Failure {
  kind: "failed";
  message: string;
  /** The server has too much to do now; it is asked again by itself. */
  isBusy: boolean;
}

export type Loaded<Value> = { kind: "loading" } | { kind: "there"; value: Value } | Failure;

export const LOADING: { kind: "loading" } = { kind: "loading" };

/** The sentence of a failed request; anything but the server's no is a fault of ours, and shown as one. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RouteError) return failure(error.message, error.retryAfterMs !== null);
  return failure(`tbprof's page met a fault of its own: ${String(error)}`);
}

export function failure(message: string, isBusy = false): Failure {
  return { kind: "failed", message, isBusy };
}

/** What stands above the message; `otherwise` where the server is not just busy. */
export function failureTitle({ isBusy }: Failure, otherwise = "This could not be loaded"): string {
  return isBusy ? "The server is busy" : otherwise;
}
