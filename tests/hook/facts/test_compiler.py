"""What torch.compile did, as the hook finds it in torch's records."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tbprof.hook.window.settings import compiler_facts

if TYPE_CHECKING:
    from conftest import RunScript

PROGRAM = """
    import dataclasses, json, sys, torch
    from tbprof.hook.window.settings import compiler_facts
    def clamped(y):
        if y.sum() > 0:
            y = y + 1
        return y
    @torch.compile(backend="eager")
    def step(x):
        return clamped(x * 2)
    assert compiler_facts() is None
    for dimensions in range(int(sys.argv[1])):
        step(torch.ones([2] * (dimensions + 1)))
    print(json.dumps(dataclasses.asdict(compiler_facts())))
"""


@pytest.mark.slow
def test_breaks_and_what_is_compiled_again_have_their_lines_and_reasons(fork_script: RunScript) -> None:
    """A function with a branch on a tensor, and one dimension more in each call."""
    ran = fork_script(PROGRAM, 10)
    assert ran.returncode == 0, ran.stderr
    facts: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])

    (broken,) = facts["breaks"]
    assert (broken["file"], broken["line"], broken["function"]) == ("train.py", 5, "clamped")
    assert "branch" in broken["reason"]
    assert "\n" not in broken["reason"]

    (again,) = (one for one in facts["recompilations"] if one["function"] == "step" and one["count"] > 1)
    assert again["count"] >= 6
    assert again["reason"].startswith("tensor 'x' rank mismatch.")
    assert again["compile_ns"] > 0
    assert any("rank mismatch" in reason for reason in facts["given_up"])


def test_nobody_is_asked_who_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo.utils", raising=False)
    assert compiler_facts() is None
    assert "torch._dynamo.utils" not in sys.modules
