"""The records of the timeline from its facts; all figures of a step are the report's."""

from __future__ import annotations

from tbprof.analysis.figures.timeline import Timeline
from tbprof.analysis.figures.timeline_gaps import CauseOfStep, Gap, causes_of_step, largest_gaps, step_reach
from tbprof.analysis.figures.timeline_lanes import KINDS
from tbprof.analysis.figures.timeline_tile import TILE_BUCKETS
from tbprof.model import SiteIndex
from tbprof.texts.idle import cause_name
from tbprof.texts.timeline import gap_place
from tbprof.trace.columns.arrays import NONE
from tbprof.views.idle_causes import STACKING
from tbprof.views.steady import row_of, us
from tbprof.views.timeline import (
    CauseName,
    EpisodeMark,
    FoundView,
    GapRow,
    LaneRow,
    SiteMark,
    StepCauseRow,
    StepMark,
    TimelineStep,
    TimelineView,
)


def timeline_view(timeline: Timeline) -> TimelineView:
    """What holds for the whole window."""
    facts = timeline.facts
    steps, origin_ns = facts.steps, facts.origin_ns
    return TimelineView(
        span_ns=timeline.span_ns,
        highest_level=timeline.highest_level,
        tile_buckets=TILE_BUCKETS,
        kinds=KINDS,
        causes=tuple(CauseName(cause, cause_name(cause)) for cause in STACKING),
        steps=tuple(
            StepMark(name, start - origin_ns, end - start, cold)
            for name, start, end, cold in zip(
                steps.names, steps.start_ns.tolist(), steps.end_ns.tolist(), steps.cold, strict=True
            )
        ),
        lanes=tuple(_lane(timeline, number) for number in range(len(timeline.lanes))),
        sites=tuple(
            SiteMark(len(site.members), us(int(facts.episodes.wait_ns[site.members].sum())))
            for site in facts.sites
        ),
        main_device=facts.work.main_device,
    )


def timeline_step(timeline: Timeline, step: int) -> TimelineStep:
    """One step, with the gaps of the busiest device."""
    facts = timeline.facts
    main, origin_ns = facts.known_device, facts.origin_ns
    length_ns = int(facts.steps.end_ns[step] - facts.steps.start_ns[step])
    idle_ns = None if main is None else int(facts.idle.by_device[main].device_ns[step])
    return TimelineStep(
        index=step,
        duration_us=us(length_ns),
        idle_us=None if idle_ns is None else us(idle_ns),
        idle_share=None if idle_ns is None or not length_ns else idle_ns / length_ns,
        end_ns=step_reach(facts, step)[1] - origin_ns,
        causes=tuple(_cause(row, origin_ns) for row in causes_of_step(facts, step)),
        gaps=tuple(gap_row(gap, origin_ns) for gap in largest_gaps(facts, step)),
        episodes=_episodes(timeline, step),
    )


def gap_row(gap: Gap, origin_ns: int) -> GapRow:
    return GapRow(
        start_ns=gap.start_ns - origin_ns,
        end_ns=gap.end_ns - origin_ns,
        cause=gap.cause,
        idle_us=us(gap.end_ns - gap.start_ns),
        place=gap_place(gap.cause, gap.place),
        site=gap.site,
    )


def found_view(timeline: Timeline, text: str, after_ns: int, *, backwards: bool) -> FoundView:
    """The next match of a search."""
    found = timeline.find(text, after_ns, backwards=backwards)
    if found is None:
        return FoundView(None, 0, 0, 0, 0)
    slices = timeline.facts.trace.slices
    start_ns = int(slices.start_ns[found.row]) - timeline.facts.origin_ns
    end_ns = start_ns + int(slices.duration_ns[found.row])
    return FoundView(found.row, found.number, found.total, start_ns, end_ns)


def _lane(timeline: Timeline, number: int) -> LaneRow:
    lane = timeline.lanes[number]
    curve = timeline.curves.get(number)
    peak = 0 if curve is None else curve.peak
    return LaneRow(lane.kind, lane.device, lane.stream, lane.name, lane.lines, peak)


def _cause(row: CauseOfStep, origin_ns: int) -> StepCauseRow:
    around = gap_row(row.around, origin_ns)
    return row_of(StepCauseRow, row, name=cause_name(row.cause), around=around)


def _episodes(timeline: Timeline, step: int) -> tuple[EpisodeMark, ...]:
    """The episodes by start; those outside every step belong to the first."""
    facts = timeline.facts
    episodes = facts.episodes
    mine = [
        number for number, of in enumerate(episodes.step.tolist()) if of == step or (of == NONE and step == 0)
    ]
    mine.sort(key=lambda number: int(episodes.start_ns[number]))
    return tuple(
        EpisodeMark(
            number=number,
            site=SiteIndex(int(facts.site_of_episode[number])),
            start_ns=int(episodes.start_ns[number]) - facts.origin_ns,
            end_ns=int(episodes.end_ns[number]) - facts.origin_ns,
            blocking=bool(episodes.blocking[number]),
        )
        for number in mine
    )
