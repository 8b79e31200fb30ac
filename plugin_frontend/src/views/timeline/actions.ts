// What the keys and buttons of the timeline do.

import { signal } from "@preact/signals";
import type { EpisodeMark, GapRow } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { carried, select, selected, selection, stepAnswer, stepIndex } from "../../state/timeline/timeline.ts";
import { fit, fitStep, panBy, range, revealRange, visitStep, zoomIn, zoomOut } from "../../state/timeline/timelineRange.ts";
import { openPerfetto } from "./perfetto.ts";

/** What the segment of switches shows. */
export const shownParts = signal({ ops: false, idle: true, episodes: true });
/** A stretch of time that was dragged over. */
export const dragged = signal<{ fromNs: number; toNs: number } | null>(null);

/** The next or previous sync point or copy of the step, from what is selected or from the middle of the view. */
export function visitEpisode(direction: 1 | -1): void {
  const episodes = episodesOfStep();
  const now = selected.peek();
  const at = now?.kind === "episode" ? episodes.findIndex((episode) => episode.number === now.number) : placeInView(episodes, direction);
  const next = episodes[at + direction];
  if (next === undefined) return;
  select({ kind: "episode", number: next.number });
  revealRange(next.start_ns, next.end_ns);
}

/** Where one would stand between two episodes, so that the next one is the first in sight. */
function placeInView(episodes: readonly EpisodeMark[], direction: 1 | -1): number {
  const seen = range.peek();
  if (seen === null) return -1;
  const first = episodes.findIndex((episode) => episode.start_ns >= seen.fromNs);
  return direction === 1 ? (first < 0 ? episodes.length : first) - 1 : first < 0 ? episodes.length : first;
}

/** The longest gap of the step, then the next longest. */
export function visitLargestGap(): void {
  const gaps = gapsOfStep();
  const now = selected.peek();
  const at = now?.kind === "gap" ? gaps.findIndex((gap) => now.number >= gap.start_ns && now.number < gap.end_ns) : -1;
  const next = gaps[(at + 1) % gaps.length];
  if (next !== undefined) visitGap(next);
}

export function visitGap(gap: GapRow): void {
  select({ kind: "gap", number: gap.start_ns });
  revealRange(gap.start_ns, gap.end_ns);
}

/** What was dragged over, else what is selected, else the step. */
export function fitSelection(): void {
  const [stretch, what] = [dragged.peek(), selection.peek()];
  dragged.value = null;
  if (stretch !== null) fit(stretch.fromNs, stretch.toNs);
  else if (what !== null) fit(Math.min(what.start_ns, what.gap?.start_ns ?? what.start_ns), Math.max(what.end_ns, what.gap?.end_ns ?? 0));
  else fitStep();
}

function clearSelection(): void {
  if (dragged.peek() !== null) dragged.value = null;
  else if (place.peek().selected !== null) select(null);
  else fitStep();
}

function episodesOfStep(): readonly EpisodeMark[] {
  return stepAnswer.peek().kind === "there" ? (ofStep()?.episodes ?? []) : [];
}

function gapsOfStep(): readonly GapRow[] {
  return ofStep()?.gaps ?? [];
}

function ofStep() {
  const answer = stepAnswer.peek();
  return answer.kind === "there" && answer.value.index === stepIndex.peek() ? answer.value : null;
}

export const ACTIONS: Readonly<Record<string, () => void>> = {
  w: zoomIn,
  s: zoomOut,
  a: () => panBy(-1),
  d: () => panBy(1),
  f: fitSelection,
  "<": () => visitStep(-1),
  ">": () => visitStep(1),
  p: () => carried.peek() === null && openPerfetto(),
  Escape: clearSelection,
};

/** Without a GPU there is neither a gap nor an episode. */
export const DEVICE_ACTIONS: Readonly<Record<string, () => void>> = {
  ".": () => visitEpisode(1),
  ",": () => visitEpisode(-1),
  g: visitLargestGap,
};
