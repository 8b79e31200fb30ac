"""What rules of one kind have looked at where they found nothing."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import find_launch_idle
from tbprof.model import Numbers
from tbprof.rules.base.computing import typical_ns
from tbprof.rules.base.rule import Passing, duration_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count, size
from tbprof.trace.columns.arrays import NONE, distinct


def counted(numbers: Numbers, name: str, one: str) -> str:
    """`12 sync points`, of the number called `name`."""
    return count(int(numbers[name]), one)


def _sync_points(facts: Facts) -> Numbers | None:
    if not facts.work.devices:
        return None
    return {"sync_points": int(facts.episodes.blocking.sum()), "sites": len(facts.sites)}


def _sync_points_note(numbers: Numbers, _: Scope) -> str:
    if not numbers["sync_points"]:
        return "The window has no sync point."
    return f"{counted(numbers, 'sync_points', 'sync point')} looked at, none is of this kind."


SYNC_POINTS = Passing(_sync_points, _sync_points_note)
"""Of rules about what makes the host wait."""


def _of_copies(name: str, direction: str = "") -> Passing:
    """Of copies in one direction, or of all; `name` is how several are called."""

    def looked_at(facts: Facts) -> Numbers | None:
        if not facts.work.devices:
            return None
        episodes = facts.episodes
        mine = episodes.is_copy & (
            (episodes.direction == DIRECTIONS.index(direction)) if direction else np.True_
        )
        return {"copies": int(mine.sum()), "bytes": int(episodes.bytes[mine].sum())}

    def note(numbers: Numbers, _: Scope) -> str:
        found, bytes_ = int(numbers["copies"]), int(numbers["bytes"])
        if not found:
            return f"The window has no {name}."
        return f"{found:,} {name} of {size(bytes_)} looked at, none is of this kind."

    return Passing(looked_at, note)


UPLOADS = _of_copies("copies to the device", "HtoD")
READS = _of_copies("copies to the host", "DtoH")
COPIES = _of_copies("copies")


def _in_steps(facts: Facts) -> Numbers | None:
    return {"steps": len(facts.steps), "events": facts.trace.num_events}


def _in_steps_note(numbers: Numbers, _: Scope) -> str:
    events = counted(numbers, "events", "event")
    return f"{events} of {counted(numbers, 'steps', 'step')} looked at, nothing found."


IN_STEPS = Passing(_in_steps, _in_steps_note)
"""Of rules about what the host's events of the steps show."""

ON_DEVICE = Passing(lambda facts: _in_steps(facts) if facts.work.devices else None, _in_steps_note)
"""The same where only a device can have it."""


def _of_launches(kind: str, words: str) -> Passing:
    """Of the idle after `short` pauses between launches, or after `long` ones."""

    def looked_at(facts: Facts) -> Numbers | None:
        launched = facts.work.launch[facts.work.is_kernel]
        launches = len(distinct(launched[launched != NONE]))
        if not launches:
            return None
        pieces = facts.once(find_launch_idle)
        idle = (pieces.short() if kind == "short" else pieces.long()).idle
        return {"launches": launches, f"{kind}_per_step_ns": typical_ns(facts, idle) // len(facts.steps)}

    def note(numbers: Numbers, scope: Scope) -> str:
        idle = duration_of(numbers, f"{kind}_per_step_ns")
        launches = count(int(numbers["launches"]), "launch", "launches")
        return f"{launches}: {words} leave the GPU idle for {idle} {scope.each}."

    return Passing(looked_at, note)


SHORT_PAUSES = _of_launches("short", "those that follow one another at once")
"""Of rules about a host that launches all the time and is late."""

LONG_PAUSES = _of_launches("long", "pauses between them")
"""Of rules about a host that does something else."""


def _collectives(facts: Facts) -> Numbers | None:
    collectives = len(facts.collectives.at)
    exposed_ns = int(facts.collective_exposed_ns.sum())
    if not collectives:
        return None
    return {"collectives": collectives, "exposed_per_step_ns": exposed_ns // max(len(facts.steps), 1)}


def _collectives_note(numbers: Numbers, scope: Scope) -> str:
    exposed = duration_of(numbers, "exposed_per_step_ns")
    found = counted(numbers, "collectives", "collective")
    return f"{found}, with nothing computed beside them for {exposed} {scope.each}."


COLLECTIVES = Passing(_collectives, _collectives_note)
