"""The verdict of a proof: which runs it takes, and what they show together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tbprof.preflight.prediction import ENDED_WELL
from tbprof.preflight.proof.claim import Claim, claim_of, moved_out
from tbprof.preflight.proof.record import Fault, SideRecord, StepState, Task
from tbprof.preflight.proof.result import (
    Difference,
    Printed,
    first_difference,
    printed_differences,
    sums_difference,
)
from tbprof.preflight.proof.running import Run
from tbprof.preflight.proof.sides import left_out
from tbprof.preflight.proof.work import Work, work_of
from tbprof.records import dataclass

Verdict: TypeAlias = Literal[
    "proved", "proved within rounding", "no effect", "not equal", "different work", "unsafe", "cannot tell"
]

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Result:
    equal: bool
    """To the bit; what is printed may come a step later or less often."""
    steps: int
    first_difference: Difference | None
    own_noise: tuple[float, float] | None
    """How far the program is from itself, absolute and relative; None where that was not asked."""
    printed: tuple[Printed, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    schema: int
    verdict: Verdict
    sentence: str
    work: Work | None
    result: Result | None
    claim: Claim | None
    safety: tuple[Fault, ...]
    notes: tuple[str, ...]


class _CannotTell(Exception):
    """With the reason."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """What is run; records and values of its runs go to a folder."""

    before: Task
    after: Task
    folder: Path
    run: Run

    def side(self, name: str, task: Task, **changes: Any) -> SideRecord:
        """Run a side.

        Raises:
            _CannotTell: Nothing came of it.
        """
        changes |= {
            "record": str(self.folder / f"{name}.json"),
            "values": str(self.folder / f"{name}.values"),
        }
        record, why = self.run(dataclasses.replace(task, **changes))
        if record is None:
            raise _CannotTell(f"the program {'after' if name == 'after' else 'before'} the change {why}")
        return record


def prove(tasks: Tasks, threads: int) -> Proof:
    """Run both sides, and judge the change; `threads` is the number that the second rounding takes."""
    try:
        return _judged(tasks, threads)
    except _CannotTell as reason:
        return Proof(SCHEMA, "cannot tell", _sentence(str(reason)), None, None, None, (), ())


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _judged(tasks: Tasks, threads: int) -> Proof:
    before = tasks.side("before", tasks.before)
    _check(before, "before", tasks.before)
    after = tasks.side(
        "after",
        tasks.after,
        against=str(tasks.folder / "before.json"),
        changed_from=(tasks.before.root, tasks.before.program),
    )
    failed = _failed(before, after)
    if failed:
        return Proof(SCHEMA, "not equal", failed, None, None, None, (), _notes(before, after))
    _check(after, "after", tasks.after)
    work = work_of(before, after)
    result, is_rounding = _compared(tasks, threads, before, after, is_same_work=not work.difference)
    safety, claim = tuple(_faults(before, after)), claim_of(before, after)
    verdict, sentence = _verdict(work, result, claim, safety, after.unproved, is_rounding=is_rounding)
    return Proof(SCHEMA, verdict, sentence, work, result, claim, safety, _notes(before, after))


def _compared(
    tasks: Tasks, threads: int, before: SideRecord, after: SideRecord, *, is_same_work: bool
) -> tuple[Result, bool]:
    """What came of both, and whether rounding explains the difference; where one is, more runs are made."""
    steps = min(len(before.steps), len(after.steps))
    difference, noise, is_rounding = first_difference(before, after), None, False
    printed, sums = printed_differences(before, after), sums_difference(before, after)
    is_other = any(each.how in ("gone", "other") for each in printed)
    if difference is not None or is_other or sums is not None or not is_same_work:
        values_from = next((at for at, step in enumerate(after.steps) if _has_values(step)), steps)
        again, other = tasks.side("again", tasks.before, values_from=values_from), None
        _check_own_difference(before, again)
        if difference is not None and difference.is_of_values and is_same_work:
            other = tasks.side("other", tasks.before, values_from=values_from, threads=threads)
            difference, is_rounding, noise = _rounding(tasks, difference, again, after, other)
        rounded = other if is_rounding else None
        printed = printed_differences(before, after, again, rounded)
        sums = sums_difference(before, after, again, rounded)
    if sums is not None and (difference is None or is_rounding):
        difference, is_rounding = sums, False
    return Result(difference is None, steps, difference, noise, printed), is_rounding


def _has_values(step: StepState) -> bool:
    return any(each.at is not None for each in step.tensors)


def _rounding(
    tasks: Tasks, difference: Difference, again: SideRecord, after: SideRecord, other: SideRecord
) -> tuple[Difference, bool, tuple[float, float]]:
    from tbprof.preflight.proof import rounding

    runs = [
        rounding.Run(record, tasks.folder / f"{name}.values")
        for record, name in ((again, "again"), (after, "after"), (other, "other"))
    ]
    is_rounding, noise = rounding.explained(difference, *runs)
    if is_rounding is None:
        raise _CannotTell(
            f"the two differ from step {difference.step} on, by what may be rounding, and have too many "
            "values to compare each: use a smaller model or fewer --steps"
        )
    return rounding.measured(difference, *runs[:2]), is_rounding, (noise.absolute, noise.relative)


def _check(side: SideRecord, which: str, task: Task) -> None:
    """Refuse a run that shows nothing."""
    run, program = side.prediction, f"the program {which} the change"
    asked = "".join(f"; {each}" for each in side.refused)
    asked += "; it asked for input, and there is none" if "EOFError" in run.error else ""
    if run.ending not in ENDED_WELL or run.ending == "out_of_time":
        missing = left_out(task.original, task.links)
        raise _CannotTell(f"{program} did not come to its end: {run.error.rstrip('.')}{asked}{missing}")
    if side.from_outside:
        raise _CannotTell(
            f"{program} imports {side.from_outside[0]}, which is not the side's own: the other side would "
            "run the same file; install it in no editable way, or set PYTHONPATH"
        )
    if not run.is_one_stretch and len(side.steps) < len(run.steps):
        raise _CannotTell(f"{program} takes its steps in other processes, whose tensors are not compared")
    if not side.steps:
        raise _CannotTell(f"{program} takes no optimizer step{asked}; --step-on names what ends a step")
    if not run.used_device:
        raise _CannotTell(f"{program}: {run.notes[0]}")


def _failed(before: SideRecord, after: SideRecord) -> str:
    """A sentence where only the program after the change fails by itself."""
    run = after.prediction
    if run.ending != "failed" or after.refused or "EOFError" in run.error:
        return ""
    steps = f"after {len(after.steps)} of {len(before.steps)} steps"
    return f"After the change the program fails {steps}, and before it did not: {run.error.rstrip('.')}."


def _check_own_difference(before: SideRecord, again: SideRecord) -> None:
    """Refuse a program whose own two runs differ."""
    own, work = first_difference(before, again), work_of(before, again)
    if own is None and not work.difference:
        return
    what = work.difference if own is None else f"{own.sentence} in step {own.step}"
    causes = [each for each in before.undetermined if not each.startswith("time.")] or before.undetermined
    known = f"it asks for {' and '.join(causes[:3])}" if causes else "no cause of it was seen"
    raise _CannotTell(
        f"two runs of the program before the change, from the same seeds, are not the same ({what}; {known})"
    )


def _faults(before: SideRecord, after: SideRecord) -> Iterator[Fault]:
    """What is dangerous after the change, and was not there before."""
    known = {fault.sentence for fault in before.faults}
    kinds = {fault.kind for fault in before.faults} - {"patched"}
    yield from (each for each in after.faults if each.kind not in kinds and each.sentence not in known)
    yield from _races(before, after)
    yield from moved_out(before, after)


_RACES = {
    "race": "reads a copy from the device that nothing has waited for",
    "device_mismatch": "uses a tensor of the host beside those of the device, which fails on a GPU",
}


def _races(before: SideRecord, after: SideRecord) -> Iterator[Fault]:
    old = {(site.kind, site.statement) for site in before.prediction.sites if site.kind in _RACES}
    for site in after.prediction.sites:
        if site.kind in _RACES and (site.kind, site.statement) not in old:
            source = f"{site.source.file}:{site.source.line}"
            yield Fault(site.kind, source, f"{source} ({site.code}) {_RACES[site.kind]}")


def _verdict(
    work: Work,
    result: Result,
    claim: Claim,
    safety: tuple[Fault, ...],
    unproved: tuple[str, ...],
    *,
    is_rounding: bool,
) -> tuple[Verdict, str]:
    if work.difference:
        return "different work", f"The two do not do the same work: {work.difference}."
    if result.first_difference is not None and not is_rounding:
        return "not equal", _not_equal(result)
    wrong = [each for each in result.printed if each.how in ("gone", "other")]
    if wrong:
        return "not equal", _wrongly_printed(wrong[0])
    if safety:
        return "unsafe", f"The result is the same in a run without a GPU, but {safety[0].sentence}."
    if unproved:
        return "cannot tell", f"The result is the same{_so_far(result)}, but {unproved[0]}{_HOW_TO_REACH}."
    is_later = claim.is_later and any(each.how == "late" for each in result.printed)
    if not claim.is_gain and not is_later:
        return "no effect", f"The result is the same{_so_far(result)}, and {_without_gain(claim)}."
    within = " within the program's own rounding" if is_rounding else ""
    verdict: Verdict = "proved within rounding" if is_rounding else "proved"
    return verdict, f"The result is the same{within}{_so_far(result)}, with {_gains(claim) or _LATER}."


_HOW_TO_REACH = ": more --steps or a smaller run may reach it"


def _so_far(result: Result) -> str:
    return f" over {result.steps} step{'s' * (result.steps != 1)}"


def _not_equal(result: Result) -> str:
    first = result.first_difference
    assert first is not None
    by = f" by up to {first.absolute:.3g} ({_share(first.relative)})" if first.absolute is not None else ""
    at = f", from {first.source}" if first.source else ""
    own = result.own_noise
    itself = (
        f"; the program differs from itself by {own[0]:.3g}" if own and first.absolute is not None else ""
    )
    return f"In step {first.step} {first.sentence}{by}{at}{itself}."


def _share(relative: float | None) -> str:
    return "of nothing" if relative in (None, float("inf")) else f"{relative:.2g} of its largest value"


def _wrongly_printed(printed: Printed) -> str:
    if printed.how == "gone":
        return f"What was printed or tracked as `{printed.words}` ({printed.was}) no longer is."
    return (
        f"What is printed or tracked as `{printed.words}` is {printed.now} in step {printed.step}, and was "
        f"{printed.was}."
    )


def _without_gain(claim: Claim) -> str:
    before, after = claim.sync_points
    if after > before:
        return f"the host waits more often, {before:g} -> {after:g} times a step"
    if after < before and claim.pinned[1] > claim.pinned[0]:
        return f"what no longer waits is now pinned first, {claim.pinned[1]:g} times a step"
    moved = f"; {claim.moved[0].source} only moved" if claim.moved and before else ""
    if before == after:
        return f"so is what a step waits for, {before:g} times{moved}"
    return f"nothing of it is less{moved}"


_LATER = "what is printed or tracked read one step later, when it is ready"


def _gains(claim: Claim) -> str:
    """The figures that changed."""
    named = {
        "sync points": claim.sync_points,
        "copies": claim.copies,
        "bytes copied": claim.bytes,
        "operators": claim.operators,
    }
    changed = [f"{name} {old:g} -> {new:g}" for name, (old, new) in named.items() if old != new]
    return f"{', '.join(changed)} a step" if changed else ""


def _notes(before: SideRecord, after: SideRecord) -> tuple[str, ...]:
    asked = [f"After the change {each}" for each in after.refused if each not in before.refused]
    return tuple(dict.fromkeys((*before.prediction.notes, *after.prediction.notes, *before.refused, *asked)))
