import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { signal } from "@preact/signals";
import { RouteError } from "../src/api/routeError.ts";
import { type Asked, ask, type Options } from "../src/state/loading/ask.ts";
import { visible } from "../src/state/loading/visibility.ts";

/** A server whose answers come when the test says so. */
class Server {
  readonly asked: string[] = [];
  private readonly open: { key: string; signal: AbortSignal; resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];

  fetch = (key: string, ended: AbortSignal): Promise<string> => {
    this.asked.push(key);
    return new Promise((resolve, reject) => {
      ended.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      this.open.push({ key, signal: ended, resolve, reject });
    });
  };

  async answer(value: string): Promise<void> {
    this.open.shift()?.resolve(value);
    await settled();
  }

  async refuse(error: unknown): Promise<void> {
    this.open.shift()?.reject(error);
    await settled();
  }

  /** Forgets the question that the page has taken back. */
  drop(): boolean {
    return this.open.shift()?.signal.aborted ?? false;
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await settled();
}

const key = signal<string | null>(null);
let server: Server;
let end: () => void;

function follow(options: Options<string> = {}): Asked<string> {
  const asked = ask(key, server.fetch, options);
  end = asked.start();
  return asked;
}

const POLLING: Options<string> = { poll: { everyMs: 1_000, unfinished: (value) => value === "reading" } };

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  key.value = null;
  visible.value = true;
  server = new Server();
});

afterEach(() => {
  end();
  mock.timers.reset();
});

test("nothing is asked until something is wanted, and then once", async () => {
  const { answer } = follow();
  assert.deepEqual(server.asked, []);
  key.value = "A";
  assert.equal(answer.value.kind, "loading");
  await server.answer("a");
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
  assert.deepEqual(server.asked, ["A"]);
});

test("an answer that is kept is shown at once where another question was left without one", async () => {
  const { answer } = follow({ keep: true });
  key.value = "A";
  await server.answer("a");
  key.value = "B";
  assert.equal(answer.value.kind, "loading");
  key.value = "A";
  assert.ok(server.drop(), "nobody waits for B any more");
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
  assert.deepEqual(server.asked, ["A", "B"]);
});

test("one that is not kept is asked for again", async () => {
  const { answer } = follow();
  key.value = "A";
  await server.answer("a");
  key.value = "B";
  key.value = "A";
  assert.ok(server.drop());
  assert.equal(answer.value.kind, "loading");
  await server.answer("a, again");
  assert.deepEqual(answer.value, { kind: "there", value: "a, again" });
});

test("what a revision is of is asked anew, and nothing that was kept of the one before is shown", async () => {
  const revision = signal(0);
  const { answer } = follow({ keep: true, revision });
  key.value = "A";
  await server.answer("a");
  revision.value += 1;
  assert.equal(answer.value.kind, "loading");
  await server.answer("a, written anew");
  assert.deepEqual(answer.value, { kind: "there", value: "a, written anew" });
  assert.deepEqual(server.asked, ["A", "A"]);
});

test("what was kept is asked for anew where the revision rose while nobody looked", async () => {
  const revision = signal(0);
  const { start, answer } = follow({ keep: true, revision });
  key.value = "A";
  await server.answer("a");
  end();
  revision.value += 1;
  end = start();
  assert.equal(answer.value.kind, "loading");
  await server.answer("a, written anew");
  end();
  end = start();
  assert.deepEqual(answer.value, { kind: "there", value: "a, written anew" });
  assert.deepEqual(server.asked, ["A", "A"]);
});

test("an answer of the revision before comes too late", async () => {
  const revision = signal(0);
  const { answer } = follow({ patienceMs: 300, revision });
  key.value = "A";
  revision.value += 1;
  await server.answer("a");
  assert.equal(answer.value.kind, "loading");
  await server.answer("a, written anew");
  assert.deepEqual(answer.value, { kind: "there", value: "a, written anew" });
});

test("what is shown stays while nothing is wanted", async () => {
  const { answer } = follow();
  key.value = "A";
  await server.answer("a");
  key.value = null;
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
  assert.deepEqual(server.asked, ["A"]);
});

