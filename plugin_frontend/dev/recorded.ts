// Answers of the plugin's routes that Python recorded: `python tests/data/refresh_dev_answers.py`.

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** By route, and by its parameters in the order of their names. */
export type Recorded = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface Answer {
  status: number;
  /** JSON. */
  body: string;
}

/** Reads a folder with one file a route, each an object of answers by query. */
export function readRecorded(folder: string): Recorded {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(files.map((name) => [basename(name, ".json"), readRoute(join(folder, name))]));
}

function readRoute(path: string): ReadonlyMap<string, string> {
  const answers = JSON.parse(readFileSync(path, "utf-8")) as Record<string, unknown>;
  return new Map(Object.entries(answers).map(([query, answer]) => [inOrder(query), JSON.stringify(answer)]));
}

/** What the plugin answered to this address; what was not recorded is said as the plugin says no. */
export function answerOf(recorded: Recorded, address: URL): Answer {
  const route = address.pathname.slice(1);
  const body = recorded.get(route)?.get(inOrder(address.search));
  if (body !== undefined) return { status: 200, body };
  return { status: 404, body: JSON.stringify({ error: `No answer to ${route}${address.search} was recorded.` }) };
}

function inOrder(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}
