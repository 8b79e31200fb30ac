"""Figures of findings about launches."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import LongPauses, ShortPauses, about, duration_of
from tbprof.texts.figures.places import name_words, place_words
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class BoundCode(Figures):
    """Code whose kernels the device waits for."""

    place: str
    """The label or function; "" for code outside of all of them."""
    kernels_per_step: float
    median_kernel_ns: int
    ops_per_step: float
    idle_per_step_ns: int
    graph_blockers: int
    """Sites with a sync point in a step, which can be no part of a CUDA graph."""

    def sentence(self, scope: Scope, /) -> str:
        kernels = f"{about(self.kernels_per_step)} kernels {scope.each}"
        said = [f"{kernels}, {duration_of(self.median_kernel_ns)} long at the median"]
        if self.ops_per_step:
            ops = "op" if self.ops_per_step == 1 else "ops"
            said.append(f"launched by {about(self.ops_per_step)} {ops}")
        place = place_words(self.place)
        return f"{', '.join(said)}, {f'in {place}' if place else 'outside every label and function'}."


@dataclass(frozen=True, slots=True)
class HostPauses(Figures):
    """Pauses between launches at one place."""

    place: str
    """The code that the host is in; "" where none was recorded."""
    idle_per_step_ns: int
    all_places_per_step_ns: int
    largest: str = ""
    """The operator that holds most of them."""
    largest_share: float = 0.0
    launches: bool = False
    """Whether most of the pauses lie in operators that are slow to launch their work."""
    before: str = ""
    """The operators between which most of their time lies."""
    after: str = ""
    between: float = 0.0
    """How many a step lie between these."""
    between_share: float | None = None
    """The part of the pauses that lies between them, 0 to 1."""
    operators: float | None = None
    """How many operators run in them and launch nothing, a step."""
    most_often: str = ""
    """The most frequent of these."""
    function: str = ""
    """The deepest function that holds much of the pauses, where Python frames were recorded."""
    function_share: float | None = None
    sampled_share: float | None = None
    """The place's share of the hook's samples outside of torch's operators, where these name it."""
    samples: int | None = None
    """How many there are."""

    @property
    def in_place_ns(self) -> int:
        """The part of the idle of a step that lies in the place, by the samples where these name it."""
        part = 1.0 if self.sampled_share is None else self.sampled_share
        return round(self.idle_per_step_ns * part)

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.idle_per_step_ns)} {scope.each}"
        if self.sampled_share is not None:
            part = f"{share(self.sampled_share)} of {self.samples:,} samples"
            return (
                f"{spent} in code that calls no operator of torch's: {part} lie in {place_words(self.place)}."
            )
        if not self.place and not self._names_largest:
            return f"{spent} in code that was not recorded{self._around(scope)}{self._running(scope)}."
        spent = f"{spent} in {place_words(self.place) or 'code that was not recorded'}"
        if self._names_largest:
            return f"{spent}: {share(self.largest_share)} of it in `{name_words(self.largest)}`."
        if self._names_function:
            return f"{spent}: {share(self.function_share or 0.0)} of it in {self.function}."
        return f"{spent}{self._around(scope)}{self._running(scope)}."

    @property
    def order(self) -> str:
        """The largest thing with a name is what to change; where nothing was recorded, where to look."""
        if _PREPARES.search(self.place) or (self._names_function and _PREPARES.search(self.function)):
            return "Prepare batches in worker processes, or before the step"
        if self.sampled_share is not None:
            return f"Shorten {place_words(self.place)}, or move it out of the step"
        if made := self._made:
            what = f"torch.{made}(..., device='cuda')"
            return f"Make this tensor on the GPU: `{what}` instead of `{made}` on the CPU and a copy"
        if self._launches_often:
            return (
                f"Launch less often, above all `{name_words(self.largest)}`: record a CUDA graph, or compile"
            )
        if self._names_largest:
            return f"Shorten `{name_words(self.largest)}` on the host, or move it out of the step"
        if self._names_function:
            above = (self.function_share or 0.0) < _NEARLY_ALL
            does = f"the host's own work here, above all {self.function}" if above else self.function
            return f"Shorten {does}, or move it out of the step"
        if self.before and self.after and not _IS_CODE.search(self.place):
            return f"Shorten what the host does between {self._pair}"
        return ""

    @property
    def how(self) -> str:
        """Only for what is made on the host, and for what is launched there."""
        if self._made:
            return "Pass `device=` to the call that makes it, and leave the copy out."
        if self._launches_often and not _PREPARES.search(self.place) and self.sampled_share is None:
            return "Use the fused form of the library, compile that code, or record it as a CUDA graph."
        return ""

    @property
    def _made(self) -> str:
        """The factory of torch's that the host runs there for most of the time; "" if none."""
        made = _MADE_ON_HOST.fullmatch(self.largest if self._names_largest else self.place)
        return "" if made is None else made[1]

    @property
    def _launches_often(self) -> bool:
        return self.launches and self.largest_share >= _LEAST_NAMED

    @property
    def _names_largest(self) -> bool:
        """Not inside an operator: what it is made of nobody can change."""
        return self.largest_share >= _LEAST_NAMED and not _IS_OPERATOR.match(self.place)

    @property
    def _names_function(self) -> bool:
        """Not where it is the place itself."""
        innermost = self.function.rpartition(" ")[2]
        return bool(self.function) and not self.place.endswith(f": {innermost}")

    def _running(self, scope: Scope) -> str:
        if not self.operators or self.operators < _MANY_OPERATORS:
            return ""
        often = f"`{name_words(self.most_often)}` most often"
        return f"; {about(self.operators)} operators that launch nothing run in it {scope.each}, {often}"

    def _around(self, scope: Scope) -> str:
        if not self.before or not self.after:
            return ""
        part = (
            "most" if self.between_share is None or self.between_share >= _MOST else share(self.between_share)
        )
        often = f"{'once' if self.between == 1 else f'{about(self.between)} times'} {scope.each}"
        return f", {part} of it between {self._pair}, {often}"

    @property
    def _pair(self) -> str:
        return f"`{name_words(self.before)}` and `{name_words(self.after)}`"


