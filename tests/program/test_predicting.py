"""A program and all that it starts can tell that they are under preflight."""

from __future__ import annotations

import subprocess
import sys

from tbprof.program.predicting import is_predicted, predicting

ASK = "from tbprof.program.predicting import is_predicted; print(is_predicted())"


def asked_of_a_process() -> str:
    ended = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def test_it_holds_inside_and_in_what_is_started_there() -> None:
    with predicting():
        assert is_predicted()
        assert asked_of_a_process() == "True"
    assert not is_predicted()
    assert asked_of_a_process() == "False"


def test_the_end_of_an_inner_one_is_not_that_of_the_outer() -> None:
    with predicting():
        with predicting():
            pass
        assert is_predicted()
