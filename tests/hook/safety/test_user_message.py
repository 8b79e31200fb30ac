"""One line a window, seen by who trains: whatever the program has made of logging, and never twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import RunScript

SPEAKING = """
    import logging, sys
    from tbprof.hook.safety.user_message import say

    own = logging.getLogger("tbprof")
    {setup}
    say("window %d of %s", 3, "100 %")
"""


@pytest.mark.parametrize(
    ("setup", "seen"),
    [
        ("", "tbprof: window 3 of 100 %\n"),
        ("own.setLevel('INFO')", "tbprof: window 3 of 100 %\n"),
        (
            "logging.basicConfig(level='INFO', format='mine: %(message)s %(lineno)d')",
            "mine: window 3 of 100 % 0\n",
        ),
        # What a program gets that calls logging.warning() somewhere.
        ("logging.basicConfig()", "INFO:tbprof:window 3 of 100 %\n"),
        ("own.setLevel('WARNING')", ""),
        ("own.disabled = True", ""),
        ("logging.basicConfig(level='INFO'); own.setLevel('WARNING')", ""),
        ("logging.disable(logging.INFO)", ""),
        ("own.addHandler(logging.NullHandler())", ""),
        ("sys.stderr = None", ""),
    ],
)
def test_it_is_seen_once_or_not_at_all(run_script: RunScript, setup: str, seen: str) -> None:
    ended = run_script(SPEAKING.format(setup=setup))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", seen)


@pytest.mark.parametrize(("value", "is_seen"), [("1", False), ("0", True), ("", True)])
def test_a_variable_silences_it(run_script: RunScript, value: str, is_seen: bool) -> None:
    ended = run_script(SPEAKING.format(setup="own.addHandler(logging.StreamHandler())"), TBPROF_QUIET=value)
    assert ("window 3" in ended.stderr) == is_seen
