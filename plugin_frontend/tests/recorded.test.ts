import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { answerOf, readRecorded } from "../dev/recorded.ts";

function recordedIn(answers: Record<string, unknown>) {
  const folder = mkdtempSync(join(tmpdir(), "answers-"));
  writeFileSync(join(folder, "window.json"), JSON.stringify(answers));
  return readRecorded(folder);
}

const ask = (query: string) => new URL(`http://localhost/window${query}`);

test("an answer is found whatever the order of its parameters", () => {
  const recorded = recordedIn({ "run=a+b&worker=w%2F1": { state: "ready" } });
  for (const query of ["?run=a+b&worker=w%2F1", "?worker=w%2F1&run=a%20b"]) {
    assert.deepEqual(answerOf(recorded, ask(query)), { status: 200, body: '{"state":"ready"}' });
  }
});

test("what was not recorded is refused as the plugin refuses", () => {
  const recorded = recordedIn({ "run=a": {} });
  const { status, body } = answerOf(recorded, ask("?run=b"));
  assert.equal(status, 404);
  assert.deepEqual(JSON.parse(body), { error: "No answer to window?run=b was recorded." });
  assert.equal(answerOf(recorded, new URL("http://localhost/timeline")).status, 404);
});
