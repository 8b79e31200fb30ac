"""What the rows of a list leave one another: no two of them win the same time.

A row draws on the steps as a whole, and, by how its fixes shorten a step, on the time that an earlier host
could fill or on that which the host waits for kernels. Of a row that finds less than half of what it could
win there is nothing to add: it is another way to the time that a row above it wins. So that what all rows
say is never more than there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tbprof.judge.steady_steps import mean_step_us
from tbprof.model import Action, Report, Saving, Way
from tbprof.rules.declared import rule_of

if TYPE_CHECKING:
    from tbprof.rules.base.rule import Effect

_LEAST_LEFT = 0.5
"""The part of what a change could win from which on it is worth a row beside those above it."""

_STEPS, _HOST, _KERNELS = "steps", "host", "kernels"


def effect_of(code: str) -> Effect | None:
    """How the fixes of a rule shorten a step."""
    rule = rule_of(code)
    return None if rule is None else rule.effect


def host_limit_ns(report: Report) -> int | None:
    """All that a host that comes earlier could win; None where that is not known."""
    if report.idle is None or len(report.idle.by_device) != 1:
        return None
    copying = [step.copying_ns for step in report.steps]
    if None in copying:
        return None
    exposed_ns = sum(step.communication_exposed_ns or 0 for step in report.steps)
    return report.idle.total.device_ns + exposed_ns + sum(filter(None, copying))


def amount_ns(saving: Saving) -> int:
    """What is said of it: the estimate, else the ceiling."""
    return saving.ceiling_ns if saving.estimate_ns is None else saving.estimate_ns


def without_overlap(
    report: Report, actions: Sequence[Action], smaller: Sequence[Action], steps_ns: float
) -> tuple[Action, ...]:
    """The actions in their order, each with what those above leave it, or as another way of one of them.

    Args:
        report: Of the window.
        actions: Those that are worth a row.
        smaller: Rows of the plan that are too small for one: they go with the last of it.
        steps_ns: How long the steps take together.
    """
    room, rows, waiting = _Room(report, steps_ns), list[Action](), list(actions)
    while waiting:
        action = waiting.pop(0)
        rest = [action]
        if action.total_ns is not None:
            # The rows of a plan rest on one another.
            rest += [*(one for one in waiting if one.total_ns is not None), *smaller]
        rival = _rival(report, rows, action)
        most_ns = sum(amount_ns(one.saving) for one in rest)
        if rival is not None and (
            _is_same_time(report, rows[rival], action) or room.left_ns(action) < _LEAST_LEFT * most_ns
        ):
            rows[rival] = dataclasses.replace(
                rows[rival], ways=(*rows[rival].ways, _way(report, rest, steps_ns))
            )
            waiting = [one for one in waiting if one not in rest]
            continue
        rows.append(dataclasses.replace(action, saving=action.saving.at_most(room.left_ns(action))))
        room.take(rows[-1])
    return tuple(rows)


def _way(report: Report, actions: Sequence[Action], steps_ns: float) -> Way:
    """What they win in the place of the row, and not what that leaves them."""
    findings = tuple(at for action in actions for at in action.findings)
    alone = [saving for at in findings if (saving := report.findings[at].saving) is not None]
    is_planned = any(action.total_ns is not None for action in actions)
    return Way(findings, together([one.saving for one in actions] if is_planned else alone, steps_ns))


def together(savings: Sequence[Saving], steps_ns: float) -> Saving:
    """The saving of places of one rule, or of what each row of the plan adds, in steps of this length.

    What a cold step would save can be more than all of the others take, and no step saves more than it is.
    """
    estimates = [saving.estimate_ns for saving in savings if saving.estimate_ns is not None]
    found = Saving(
        floor_ns=sum(saving.floor_ns for saving in savings),
        estimate_ns=sum(estimates) if len(estimates) == len(savings) else None,
        ceiling_ns=sum(saving.ceiling_ns for saving in savings),
    )
    return found.at_most(round(steps_ns))


def _rival(report: Report, rows: Sequence[Action], action: Action) -> int | None:
    """The position of the row above that wins most of the same time; None where there is none.

    What a plan adds follows from its other rows, and is no other way to what they win.
    """
    found = [at for at, row in enumerate(rows) if None in (row.total_ns, action.total_ns)]
    same = [at for at in found if _is_same_time(report, rows[at], action)]
    alike = [at for at in found if _wins_of(report, rows[at]) == _wins_of(report, action)]
    return max(same or alike or found, key=lambda at: amount_ns(rows[at].saving), default=None)


def _is_same_time(report: Report, row: Action, action: Action) -> bool:
    """Whether both are about the same kernels, each with its own change."""
    one, other = (report.findings[of.findings[0]].rule for of in (row, action))
    return any(
        rule is not None and rule.same_time_as == code
        for rule, code in ((rule_of(one), other), (rule_of(other), one))
    )


def _pools(report: Report, action: Action) -> tuple[str, ...]:
    effect = effect_of(report.findings[action.findings[0]].rule)
    if effect == "shorter_kernels":
        return (_STEPS, _KERNELS)
    return (_STEPS, _HOST) if effect == "earlier_host" else (_STEPS,)


def _wins_of(report: Report, action: Action) -> str | None:
    """Fewer kernels and an earlier host win the same idle."""
    effect = effect_of(report.findings[action.findings[0]].rule)
    return "earlier_host" if effect == "fewer_kernels" else effect


class _Room:
    """How much of each time no row has won yet."""

    def __init__(self, report: Report, steps_ns: float) -> None:
        self._report = report
        shown_ns = (mean_step_us(report) or 0.0) * 1000 * max(len(report.steps), 1) or steps_ns
        known = {_STEPS: int(min(steps_ns, shown_ns)), _HOST: host_limit_ns(report)}
        known[_KERNELS] = report.faster_device_ns
        self._left_ns = {pool: ns for pool, ns in known.items() if ns is not None}

    def left_ns(self, action: Action) -> int:
        pools = _pools(self._report, action)
        return max(min(self._left_ns.get(pool, self._left_ns[_STEPS]) for pool in pools), 0)

    def take(self, action: Action) -> None:
        # Shorter kernels win by shorter waits: of those that go there is nothing left to win.
        of_plan = () if action.total_ns is None else (_KERNELS,)
        for pool in {*_pools(self._report, action), *of_plan} & self._left_ns.keys():
            self._left_ns[pool] -= amount_ns(action.saving)
