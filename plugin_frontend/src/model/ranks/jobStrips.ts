// The ranks of a job above one another on one axis: what of each is drawn in a range of time.

import type { JobPage, RankStrip, StripStretch } from "../../api/types.ts";

export interface Range {
  from: number;
  to: number;
}

/** What is drawn: a part of a rank's own time, or of a collective. */
export type StripKind = "computing" | "communication" | "copying" | "transfer" | "wait" | `idle:${string}`;

export interface StripPiece {
  kind: StripKind;
  from: number;
  to: number;
}

/** In the order in which they are drawn from the left, which within a stretch is one of kind and not of time. */
export function piecesOf(stretch: StripStretch): StripPiece[] {
  const parts: [StripKind, number][] = [
    ["computing", stretch.computing_us],
    ["communication", stretch.communication_us],
    ["copying", stretch.copying_us],
    ...stretch.idle.map((part): [StripKind, number] => [`idle:${part.cause}`, part.idle_us]),
  ];
  let at = stretch.begin_us;
  const before = parts.map(([kind, length]): StripPiece => {
    const from = at;
    at = Math.min(at + length, stretch.start_us);
    return { kind, from, to: at };
  });
  const arrived = Math.min(stretch.start_us + stretch.wait_us, stretch.end_us);
  return [...before, { kind: "wait", from: stretch.start_us, to: arrived }, { kind: "transfer", from: arrived, to: stretch.end_us }];
}

/** The stretches that a range shows any of. */
function shownStretches(strip: RankStrip, { from, to }: Range): StripStretch[] {
  return strip.stretches.filter((stretch) => stretch.end_us > from && stretch.begin_us < to);
}

/**
 * The pieces of a strip in a range, by kind, so that each kind is drawn as one path. What is narrower than a
 * pixel is drawn together with its neighbors, as the kind that takes most of it.
 */
export function piecesByKind(strip: RankStrip, range: Range, width: number): Map<StripKind, StripPiece[]> {
  const found = new Map<StripKind, StripPiece[]>();
  const add = (piece: StripPiece): void => {
    const list = found.get(piece.kind) ?? [];
    list.push(piece);
    found.set(piece.kind, list);
  };
  const least = (range.to - range.from) / Math.max(width, 1);
  let small: StripPiece[] = [];
  const flush = (): void => {
    const first = small[0];
    const last = small.at(-1);
    if (first !== undefined && last !== undefined) add({ kind: largestKind(small), from: first.from, to: last.to });
    small = [];
  };
  for (const stretch of shownStretches(strip, range)) {
    for (const piece of piecesOf(stretch)) {
      const from = Math.max(piece.from, range.from);
      const to = Math.min(piece.to, range.to);
      if (to <= from) continue;
      if (to - from >= least) {
        flush();
        add({ kind: piece.kind, from, to });
        continue;
      }
      small.push({ kind: piece.kind, from, to });
      if (to - (small[0]?.from ?? from) >= least) flush();
    }
  }
  flush();
  return found;
}

function largestKind(pieces: readonly StripPiece[]): StripKind {
  const lengths = new Map<StripKind, number>();
  for (const { kind, from, to } of pieces) lengths.set(kind, (lengths.get(kind) ?? 0) + to - from);
  return [...lengths].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Up to so many rows are drawn at once. */
const MOST_ROWS = 16;
/** Of more these many. */
const FIRST_ROWS = 12;

/** The latest ranks and, for comparison, those that wait longest; in their order. */
export function outstandingStrips({ strips, ranks }: JobPage): readonly RankStrip[] {
  if (strips.length <= MOST_ROWS) return strips;
  const by = (figure: (strip: RankStrip) => number): RankStrip[] => [...strips].sort((one, other) => figure(other) - figure(one)).slice(0, FIRST_ROWS / 2);
  const chosen = new Set([...by((strip) => ranks[strip.rank]?.late_us ?? 0), ...by((strip) => ranks[strip.rank]?.arrival_wait_us ?? 0)]);
  return strips.filter((strip) => chosen.has(strip));
}

/** The whole of what is drawn. */
export function wholeRange({ strips }: Pick<JobPage, "strips">): Range {
  const from = Math.min(...strips.map((strip) => strip.begin_us));
  const to = Math.max(...strips.flatMap((strip) => strip.stretches.map((stretch) => stretch.end_us)));
  return to > from ? { from, to } : { from: 0, to: 1 };
}

/** One step: from where the first rank begins it to where the last leaves it; null where none is drawn. */
export function stepRange({ strips }: JobPage, step: number): Range | null {
  const spans = strips.flatMap((strip) => {
    const at = strip.steps.findIndex((one) => one.step === step);
    const here = strip.steps[at];
    return here === undefined ? [] : [{ from: strip.steps[at - 1]?.end_us ?? strip.begin_us, to: here.end_us }];
  });
  if (spans.length === 0) return null;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}

/** What a rank did before a collective and in it; null where it took no part, or is not drawn. */
export function stretchAt(strip: RankStrip, meeting: number): StripStretch | null {
  return strip.stretches.find((stretch) => stretch.meeting === meeting) ?? null;
}

/** One collective with the stretches before it, and a little beside. */
export function meetingRange({ strips }: JobPage, meeting: number): Range | null {
  const own = strips.flatMap((strip) => stretchAt(strip, meeting) ?? []);
  if (own.length === 0) return null;
  const from = Math.min(...own.map((stretch) => stretch.begin_us));
  const to = Math.max(...own.map((stretch) => stretch.end_us));
  const beside = 0.03 * Math.max(to - from, 1);
  const whole = wholeRange({ strips });
  return { from: Math.max(from - beside, whole.from), to: Math.min(to + beside, whole.to) };
}

/** The collective that a rank was in, or on its way to, at a moment. */
export function meetingAt(strip: RankStrip, at: number): number | null {
  return strip.stretches.find((stretch) => stretch.begin_us <= at && at < stretch.end_us)?.meeting ?? null;
}

/** `factor` below 1 zooms in; never beyond `whole`. */
export function zoomed(range: Range, factor: number, whole: Range): Range {
  const middle = (range.from + range.to) / 2;
  const half = ((range.to - range.from) * factor) / 2;
  return { from: Math.max(middle - half, whole.from), to: Math.min(middle + half, whole.to) };
}

/** By a part of what is shown; what would leave `whole` stays at its end. */
export function moved(range: Range, share: number, whole: Range): Range {
  const length = range.to - range.from;
  const from = Math.min(Math.max(range.from + share * length, whole.from), Math.max(whole.to - length, whole.from));
  return { from, to: from + length };
}

/** The step in which most was waited; the first where nobody did. */
export function worstStep({ steps, meetings }: JobPage): number {
  const drawn = new Set(meetings.map((meeting) => meeting.step));
  const shown = steps.map((_, at) => at).filter((at) => drawn.has(at));
  return shown.reduce((most, at) => ((steps[at]?.wait_us ?? 0) > (steps[most]?.wait_us ?? 0) ? at : most), shown[0] ?? 0);
}
