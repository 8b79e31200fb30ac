"""What a change does to the lines that wait and copy, by their text: gone, new, moved, or as often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tbprof.preflight.prediction import PredictedSite
from tbprof.preflight.proof.record import Fault, SideRecord
from tbprof.records import dataclass

_FEWER_OPERATORS = 0.95
"""Below this share of the operators there is an effect; a line of arithmetic more or less is none."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that waits or copies, with how often in a step, before and after."""

    source: str
    code: str
    kind: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Claim:
    """Figures of a step, before and after: means of the steps after the second, where there are any.

    What is read a step later is not read in the first two; that it is not is no gain.
    """

    gone: tuple[Line, ...]
    new: tuple[Line, ...]
    moved: tuple[Line, ...]
    changed: tuple[Line, ...]
    """Lines that are there as before, and run more or less often."""
    sync_points: tuple[float, float]
    copies: tuple[float, float]
    blocking_copies: tuple[float, float]
    """Copies that wait for all that the device has to do before them."""
    pinned: tuple[float, float]
    """How often the program itself pins memory: that takes longer than a copy that waits."""
    bytes: tuple[float, float]
    operators: tuple[float, float]
    """Operators with tensors of the device: each launches a kernel or more."""
    peak_bytes: tuple[int | None, int | None]
    """Allocated on the device, as `tbprof fits` follows it."""

    @property
    def is_gain(self) -> bool:
        """Whether the host waits less often, or as often with less to copy or to launch."""
        waits = [points + pinned for points, pinned in zip(self.sync_points, self.pinned, strict=True)]
        if self.sync_points[0] != self.sync_points[1]:
            return waits[1] < waits[0]
        less = [after < before for before, after in (self.copies, self.bytes)]
        more = [after > before for before, after in (self.copies, self.bytes)]
        if any(more):
            return False
        return any(less) or self.operators[1] < self.operators[0] * _FEWER_OPERATORS

    @property
    def is_later(self) -> bool:
        """Whether nothing is more, and fewer copies wait for all that the device has to do.

        The wait for an event of the step before is over once the next step has been launched.
        """
        is_less = self.blocking_copies[1] < self.blocking_copies[0]
        return is_less and self.sync_points[1] <= self.sync_points[0] and self.copies[1] <= self.copies[0]


def claim_of(before: SideRecord, after: SideRecord) -> Claim:
    gone, new, moved, changed = _lines(before, after)
    return Claim(
        gone=gone,
        new=new,
        moved=moved,
        changed=changed,
        sync_points=(_sync_points(before), _sync_points(after)),
        copies=(_copies(before), _copies(after)),
        blocking_copies=(_copies(before, blocking=True), _copies(after, blocking=True)),
        pinned=(_usual(before.pinned[:-1]), _usual(after.pinned[:-1])),
        bytes=(_bytes(before), _bytes(after)),
        operators=(_usual(_operators(before)), _usual(_operators(after))),
        peak_bytes=(before.peak_bytes, after.peak_bytes),
    )


def moved_out(before: SideRecord, after: SideRecord) -> Iterator[Fault]:
    """Work that most steps no longer do, and that the set-up or one step now does for all of them."""
    figures = {
        "run {:g} operators": (_operators(before), _operators(after)),
        "wait {:g} times": (_points_by_step(before), _points_by_step(after)),
    }
    for what, (old, new) in figures.items():
        fewer, in_all = _usual(old) - _usual(new), sum(old) - sum(new)
        if fewer >= 1 and len(new) > 1 and in_all < fewer * len(new) / 2:
            yield Fault(
                "moved",
                "",
                f"the steps {what.format(fewer)} less each, and the whole run {in_all:g} less: the work is "
                "done before the steps that are counted",
            )


def _operators(side: SideRecord) -> Sequence[int]:
    """The counts of the steps alone; a run goes on for a moment after its last."""
    return side.operators[: len(side.steps)]


def _points_by_step(side: SideRecord) -> list[int]:
    sites = [site for site in side.prediction.sites if site.blocking]
    return [sum(site.per_step[at] for site in sites) for at in range(len(side.steps))]


def _usual(by_step: Sequence[int]) -> float:
    return _mean(by_step[2:] or by_step[1:] or by_step)


def _mean(counts: Sequence[int]) -> float:
    return sum(counts) / len(counts) if counts else 0.0


def _often(site: PredictedSite, side: SideRecord) -> float:
    return _usual(site.per_step[: len(side.steps)])


def _sync_points(side: SideRecord) -> float:
    return sum(_often(site, side) for site in side.prediction.sites if site.blocking)


def _copies(side: SideRecord, *, blocking: bool = False) -> float:
    found = (site for site in side.prediction.sites if site.direction and (site.blocking or not blocking))
    return sum(_often(site, side) for site in found)


def _bytes(side: SideRecord) -> float:
    return sum(
        _often(site, side) * site.bytes / site.count for site in side.prediction.sites if site.direction
    )


def _lines(before: SideRecord, after: SideRecord) -> tuple[tuple[Line, ...], ...]:
    """The lines that are gone, new, moved and changed."""
    of_before, of_after = _by_line(before), _by_line(after)
    gone = {key: value for key, value in of_before.items() if key not in of_after}
    new = {key: value for key, value in of_after.items() if key not in of_before}
    moved: list[Line] = []
    for key in list(gone):
        code, kind, _ = key
        other = next((each for each in new if each[:2] == (code, kind)), None)
        if other is not None:
            (source, often), (place, now) = gone.pop(key), new.pop(other)
            moved.append(Line(f"{source} -> {place}", code, kind, often, now))
    both = [(key, of_before[key], of_after[key]) for key in of_before if key in of_after]
    changed = [
        Line(place, code, kind, often, now)
        for (code, kind, _), (_, often), (place, now) in both
        if often != now
    ]
    return (
        tuple(Line(source, code, kind, often, 0.0) for (code, kind, _), (source, often) in gone.items()),
        tuple(Line(source, code, kind, 0.0, often) for (code, kind, _), (source, often) in new.items()),
        tuple(moved),
        tuple(changed),
    )


def _by_line(side: SideRecord) -> dict[tuple[str, str, str], tuple[str, float]]:
    """Where each line is and how often it runs, by text, kind and function: its number says nothing."""
    found: dict[tuple[str, str, str], tuple[str, float]] = {}
    often: dict[tuple[str, str, str], float] = defaultdict(float)
    for site in side.prediction.sites:
        key = (" ".join(site.statement.split()), site.kind, site.source.function)
        often[key] += _often(site, side)
        found[key] = f"{site.source.file}:{site.source.line}", often[key]
    return {key: value for key, value in found.items() if value[1]}
