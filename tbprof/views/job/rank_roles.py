"""What the window of each rank says first, since its job knows who is late."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tbprof.job.blame import UNEXPLAINED
from tbprof.rules.registry import RULES
from tbprof.texts.job import fix_title, itself_late_sentence, others_sentence, overview_sentence
from tbprof.views.job.job_page import JobRank, LateCause, RankRole, RankWait
from tbprof.views.job.late_causes import is_worth_naming, phrase_of


def with_roles(
    ranks: Sequence[JobRank], waits: Sequence[RankWait], late: Sequence[LateCause]
) -> tuple[JobRank, ...]:
    """The ranks, each with what it is to the others; `late` are the latest first."""
    causes = [cause for cause in late if is_worth_naming(cause.late_us, ranks[cause.rank].step_us)]
    return tuple(
        dataclasses.replace(rank, role=_role(at, ranks, waits, causes)) for at, rank in enumerate(ranks)
    )


def _role(
    at: int, ranks: Sequence[JobRank], waits: Sequence[RankWait], causes: Sequence[LateCause]
) -> RankRole | None:
    if not causes:
        return None
    first = causes[0]
    own = next((cause for cause in causes if at in (cause.rank, *cause.also_late)), None)
    wait_us = sum(wait.wait_us for wait in waits if (wait.waiting, wait.awaited) == (at, first.rank))
    if own is not None and (own is first or own.late_us >= wait_us):
        together = [other for other in (own.rank, *own.also_late) if other != at]
        names = [ranks[other].name for other in together]
        return RankRole(
            sentence=overview_sentence(names, own.late_us, own.due_us, phrase_of(own)),
            order=fix_title(own.kind, own.cause, own.computing, ranks[at].name, own.place),
            answered_by=_rules_of(own),
            answered=_that_answer("communication"),
            opens=None,
        )
    names = [ranks[other].name for other in first.also_late]
    said = others_sentence(
        ranks[first.rank].name,
        names,
        first.late_us,
        wait_us,
        phrase_of(first),
        is_explained=first.cause != UNEXPLAINED.cause,
    )
    if own is not None:
        said = f"{said} {itself_late_sentence(own.late_us, phrase_of(own))}"
    return RankRole(sentence=said, order="", answered_by=(), answered=(), opens=first.rank)


_CASES = {
    "sync": ("waits",),
    "data": ("input",),
    "garbage_collection": ("garbage_collection",),
    "launch": ("launch_bound", "host_bound", "item_loop"),
    "python": ("host_bound", "item_loop"),
    "computing": ("busy",),
    "copying": ("copying",),
}
"""What the rules about a cause answer."""


def _rules_of(cause: LateCause) -> tuple[str, ...]:
    cases = _CASES.get(cause.cause if cause.kind == "idle" else cause.kind, ())
    return _that_answer(*cases)


def _that_answer(*cases: str) -> tuple[str, ...]:
    return tuple(rule.code for rule in RULES if set(rule.answers) & set(cases))
