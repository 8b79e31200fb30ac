"""Ways to look at `sys.argv`, as programs and the libraries that they use have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tbprof.preflight.fits.one_size import ReadArguments

LOOKS: dict[str, Callable[[Any], object]] = {
    "argparse": lambda argv: argv[1:],
    "one": lambda argv: argv[2],
    "last": lambda argv: argv[-1],
    "in": lambda argv: "--bs" in argv,
    "for": lambda argv: [word for word in argv],  # noqa: C416 - it is the loop that is looked at
    "list": list,
    "unpacked": lambda argv: [*argv],
    "joined": " ".join,
    "and more": lambda argv: argv + ["more"],  # noqa: RUF005
    "copied": lambda argv: argv.copy(),
    "taken": lambda argv: argv.pop(1),
    "found": lambda argv: argv.index("--bs"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_look_is_remembered_and_gives_what_a_list_gives(look: Callable[[Any], object]) -> None:
    words = ["train.py", "--bs", "8"]
    argv = ReadArguments(words)
    assert not argv.was_read
    assert look(argv) == look(words)
    assert argv.was_read


@pytest.mark.parametrize("look", [lambda argv: argv[0], lambda argv: argv[:1], len])
def test_the_name_of_the_program_is_no_argument(look: Callable[[Any], object]) -> None:
    argv = ReadArguments(["train.py", "--bs", "8"])
    look(argv)
    assert not argv.was_read
