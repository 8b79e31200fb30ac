"""A step for another viewer, with what was found in it as tracks of its own."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.timeline.gaps import idle_pieces, step_excerpt
from tbprof.analysis.timeline.timeline import Timeline
from tbprof.texts.screens.idle import cause_name
from tbprof.texts.screens.timeline import episode_sentence
from tbprof.trace.export.excerpt import Note
from tbprof.views.base.times import us


def excerpt_of_step(timeline: Timeline, step: int) -> bytes:
    """Chrome's JSON of one step: its rows, and our notes on idle, sync points and copies."""
    notes = (*_idle(timeline, step), *_episodes(timeline, step))
    return step_excerpt(timeline.facts, step, notes)


def _idle(timeline: Timeline, step: int) -> Iterator[Note]:
    for cause, pieces in idle_pieces(timeline.facts, step).items():
        for start_ns, end_ns in zip(pieces.start_ns.tolist(), pieces.end_ns.tolist(), strict=True):
            yield Note("GPU idle, by cause", cause_name(cause), start_ns, end_ns)


def _episodes(timeline: Timeline, step: int) -> Iterator[Note]:
    """Those of each thread on a track of their own: they do not overlap there."""
    facts = timeline.facts
    episodes = facts.episodes
    for number, of in enumerate(episodes.step.tolist()):
        if of == step:
            thread = facts.trace.lanes[int(episodes.lane[number])]
            text = episode_sentence(
                us(int(episodes.wait_ns[number])),
                us(int(facts.awaited.explained_ns[number])),
                us(int(facts.starve_ns[number])),
                is_blocking=bool(episodes.blocking[number]),
                communicating_us=us(int(facts.wait_for_communication_ns[number])),
            )
            track = f"Sync points and copies, {thread.name or thread.thread}"
            yield Note(track, text, int(episodes.start_ns[number]), int(episodes.end_ns[number]))
