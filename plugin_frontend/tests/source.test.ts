import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunsView, SourceAnswer, SourceFilesView, WindowAnswer, WindowView } from "../src/api/types.ts";

// The page around the modules of the state, of which they need no more than this.
Object.assign(globalThis, { document: { getElementById: () => null, baseURI: "http://localhost/data/plugin/tbprof/" } });
const { place } = await import("../src/state/place.ts");
const { runs } = await import("../src/state/runs/runs.ts");
const { loadShownWindow } = await import("../src/state/windowAnswer.ts");
const { loadSource, source } = await import("../src/state/source/source.ts");

const row = (run: string) => ({ run, family: run, workers: [{ worker: "w", rank: null, windows: [{ window: "1", has_report: true, size_bytes: 1 }] }] });
const RUNS: RunsView = {
  logdir: "logs",
  tbprof_version: "1",
  skipped: [],
  without_windows: [],
  newest_run: "a",
  runs: [row("a"), row("b")],
  has_session: false,
  next_page: null,
  version: "",
};
const filesOf = (run: string): SourceFilesView => ({ files: [], places: [], elsewhere: [], about: "", commit: run });

/** What the server is asked, and the answers that it holds back. */
const asked: string[] = [];
const held = new Set<string>();

function answerTo(url: URL): unknown {
  const run = url.searchParams.get("run") ?? "";
  const view = { run, worker: "w", window: "1", sites: [] } as unknown as WindowView;
  if (url.pathname.endsWith("/window")) return { state: "ready", window: view, progress: null, problem: null } satisfies WindowAnswer;
  return { state: "ready", source: filesOf(run), problem: null } satisfies SourceAnswer;
}

globalThis.fetch = (async (url: URL, { signal }: RequestInit) => {
  const name = `${url.pathname.split("/").at(-1)} ${url.searchParams.get("run")}`;
  asked.push(name);
  if (held.has(name)) await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))));
  return Response.json(answerTo(url));
}) as typeof fetch;

/** Lets all that is under way come to its end. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function shownCommit(): unknown {
  return source.value.kind === "there" ? source.value.value.commit : source.value.kind;
}

test("code that was shown is shown again at once, whatever another run does", async () => {
  const ends = [loadShownWindow(), loadSource()];
  runs.value = { kind: "there", value: RUNS };
  place.value = { ...place.value, run: "a", worker: "w", window: "1", view: "source" };
  await settled();
  assert.equal(shownCommit(), "a");
  held.add("source b");
  place.value = { ...place.value, run: "b" };
  await settled();
  assert.equal(shownCommit(), "loading");
  place.value = { ...place.value, run: "a" };
  await settled();
  assert.equal(shownCommit(), "a");
  assert.deepEqual(
    asked.filter((name) => name.startsWith("source")),
    ["source a", "source b"],
  );
  for (const end of ends) end();
});

test("nobody asks for code where no view needs it", async () => {
  const before = asked.length;
  runs.value = { kind: "there", value: RUNS };
  place.value = { ...place.value, run: "b", worker: "w", window: "1", view: "overview", site: null };
  const ends = [loadShownWindow(), loadSource()];
  await settled();
  assert.deepEqual(asked.slice(before), ["window b"]);
  for (const end of ends) end();
});
