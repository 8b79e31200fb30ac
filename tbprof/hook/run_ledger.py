"""The wall time of a run, given to parts: each moment to exactly one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import groupby
from statistics import median

from tbprof.hook.audit.stack_sampler import Stack
from tbprof.hook.pause_places import PausePlaces, part_of_name, place_of
from tbprof.hook.pause_watcher import pause_before_next
from tbprof.hook.step_clock import COLD_FACTOR, Mark
from tbprof.model.run_time import RUN_PARTS, PartTime, Pause, RunPart

OUTSIDE = "between trainings"
"""What begins where a training ends that another may follow."""

Sample = tuple[int, Stack]

_RECENT = 200
_SLOW_FACTOR, _LEAST_SLOW_NS = 2, 100_000
_PAUSE_FACTOR, _LEAST_PAUSE_NS = 10, 20_000_000
_MOST_PAUSES = 40


class RunLedger:
    """Reads marks and samples in the order of their time. Instants are those of `perf_counter_ns`."""

    def __init__(self, began_ns: int, samples_until: Callable[[int], list[Sample]]) -> None:
        """`samples_until` gives the samples of a pause up to an instant, each once."""
        self.places = PausePlaces()
        self.steps = 0
        self.at_ns = self.began_ns = began_ns
        """Up to there the time has been given to parts."""
        self._samples_until = samples_until
        self._ns: Counter[RunPart] = Counter()
        self._counts: Counter[RunPart] = Counter()
        self._lengths: Counter[int] = Counter()
        self._pauses: list[Pause] = []
        self._recent: deque[int] = deque(maxlen=_RECENT)
        self._phases: list[str] = []
        self._has_begun = False
        self._is_cold = True
        self._carried_ns = 0
        """What the step that is under way took before a phase within it."""

    @property
    def usual_ns(self) -> int:
        """How long a step takes of late; 0 before the first one."""
        return int(median(self._recent)) if self._recent else 0

    @property
    def parts(self) -> tuple[PartTime, ...]:
        counts = {**self._counts, "steps": self.steps}
        return tuple(
            PartTime(part, self._ns[part], counts.get(part, 0)) for part in RUN_PARTS if self._ns[part]
        )

    @property
    def lengths(self) -> tuple[tuple[int, int], ...]:
        return tuple((1 << bits, self._lengths[bits]) for bits in sorted(self._lengths))

    @property
    def pauses(self) -> tuple[Pause, ...]:
        self._drop_short_pauses(_MOST_PAUSES)
        return tuple(sorted(self._pauses, key=lambda pause: pause.at_ns))

    def take(self, marks: Sequence[Mark]) -> None:
        """Give the time up to the last of these marks to parts."""
        for mark in marks:
            if isinstance(mark, list):
                self._recent.extend(mark[-_RECENT:])
        usual_ns = self.usual_ns
        for mark in marks:
            if isinstance(mark, int):
                self._restart(mark)
            elif isinstance(mark, tuple):
                self._phase(*mark)
            elif self._phases:
                # Nobody saw the beginning of such a step.
                self.steps += len(mark)
            else:
                self._take_steps(mark, usual_ns)
        self._drop_short_pauses(2 * _MOST_PAUSES)

    def _take_steps(self, lengths_ns: Sequence[int], usual_ns: int) -> None:
        slow_ns = max(_SLOW_FACTOR * usual_ns, usual_ns + _LEAST_SLOW_NS)
        if self._is_in_steps and max(lengths_ns) <= slow_ns:
            # Nearly all are such steps, of which no sample is asked for.
            self._take_usual_steps(lengths_ns)
            return
        for is_usual, run in groupby(lengths_ns, slow_ns.__ge__):
            following_ns = list(run)
            while following_ns and not (is_usual and self._is_in_steps):
                self._step(self.at_ns + following_ns.pop(0), usual_ns, slow_ns)
            self._take_usual_steps(following_ns)

    def _take_usual_steps(self, lengths_ns: Sequence[int]) -> None:
        took_ns = sum(lengths_ns)
        self.at_ns += took_ns
        self.steps += len(lengths_ns)
        self._ns["steps"] += took_ns
        self._lengths.update(map(int.bit_length, lengths_ns))

    @property
    def _is_in_steps(self) -> bool:
        """Whether steps follow each other at their usual length."""
        return not (self._is_cold or self._phases or self._carried_ns)

    def end(self, at_ns: int) -> None:
        """Nothing comes after this instant."""
        self._spend("outside", at_ns, "")
        self._leave_carried()

    def _restart(self, at_ns: int) -> None:
        """What came before was no step."""
        if not self._has_begun:
            self._has_begun = True
            self._spend("start", at_ns, "")
        elif self._phases:
            self._spend(_part_of_phase(self._phases[-1]), at_ns, self._phases[-1])
            if self._phases == [OUTSIDE]:
                self._phases.clear()
        else:
            self._spend("recording", at_ns, "")

    def _phase(self, name: str | None, at_ns: int) -> None:
        if self._phases:
            self._spend(_part_of_phase(self._phases[-1]), at_ns, self._phases[-1])
        elif self._has_begun:
            self._carried_ns += self._explained(at_ns)
        else:
            self._restart(at_ns)
        if name is None:
            del self._phases[-1:]
        elif name == OUTSIDE:
            self._phases = [OUTSIDE]
            self._leave_carried()
        else:
            self._phases.append(name)

    def _leave_carried(self) -> None:
        """What was done since the last step is none where no other one comes."""
        self._ns["outside"] += self._carried_ns
        self._carried_ns = 0

    def _step(self, at_ns: int, usual_ns: int, slow_ns: int) -> None:
        began_ns, self._has_begun = self.at_ns, True
        own_ns = self._explained(at_ns, usual_ns - self._carried_ns) + self._carried_ns
        self._carried_ns = 0
        self.steps += 1
        self._lengths[own_ns.bit_length()] += 1
        beyond_ns = own_ns - usual_ns
        if self._is_cold and usual_ns and own_ns > COLD_FACTOR * usual_ns:
            self._add("start", beyond_ns)
        elif usual_ns and own_ns > slow_ns:
            self._add("slow", beyond_ns)
            if own_ns > max(_PAUSE_FACTOR * usual_ns, _LEAST_PAUSE_NS):
                self._note_pause("slow", began_ns, beyond_ns, self._latest_place)
        else:
            self._is_cold, beyond_ns = False, 0
        self._ns["steps"] += own_ns - beyond_ns

    _latest_place = ""
    """Where the time went of the latest interval that was sampled and that nothing explains."""

    def _explained(self, at_ns: int, least_ns: int = 0) -> int:
        """Give to parts what samples say up to an instant; the time that they do not explain.

        Args:
            at_ns: The end.
            least_ns: So much is left, if there is as much: that of a step, before or after a pause.
        """
        began_ns, samples = self._samples(at_ns)
        self._latest_place = ""
        if not samples:
            return at_ns - began_ns
        parts = [self.places.part(stack) for _, stack in samples]
        spent = _split(began_ns, at_ns, samples, parts)
        own_ns = spent.pop(None, 0)
        self._latest_place = _place(samples, parts, None)
        # The first samples come late: what they stand for begins with the usual work, if it is nowhere else.
        for part in spent:
            back_ns = max(0, min(least_ns - own_ns, spent[part]))
            own_ns, spent[part] = own_ns + back_ns, spent[part] - back_ns
        for named, ns in spent.items():
            if named is not None and ns > 0:
                self._add(named, ns)
                self._note_pause(named, began_ns, ns, _place(samples, parts, named))
        return own_ns

    def _samples(self, at_ns: int) -> tuple[int, list[Sample]]:
        """Since when time is to be given to parts, and what was sampled from then up to an instant."""
        began_ns, self.at_ns = self.at_ns, at_ns
        return began_ns, [sample for sample in self._samples_until(at_ns) if sample[0] > began_ns]

    def _spend(self, part: RunPart, at_ns: int, label: str) -> None:
        """Give the time up to an instant to a part, but for what samples say otherwise."""
        began_ns, samples = self._samples(at_ns)
        if part in ("recording", "start"):
            samples = []
        parts = [self.places.part(stack) or part for _, stack in samples]
        for named, ns in _split(began_ns, at_ns, samples, parts, otherwise=part).items():
            assert named is not None, "each has a part"
            self._add(named, ns)
            if part not in ("recording", "start"):
                place = label if named == part and label != OUTSIDE else ""
                self._note_pause(named, began_ns, ns, place or _place(samples, parts, named))

    def _add(self, part: RunPart, ns: int) -> None:
        self._ns[part] += ns
        self._counts[part] += 1

    def _note_pause(self, part: RunPart, began_ns: int, ns: int, place: str) -> None:
        if ns >= _LEAST_PAUSE_NS:
            self._pauses.append(Pause(part, began_ns - self.began_ns, ns, self.steps, place))

    def _drop_short_pauses(self, most: int) -> None:
        if len(self._pauses) > most:
            self._pauses = sorted(self._pauses, key=lambda pause: -pause.ns)[:_MOST_PAUSES]


def _part_of_phase(label: str) -> RunPart:
    return "outside" if label == OUTSIDE else part_of_name(label.lower()) or "phase"


def _split(
    began_ns: int,
    end_ns: int,
    samples: Sequence[Sample],
    parts: Sequence[RunPart | None],
    otherwise: RunPart | None = None,
) -> Counter[RunPart | None]:
    """The time by part: what a sample says holds until half of the time after which the next one is due.

    One that comes later was kept waiting by what it finds, which holds Python's lock.
    """
    spent: Counter[RunPart | None] = Counter()
    at_ns = began_ns
    following_ns = [*(sample_ns for sample_ns, _ in samples[1:]), end_ns]
    for part, (sample_ns, _), next_ns in zip(parts, samples, following_ns, strict=False):
        due_ns = min(next_ns - sample_ns, pause_before_next(sample_ns - began_ns))
        spent[part] += sample_ns + due_ns // 2 - at_ns
        at_ns = sample_ns + due_ns // 2
    spent[otherwise] += end_ns - at_ns
    return spent


def _place(samples: Sequence[Sample], parts: Sequence[RunPart | None], part: RunPart | None) -> str:
    """The line of most samples of a part."""
    lines = Counter(place_of(stack) for (_, stack), one in zip(samples, parts, strict=True) if one == part)
    return lines.most_common(1)[0][0] if lines else ""