test("a late answer to an old question changes nothing", async () => {
  const { answer } = follow();
  key.value = "A";
  key.value = "B";
  await server.answer("a");
  assert.equal(answer.value.kind, "loading");
  await server.answer("b");
  assert.deepEqual(answer.value, { kind: "there", value: "b" });
});

test("it is asked again until the answer is whole, and then no more", async () => {
  const { answer } = follow(POLLING);
  key.value = "A";
  await server.answer("reading");
  assert.deepEqual(answer.value, { kind: "there", value: "reading" });
  await pass(99);
  assert.equal(server.asked.length, 1);
  await pass(1);
  assert.equal(server.asked.length, 2);
  await server.answer("done");
  await pass(60_000);
  assert.equal(server.asked.length, 2);
  assert.deepEqual(answer.value, { kind: "there", value: "done" });
});

test("the longer it takes the less often it is asked, up to the interval", async () => {
  follow(POLLING);
  key.value = "A";
  const waitedMs: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    await server.answer("reading");
    let ms = 0;
    for (const before = server.asked.length; server.asked.length === before; ms += 20) await pass(20);
    waitedMs.push(ms);
  }
  assert.deepEqual(
    waitedMs,
    waitedMs.toSorted((one, other) => one - other),
  );
  assert.deepEqual([waitedMs[0], waitedMs.at(-1)], [100, 1_000]);
});

test("nobody is asked while the tab is hidden, and at once when it is seen again", async () => {
  follow(POLLING);
  key.value = "A";
  await server.answer("reading");
  visible.value = false;
  await pass(60_000);
  assert.equal(server.asked.length, 1);
  visible.value = true;
  await settled();
  assert.equal(server.asked.length, 2);
});

test("a hidden tab whose question changes does not go on with the old one", async () => {
  follow(POLLING);
  key.value = "A";
  await server.answer("reading");
  visible.value = false;
  await pass(2_000);
  key.value = "B";
  visible.value = true;
  await pass(2_000);
  assert.deepEqual(server.asked, ["A", "B"]);
});

test("the end of following ends the asking", async () => {
  follow(POLLING);
  key.value = "A";
  await server.answer("reading");
  end();
  await pass(60_000);
  key.value = "B";
  assert.deepEqual(server.asked, ["A"]);
});

test("a server that is busy is shown as busy, and asked again when it says so", async () => {
  const { answer } = follow();
  key.value = "A";
  await server.refuse(new RouteError("64 traces are waiting.", 5_000));
  assert.deepEqual(answer.value, { kind: "failed", message: "64 traces are waiting.", isBusy: true });
  await pass(5_000);
  assert.equal(server.asked.length, 2);
  await server.answer("a");
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
});

test("another failure is said, and asked again only by hand", async () => {
  const { answer, retry } = follow();
  key.value = "A";
  await server.refuse(new RouteError("There is no such window."));
  assert.deepEqual(answer.value, { kind: "failed", message: "There is no such window.", isBusy: false });
  await pass(60_000);
  assert.equal(server.asked.length, 1);
  retry();
  await server.answer("a");
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
});

test("quick answers replace the old one without a skeleton, slow ones do not", async () => {
  const { answer } = follow({ patienceMs: 300 });
  key.value = "A";
  await server.answer("a");
  key.value = "B";
  await pass(299);
  assert.deepEqual(answer.value, { kind: "there", value: "a" });
  await pass(1);
  assert.equal(answer.value.kind, "loading");
  await server.answer("b");
  await pass(1_000);
  assert.deepEqual(answer.value, { kind: "there", value: "b" });
});

test("an answer that stays for the next question is gone once nothing is wanted", async () => {
  const { answer } = follow({ patienceMs: 300 });
  key.value = "A";
  await server.answer("a");
  key.value = null;
  assert.equal(answer.value.kind, "loading");
  key.value = "B";
  assert.equal(answer.value.kind, "loading");
  await server.answer("b");
  assert.deepEqual(answer.value, { kind: "there", value: "b" });
});