_LEAST_NAMED = 0.25
"""The part of the pauses from which an operator in them is what to change."""

_MADE_ON_HOST = re.compile(
    r"aten::(rand|randn|randint|randperm|zeros|ones|full|arange|linspace|eye|normal|empty|tensor)"
)
_IS_OPERATOR = re.compile(r"\w+::")
_IS_CODE = re.compile(r"\.pyx?(?:\(\d+\)|:\d+)?[: ]|^\w+::")
"""A function, or an operator: all others are ranges, in which there can be anything."""
_MOST = 0.5
_NEARLY_ALL = 0.8
_MANY_OPERATORS = 50
_PREPARES = re.compile(r"(?i)preprocess|image_processing|collate|tokeniz|transforms?[./]")


@dataclass(frozen=True, slots=True)
class CompiledKernels(Figures):
    """Kernels of compiled code, which the device does not wait for."""

    compiled: int
    kernels: int

    def sentence(self, _: Scope, /) -> str:
        compiled = f"{self.compiled:,} of {self.kernels:,} kernels come from compiled code"
        return f"{compiled}, and the GPU does not wait for them."


@dataclass(frozen=True, slots=True)
class ItemLoop(Figures):
    """A loop that asks the same of the device for one item after the other."""

    place: str
    """The label or function; "" outside of all of them."""
    lines: str
    """The lines of its waits, as far as they are known."""
    calls: str
    """What a turn asks of the device: the names of the most common ops."""
    selects: int
    """Whether its turns take items out of a tensor and look at them; else each may need the one before it."""
    turns: float
    """A step."""
    turn_ns: int
    device_per_turn_ns: int
    loop_per_step_ns: int
    idle_per_step_ns: int
    waits: float
    """A step, as are the others below."""
    waits_ns: int
    kernels: float

    def sentence(self, scope: Scope, /) -> str:
        turns = f"{about(self.turns)} turns {scope.each}, {duration_of(self.turn_ns)} each"
        works = f"of which the GPU works {duration_of(self.device_per_turn_ns)}"
        place = self.lines or place_words(self.place)
        where = f", in {place}" if place else ", outside every label and function"
        parts = [f"{about(self.kernels)} kernels"]
        if self.waits:
            parts.insert(0, f"{about(self.waits)} waits ({duration_of(self.waits_ns)})")
        said = f"{turns}, {works}{where}: {self.calls}. Part of it {scope.each}: {' and '.join(parts)}."
        return said if self.selects else f"{said} {_MAY_BE_NEEDED}"


_MAY_BE_NEEDED = "If a turn needs what the one before it found, as in a scan or a solver, it stays a loop."


@dataclass(frozen=True, slots=True)
class FewItemLoops(Figures):
    """What the host asks of the device, and turns of loops over items that hardly cost anything."""

    launches: int
    turns: int

    def sentence(self, _: Scope, /) -> str:
        launches = f"{self.launches:,} launches looked at"
        if not self.turns:
            return f"{launches}: none of them repeat item by item."
        return f"{launches}: {self.turns:,} turns of loops over items, and the GPU hardly waits for them."


