"""Every kind of step that a hook makes of a training's, each doing the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import tbprof

Result = TypeVar("Result")

SCHEDULE = tbprof.Schedule(skip_first=1, warmup=2, active=1)

STEPS = 10

EVERYTHING: dict[str, object] = {"memory": True, "record_inputs": True, "profile_memory": True}
"""But call stacks, of which a step that calls each function there is has too many."""

KINDS = frozenset(
    ("ordinary", "warm-up", "warm-up, audited", "recorded", "audit", "second audit", "inputs", "memory")
)


def kind_of_step(hook: tbprof.TrainerHook) -> str:
    """What the hook makes of the step that is under way."""
    session = hook._run._session
    if session is None:
        return "ordinary"
    after, window = session._post_window, session._window
    if window is not None:
        if window.is_recording:
            return "recorded"
        return "warm-up" if after._audit is None else "warm-up, audited"
    if after._audit is not None:
        return "second audit" if after._audit.has_seen_a_step or _is_second(after._audit) else "audit"
    if after._inputs.are_recorded:
        return "inputs"
    return "memory" if after._memory.is_recording or session._memory.is_recording else "ordinary"


def _is_second(audit: object) -> bool:
    """Whether the step before was looked at as well, and this one takes its place."""
    return bool(audit._recorder._is_second_look)  # type: ignore[attr-defined]


def steps_of_each_kind(
    folder: Path, work: Callable[[], Result], **options: object
) -> Iterator[tuple[str, Result]]:
    """What `work` gives in each step of a watched run, with the kind of that step."""
    options = {"schedule": SCHEDULE, "worker": "w", "trackers": False, **options}
    with tbprof.TrainerHook(folder, **options) as hook:  # type: ignore[arg-type]
        for _ in range(STEPS):
            kind = kind_of_step(hook)
            yield kind, work()
            hook.step()
        hook.close(wait_s=0)
