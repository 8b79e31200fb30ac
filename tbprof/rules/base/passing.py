"""What rules of one kind have looked at where they found nothing."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import find_launch_idle
from tbprof.rules.base.computing import typical_ns
from tbprof.rules.base.words import (
    Collectives,
    Copies,
    EventsInSteps,
    LongPauses,
    Reads,
    ShortPauses,
    SyncPoints,
    Uploads,
)
from tbprof.trace.columns.arrays import NONE, distinct


def sync_points(facts: Facts) -> SyncPoints | None:
    """The figures of rules about what makes the host wait."""
    if not facts.work.devices:
        return None
    return SyncPoints(sync_points=int(facts.episodes.blocking.sum()), sites=len(facts.sites))


def uploads(facts: Facts) -> Uploads | None:
    """The figures of rules about copies to the device."""
    return Uploads(*_copies_of(facts, "HtoD")) if facts.work.devices else None


def reads(facts: Facts) -> Reads | None:
    """The figures of rules about copies to the host."""
    return Reads(*_copies_of(facts, "DtoH")) if facts.work.devices else None


def copies(facts: Facts) -> Copies | None:
    """The figures of rules about copies in any direction."""
    return Copies(*_copies_of(facts, "")) if facts.work.devices else None


def _copies_of(facts: Facts, direction: str) -> tuple[int, int]:
    """How many copies there are in this direction, or in all, and their bytes."""
    episodes = facts.episodes
    mine = episodes.is_copy & ((episodes.direction == DIRECTIONS.index(direction)) if direction else np.True_)
    return int(mine.sum()), int(episodes.bytes[mine].sum())


def events_in_steps(facts: Facts) -> EventsInSteps:
    """The figures of rules about what the host's events of the steps show."""
    return EventsInSteps(steps=len(facts.steps), events=facts.trace.num_events)


def events_on_device(facts: Facts) -> EventsInSteps | None:
    """The same where only a device can have it."""
    return events_in_steps(facts) if facts.work.devices else None


def short_pauses(facts: Facts) -> ShortPauses | None:
    """The figures of rules about a host that launches all the time and is late."""
    launches = _launches(facts)
    idle = facts.once(find_launch_idle).short().idle if launches else None
    return None if idle is None else ShortPauses(launches, typical_ns(facts, idle) // len(facts.steps))


def long_pauses(facts: Facts) -> LongPauses | None:
    """The figures of rules about a host that does something else."""
    launches = _launches(facts)
    idle = facts.once(find_launch_idle).long().idle if launches else None
    return None if idle is None else LongPauses(launches, typical_ns(facts, idle) // len(facts.steps))


def _launches(facts: Facts) -> int:
    """How many calls launched kernels."""
    launched = facts.work.launch[facts.work.is_kernel]
    return len(distinct(launched[launched != NONE]))


def collectives(facts: Facts) -> Collectives | None:
    """The figures of rules about communication."""
    found = len(facts.collectives.at)
    exposed_ns = int(facts.collective_exposed_ns.sum())
    return Collectives(found, exposed_ns // max(len(facts.steps), 1)) if found else None
