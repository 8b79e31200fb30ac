"""What changed since the run before: the step's length, and waits that a new commit added.

The run before is the last one of the same family: in the same folder, under a name that differs in its
numbers only, on as many GPUs. What was recorded of other programs says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tbprof.file_names import run_family
from tbprof.records import dataclass
from tbprof.texts.fleet.sentences import NO_COMMIT, NO_RUN_BEFORE, added_sentence
from tbprof.views.fleet.summary import SummaryWait


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run as the one after it is compared with it."""

    run: str
    at_ns: int
    gpus: int
    step_us: float | None
    commit: str | None
    waits: Mapping[str, SummaryWait]
    """By fingerprint."""
    is_known: bool
    """Whether all of its ranks were read: else a wait that is missing proves nothing."""


@dataclass(frozen=True, slots=True)
class RunChange:
    """See the fields of these names of `FleetRow`."""

    before: str | None
    change: float | None
    is_alarm: bool
    alarm: str


def changes_since_before(runs: Sequence[Recorded]) -> dict[str, RunChange]:
    """By run."""
    last: dict[tuple[str, int], Recorded] = {}
    found: dict[str, RunChange] = {}
    for run in sorted(runs, key=lambda run: (run.at_ns, run.run)):
        family = run_family(run.run), run.gpus
        found[run.run] = _change(last.get(family), run)
        last[family] = run
    return found


def _change(before: Recorded | None, run: Recorded) -> RunChange:
    alarm, is_alarm = _alarm(before, run)
    if before is None or not before.step_us or run.step_us is None:
        return RunChange(None if before is None else before.run, None, is_alarm, alarm)
    return RunChange(before.run, run.step_us / before.step_us - 1, is_alarm, alarm)


def _alarm(before: Recorded | None, run: Recorded) -> tuple[str, bool]:
    if before is None:
        return NO_RUN_BEFORE, False
    if run.commit is None or before.commit is None:
        return NO_COMMIT, False
    added = [wait for key, wait in run.waits.items() if key not in before.waits]
    if run.commit == before.commit or not added or not before.is_known:
        return "", False
    return added_sentence(added[0].rule, added[0].place, len(added) - 1, run.commit), True
