"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Literal, TypeAlias

from tbprof.analysis.facts import Facts
from tbprof.line_rules import LineKind
from tbprof.model import HOST_CALLS, Figures, Finding, SiteIndex
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a trace must hold for a rule to say anything."""

    name: str
    """Completes "not checked: no ... recorded", but for `GPU_RATES`."""
    is_met: Callable[[Facts], bool]


LooksAt: TypeAlias = Callable[[Facts], Figures | None]
"""What a rule that found nothing looked at; None where the window holds nothing that the rule judges."""


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
    passing: LooksAt
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
    same_time_as: str = ""
    """Code of a rule about the same kernels whose fix is another change; "" where there is none."""
    edit: Edit | None = None
    """The edit that fixes a line, where it is mechanical."""
    holds: Callable[[Facts], Set[SiteIndex]] | None = None
    """Sites that its fix takes away: what others find there stays known, as a part of its finding."""
    is_bundle: bool = False
    """Whether its findings are about several others together: rows of a plan only where those are not."""


CALLS = Need(HOST_CALLS, lambda facts: facts.host_is_known)
GPU_WORK = Need("complete GPU work", lambda facts: facts.device_is_known)
STEPS = Need("steps", lambda facts: facts.steps.recorded)
HOOK = Need("facts of the hook", lambda facts: facts.trace.facts is not None)
