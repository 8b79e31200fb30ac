"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbprof.line_rules import LineKind
from tbprof.model import HOST_CALLS, Finding, Numbers
from tbprof.records import dataclass
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import duration, share

if TYPE_CHECKING:
    from tbprof.analysis.facts import Facts


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a trace must hold for a rule to say anything."""

    name: str
    """Completes "not checked: no ... recorded", but for `GPU_RATES`."""
    is_met: Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Passing:
    """What a rule that found nothing can say for that."""

    looked_at: Callable[[Facts], Numbers | None]
    """Its figures; None where the window holds nothing that the rule judges."""
    note: Note
    """Those figures in a sentence."""


Effect: TypeAlias = Literal["earlier_host", "shorter_kernels", "fewer_kernels"]
"""The host comes earlier, so that the device is idle for less; kernels get shorter, and as many are launched;
or there are fewer kernels, and the host comes earlier too."""

Edit: TypeAlias = Literal["pin", "do_not_block", "hoist", "make_on_device"]
"""`non_blocking=True` at the copy, with pinned memory (`pin`) or alone; a constant is made
before the loop; or a tensor is made on the device that it is moved to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule's file declares; its page is the file's docstring."""

    code: str
    find: Callable[[Facts], Iterator[Finding]]
    passing: Passing
    """Evidence that it looked, where it found nothing."""
    kind: LineKind | None = None
    """What the lines of its findings do, as preflight calls it; None where they are about no lines."""
    is_timed: bool = False
    """Whether it asks how long something took: the same program has it today and not tomorrow."""
    needs: tuple[Need, ...] = ()
    before: tuple[str, ...] = ()
    """Codes of rules that see less of the same waits: where both found them, this one speaks alone."""
    distorts_family: bool = False
    """Whether, beside a finding of it, no other of its family is one that the program would have."""
    no_saving: str = ""
    """Why a finding of it may carry no saving, as a clause; "" where others of its kind have the saving."""
    is_of_device: bool = False
    """Whether rows of a device are all that it judges; any other needs `CALLS` as well."""
    effect: Effect | None = None
    """How its fixes shorten a step; None where that is in another way, or not at all."""
    answers: tuple[str, ...] = ()
    """Cases of the verdict whose sentence is about what it finds."""
    edit: Edit | None = None
    """The edit that fixes a line, where it is mechanical."""
    is_bundle: bool = False
    """Whether its findings are about several others together: rows of a plan only where those are not."""


CALLS = Need(HOST_CALLS, lambda facts: facts.host_is_known)
GPU_WORK = Need("complete GPU work", lambda facts: facts.device_is_known)
STEPS = Need("steps", lambda facts: facts.steps.recorded)
HOOK = Need("facts of the hook", lambda facts: facts.trace.facts is not None)


Note: TypeAlias = Callable[[Numbers, Scope], str]
"""From the numbers of a finding, and what they are figures of, to whole sentences; "" for nothing to say.

Raises KeyError where a number is missing, as in a report of another version.
"""

_NS_PER_US = 1000


def duration_of(numbers: Numbers, name: str) -> str:
    """That of the number called so, which is in ns."""
    return duration(float(numbers[name]) / _NS_PER_US)


def number_of(numbers: Numbers, name: str) -> str:
    return f"{float(numbers[name]):g}"


def about_of(numbers: Numbers, name: str) -> str:
    """A mean of counts as a whole number, which is said to be one only where it is."""
    value = float(numbers[name])
    if value < 1:
        return f"{value:g}"
    return f"{value:,.0f}" if value.is_integer() else f"about {value:,.0f}"


def share_of(numbers: Numbers, name: str) -> str:
    """In percent, of a number from 0 to 1."""
    return share(float(numbers[name]))