@dataclass(frozen=True, slots=True)
class SmallGrids(Figures):
    """Kernels with less than a block for each multiprocessor."""

    share: float
    per_step_ns: int
    small: int
    kernels: int

    def sentence(self, scope: Scope, /) -> str:
        few = f"{self.small:,} of {self.kernels:,} kernels have less than a block for each multiprocessor"
        return f"{few}: {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class FewSmallGrids(Figures):
    """Small kernels, and the part of the steps in which they leave the device unused."""

    small: int
    kernels: int
    unused: float

    def sentence(self, scope: Scope, /) -> str:
        small = f"{self.small:,} of {self.kernels:,} kernels are small"
        return f"{small}, and leave {share(self.unused)} of {scope.name} unused."


@dataclass(frozen=True, slots=True)
class PythonOnHost(Figures):
    """How long Python runs outside of operators."""

    python_per_step_ns: int
    most_in: str
    """The label or function with most of it; "" where none is known."""
    most_per_step_ns: int | None = None

    @property
    def order(self) -> str:
        """Not for a range: in it there can be anything."""
        spent_ns = self.most_per_step_ns or 0
        if not _IS_CODE.search(self.most_in) or spent_ns < _LEAST_NAMED * self.python_per_step_ns:
            return ""
        if _PREPARES.search(self.most_in):
            return f"Do {place_words(self.most_in)} in worker processes, or before the steps"
        return f"Shorten {place_words(self.most_in)}, or move it out of the step"

    def sentence(self, scope: Scope, /) -> str:
        place = place_words(self.most_in)
        said = f"Python outside of operators takes {duration_of(self.python_per_step_ns)} {scope.each}"
        if not place or self.most_per_step_ns is None:
            return f"{said}."
        return f"{said}; the largest named part, {duration_of(self.most_per_step_ns)}, in {place}."


@dataclass(frozen=True, slots=True)
class LargerBatch(Figures):
    """How many times as large a batch fills the device, and what a sample takes then."""

    factor: int
    share: float
    """At most, of what it takes now: where kernels grow as the batch does."""
    least_share: float

    def sentence(self, _: Scope, /) -> str:
        most, least = share(self.share), share(self.least_share)
        full = f"With kernels {self.factor} times as long the GPU no longer waits"
        larger = f"in a batch {self.factor} times as large"
        return f"{full}: {larger} a sample takes {least} to {most} of what it takes now."


@dataclass(frozen=True, slots=True)
class CollectionsHold(Figures):
    """Collections of garbage for which the device is idle."""

    collections: int
    """How many held the training up in the steps; those that follow at once count as one."""
    steps: int
    held_per_step_ns: int
    longest_ns: int
    idle_per_step_ns: int
    in_every_step: bool = False
    """Whether each step had a full one, which Python begins by itself far more seldom."""

    @property
    def order(self) -> str:
        if not self.in_every_step:
            return ""
        return "Call `gc.collect()` once in many steps, at the same one on all ranks"

    def sentence(self, scope: Scope, /) -> str:
        hold = "holds" if self.collections == 1 else "hold"
        longest = f", the longest for {duration_of(self.longest_ns)}" if self.collections > 1 else ""
        called = " Every step has a full one, as if it called `gc.collect()`." if self.in_every_step else ""
        return (
            f"{count(self.collections, 'collection')} in {count(self.steps, 'step')} {hold} the host up for "
            f"{duration_of(self.held_per_step_ns)} {scope.each}{longest}; the GPU is idle for "
            f"{duration_of(self.idle_per_step_ns)} of that.{called}"
        )


@dataclass(frozen=True, slots=True)
class Collections(Figures):
    """Collections of garbage that cost the device little."""

    collections: int
    held_per_step_ns: int
    longest_ns: int

    def sentence(self, scope: Scope, /) -> str:
        if not self.collections:
            return "No collection of garbage held the host up."
        hold = "holds" if self.collections == 1 else "hold"
        spent = f"{duration_of(self.held_per_step_ns)} {scope.each}"
        return f"{count(self.collections, 'collection')} of garbage {hold} the host up for {spent}."


FOUND: Mapping[str, type[Figures]] = {
    "LCH01": BoundCode,
    "LCH02": HostPauses,
    "LCH03": BoundCode,
    "LCH05": SmallGrids,
    "LCH06": PythonOnHost,
    "LCH07": LargerBatch,
    "LCH08": ItemLoop,
    "LCH09": CollectionsHold,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "LCH01": ShortPauses,
    "LCH02": LongPauses,
    "LCH03": CompiledKernels,
    "LCH05": FewSmallGrids,
    "LCH06": PythonOnHost,
    "LCH07": ShortPauses,
    "LCH08": FewItemLoops,
    "LCH09": Collections,
}
