// What is known of an answer of the server.

import { RouteError } from "../api/routes.ts";

export type Loaded<Value> =
  | { kind: "loading" }
  | { kind: "there"; value: Value }
  | { kind: "failed"; message: string };

export const LOADING: { kind: "loading" } = { kind: "loading" };

/** The sentence of a failed request; anything but the server's no is a fault of ours, and shown as one. */
export function failureOf(error: unknown): { kind: "failed"; message: string } {
  if (error instanceof RouteError) return { kind: "failed", message: error.message };
  return { kind: "failed", message: `tbprof's page met a fault of its own: ${String(error)}` };
}
