"""A process that ends soon does not search itself for garbage."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress

import pytest

from tbprof.cli.main import main
from tbprof.process.garbage import SELDOM, searching_seldom


def printed_by(program: str) -> list[str]:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ended.stdout.split()


def test_a_program_that_calls_the_command_keeps_its_own_ways() -> None:
    before = gc.get_threshold()
    assert main(["explain", "SYN01"]) == 0
    assert gc.get_threshold() == before


@pytest.mark.parametrize("first", [0, 700, 1_000_000])
def test_a_process_searches_seldom_while_many_records_are_made_and_then_as_before(first: int) -> None:
    before = gc.get_threshold()
    gc.set_threshold(first, 5, 6)
    try:
        with suppress(ValueError), searching_seldom():
            assert gc.get_threshold() == (first and max(first, SELDOM), 5, 6)
            raise ValueError
        assert gc.get_threshold() == (first, 5, 6)
    finally:
        gc.set_threshold(*before)


@pytest.mark.parametrize(("records", "are_young"), [(100, True), (50_000, False)])
def test_many_records_are_not_searched_as_soon_as_they_are_there(records: int, are_young: bool) -> None:
    program = (
        "import gc\n"
        "from tbprof.process.garbage import searching_seldom\n"
        "gc.collect()\n"
        f"with searching_seldom(): made = [[number] for number in range({records})]\n"
        "young = {id(one) for generation in (0, 1) for one in gc.get_objects(generation)}\n"
        "print(id(made[-1]) in young, gc.get_freeze_count())"
    )
    assert printed_by(program) == [str(are_young), "0"]
