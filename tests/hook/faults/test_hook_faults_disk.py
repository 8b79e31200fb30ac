"""A disk that fails costs windows, and each of them is told; never the training, never a published file."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from failing_disk import Fault
from trials import Laboratory, faults, kills

PROCESSES = pytest.mark.parametrize("in_child", [False, True], ids=["training", "child"])


def broken_promises(laboratory: Laboratory, how: str, planned: Iterable[Fault]) -> dict[str, list[str]]:
    """What went wrong that must not, by its fault."""
    broken = {}
    for fault in planned:
        trial = laboratory.trial(how, fault)
        promises = list(trial.broken_promises(laboratory.bare))
        if promises:
            broken[f"{fault}: {trial.operation}"] = promises
    return broken


def broken_by_kills(laboratory: Laboratory, how: str, planned: Iterable[Fault]) -> dict[str, object]:
    """What is not whole after a kill, and what the next start does not put in order."""
    broken: dict[str, object] = {}
    for fault in planned:
        killed = laboratory.trial(how, fault)
        # Read first: the next start changes it.
        promises = list(killed.broken_promises(laboratory.bare))
        after = laboratory.next_start(killed)
        left = [*after.seen.leftovers, *after.seen.waiting, *after.seen.corrupt]
        gone = (killed.seen.published | killed.seen.waiting) - after.seen.published
        if promises or left or gone:
            broken[f"{fault}: {killed.operation}"] = (promises, left, gone)
    return broken


@PROCESSES
def test_an_operation_that_fails_is_no_harm(laboratory: Laboratory, in_child: bool) -> None:
    """Every tenth operation, with one error after the other, once and from there on by turns."""
    how = "window" if in_child else "windows"
    planned = list(faults(laboratory.operations(how, in_child=in_child), in_child=in_child))
    assert len({fault.at for fault in planned}) > 15
    # 12 faults at each operation: 121 is coprime to that, so that all kinds have their turn.
    assert broken_promises(laboratory, how, planned[3::121]) == {}


@PROCESSES
def test_a_kill_leaves_nothing_that_the_next_start_does_not_put_in_order(
    laboratory: Laboratory, in_child: bool
) -> None:
    planned = list(kills(laboratory.operations("window", in_child=in_child), in_child=in_child))
    assert broken_by_kills(laboratory, "window", planned[6::10]) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("how", "in_child"), [("window", False), ("window", True), ("adopts", False)], ids=str
)
def test_no_operation_that_fails_is_any_harm(laboratory: Laboratory, how: str, in_child: bool) -> None:
    planned = list(faults(laboratory.operations(how, in_child=in_child), in_child=in_child))
    assert len(planned) > 100
    assert broken_promises(laboratory, how, planned) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("how", "in_child"), [("window", False), ("window", True), ("adopts", False)], ids=str
)
def test_no_kill_leaves_what_the_next_start_does_not_put_in_order(
    laboratory: Laboratory, how: str, in_child: bool
) -> None:
    planned = kills(laboratory.operations(how, in_child=in_child), in_child=in_child)
    assert broken_by_kills(laboratory, how, planned) == {}
