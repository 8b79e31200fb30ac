"""A disk that fails costs windows, and each of them is told; never the training, never a published file."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from failing_disk import Fault
from script_runner import side_by_side
from trials import Laboratory, faults, kills

PROCESSES = pytest.mark.parametrize("in_child", [False, True], ids=["training", "child"])


def broken_promises(laboratory: Laboratory, how: str, planned: Iterable[Fault]) -> dict[str, list[str]]:
    """What went wrong that must not, by its fault."""

    def broken_by(fault: Fault) -> tuple[str, list[str]]:
        trial = laboratory.trial(how, fault)
        return f"{fault}: {trial.operation}", list(trial.broken_promises(laboratory.bare))

    return {fault: promises for fault, promises in side_by_side(broken_by, planned) if promises}


def broken_by_kills(laboratory: Laboratory, how: str, planned: Iterable[Fault]) -> dict[str, list[str]]:
    """What is not whole after a kill, and what the next start does not put in order."""

    def broken_by(fault: Fault) -> tuple[str, list[str]]:
        killed = laboratory.trial(how, fault)
        # Read first: the next start changes it.
        promises = list(killed.broken_promises(laboratory.bare))
        later = laboratory.next_start(killed)
        return f"{fault}: {killed.operation}", [*promises, *later.not_in_order(killed)]

    return {fault: promises for fault, promises in side_by_side(broken_by, planned) if promises}


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
