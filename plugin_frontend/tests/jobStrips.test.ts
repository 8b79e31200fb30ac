import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobPage, JobRank, RankStrip, StripStretch } from "../src/api/types.ts";
import { firstKey, sortJobRanks, waitMatrix } from "../src/model/ranks/jobRanks.ts";
import {
  meetingAt,
  meetingRange,
  moved,
  outstandingStrips,
  piecesByKind,
  piecesOf,
  stepRange,
  wholeRange,
  worstStep,
  zoomed,
} from "../src/model/ranks/jobStrips.ts";

/** 40 us of computing and 20 of waiting for data, then a collective of 40 of which half is waiting. */
function stretch(begin: number, meeting: number | null = 0): StripStretch {
  return {
    meeting,
    begin_us: begin,
    start_us: begin + 60,
    end_us: begin + 100,
    wait_us: 20,
    computing_us: 40,
    communication_us: 0,
    copying_us: 0,
    idle: [{ cause: "data", name: "Waiting for data", idle_us: 20 }],
  };
}

function strip(rank: number, stretches: StripStretch[]): RankStrip {
  return { rank, begin_us: stretches[0]?.begin_us ?? 0, stretches, steps: stretches.map((one, at) => ({ step: at, end_us: one.end_us })) };
}

function rank(at: number, figures: Partial<JobRank> = {}): JobRank {
  return { rank: at, worker: `w${at}`, name: `rank ${at}`, late_us: 0, arrival_wait_us: 0, step_us: 100, idle: [], ...figures } as unknown as JobRank;
}

function page(changes: Partial<JobPage>): JobPage {
  return { ranks: [], strips: [], meetings: [], steps: [], waits: [], ...changes } as unknown as JobPage;
}

test("what a rank does before a collective fills its stretch, and waiting comes before the transfer", () => {
  assert.deepEqual(
    piecesOf(stretch(0)).filter(({ from, to }) => to > from),
    [
      { kind: "computing", from: 0, to: 40 },
      { kind: "idle:data", from: 40, to: 60 },
      { kind: "wait", from: 60, to: 80 },
      { kind: "transfer", from: 80, to: 100 },
    ],
  );
});

test("what is narrower than a pixel is drawn with its neighbors, as what takes most of it", () => {
  const long = strip(
    0,
    Array.from({ length: 1_000 }, (_, at) => stretch(100 * at)),
  );
  const drawn = piecesByKind(long, { from: 0, to: 100_000 }, 100);
  const pieces = [...drawn.values()].flat();
  assert.ok(pieces.length <= 110);
  assert.deepEqual([...drawn.keys()], ["computing"]);
  assert.equal(
    pieces.reduce((sum, { from, to }) => sum + to - from, 0),
    100_000,
  );
});

test("a range is cut where it ends", () => {
  const [computing] = piecesByKind(strip(0, [stretch(0)]), { from: 10, to: 30 }, 100).get("computing") ?? [];
  assert.deepEqual(computing, { kind: "computing", from: 10, to: 30 });
});

test("a step reaches from where the first rank begins it to where the last leaves it", () => {
  const two = page({ strips: [strip(0, [stretch(0), stretch(100, 1)]), strip(1, [stretch(5), stretch(110, 1)])] });
  assert.deepEqual(stepRange(two, 1), { from: 100, to: 210 });
  assert.deepEqual(wholeRange(two), { from: 0, to: 210 });
  assert.equal(stepRange(two, 7), null);
  assert.equal(meetingAt(two.strips[1] as RankStrip, 115), 1);
  assert.equal(meetingAt(two.strips[1] as RankStrip, 1_000), null);
  assert.deepEqual(meetingRange(two, 1), { from: 96.7, to: 210 });
});

test("zooming and moving stay within the whole", () => {
  const whole = { from: 0, to: 100 };
  assert.deepEqual(zoomed({ from: 0, to: 100 }, 0.5, whole), { from: 25, to: 75 });
  assert.deepEqual(zoomed({ from: 25, to: 75 }, 4, whole), whole);
  assert.deepEqual(moved({ from: 60, to: 80 }, 5, whole), { from: 80, to: 100 });
});

test("the step that opens is the one in which most was waited, of those that are drawn", () => {
  const steps = [10, 30, 90].map((wait_us, step) => ({ step, wait_us }));
  const meetings = [0, 1].map((step) => ({ step }));
  assert.equal(worstStep(page({ steps: steps as JobPage["steps"], meetings: meetings as JobPage["meetings"] })), 1);
});

test("of many ranks the latest are drawn, and those that wait longest", () => {
  const ranks = Array.from({ length: 32 }, (_, at) => rank(at, { late_us: at === 31 ? 9 : 0, arrival_wait_us: at === 30 ? 9 : 0 }));
  const chosen = outstandingStrips(page({ ranks, strips: ranks.map((_, at) => strip(at, [stretch(0)])) })).map((one) => one.rank);
  assert.ok(chosen.length <= 12);
  assert.deepEqual(chosen.slice(-2), [30, 31]);
});

test("a thousand ranks begin with the latest, a few with the first", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => rank(at, { late_us: at === 7 ? 5 : 0 }));
  assert.equal(firstKey(many), "late");
  assert.equal(sortJobRanks(many, "late")[0]?.rank, 7);
  assert.equal(firstKey(many.slice(0, 8)), "name");
});

test("who waits for whom keeps the longest rows and columns and means the others", () => {
  const ranks = Array.from({ length: 40 }, (_, at) => rank(at));
  const waits = ranks.slice(1).map((_, at) => ({ waiting: at + 1, awaited: 0, wait_us: at === 4 ? 100 : 10 }));
  const matrix = waitMatrix(page({ ranks, waits: [...waits, { waiting: 5, awaited: null, wait_us: 1 }] }));
  assert.deepEqual(matrix.columns, [0, "nobody"]);
  assert.equal(matrix.rows.length, 16);
  assert.equal(matrix.cell(5, 0), 100);
  // Rank 0, which is waited for, is in a row of its own and not in the mean.
  assert.deepEqual(matrix.rows.slice(0, 2), [0, 1]);
  assert.equal(matrix.others, 25);
  assert.equal(matrix.cell("others", 0).toFixed(6), "10.000000");
  assert.equal(matrix.most, 100);
});
