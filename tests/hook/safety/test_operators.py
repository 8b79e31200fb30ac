"""Operators are seen without a mode, and by nobody else's means."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import is_in_torch_dispatch_mode

from tbprof.hook.safety.operators import (
    can_see_operators,
    leave_operators,
    operators_unseen,
    see_operators,
)

is_included = torch._C._dispatch_tls_is_dispatch_key_included
KEY = torch._C._dispatch_key_parse("Fake")


@pytest.fixture
def seen() -> Iterator[list[Any]]:
    results: list[Any] = []

    def note(_args: Any, _options: Any, result: Any) -> None:
        results.append(result)

    see_operators(note)
    yield results
    leave_operators(note)
    assert can_see_operators()


@pytest.fixture
def in_a_mode() -> bool:
    """What torch says before operators are seen: its flag is the process's, and threads can leave it set."""
    return is_in_torch_dispatch_mode()


def test_forward_and_backward_are_seen_and_no_mode_is(in_a_mode: bool, seen: list[Any]) -> None:
    weight = torch.ones(2, requires_grad=True)
    assert is_in_torch_dispatch_mode() == in_a_mode
    assert torch._C._len_torch_dispatch_stack() == 0
    forward = len(seen)
    assert forward > 0
    (weight * 2).sum().backward()
    assert len(seen) > forward + 2


def test_nobody_else_sees_them_meanwhile(seen: list[Any]) -> None:
    assert not can_see_operators()
    with operators_unseen():
        torch.ones(2)
    other = threading.Thread(target=torch.ones, args=(2,))
    other.start()
    other.join()
    assert seen == []


def nothing(_args: Any, _options: Any, _result: Any) -> None:
    pass


@pytest.mark.parametrize("around", [torch.inference_mode, torch.no_grad, lambda: torch.autocast("cpu")])
def test_it_is_left_for_good_wherever_that_is(around: Any) -> None:
    see_operators(nothing)
    with around():
        leave_operators(nothing)
        assert not is_included(KEY)
    # Inference mode has put back what was there before.
    torch.ones(2)
    assert not is_included(KEY)


def test_one_that_another_thread_has_left_is_gone_with_the_next_operator() -> None:
    see_operators(nothing)
    other = threading.Thread(target=leave_operators, args=(nothing,))
    other.start()
    other.join()
    assert is_included(KEY)
    torch.ones(2)
    assert not is_included(KEY)


def test_it_is_not_begun_where_torch_would_end_it() -> None:
    with torch.inference_mode():
        assert not can_see_operators()
    asked: list[bool] = []
    weight = torch.ones(1, requires_grad=True)
    weight.register_hook(lambda _: asked.append(can_see_operators()))
    weight.sum().backward()
    torch.func.vmap(lambda row: asked.append(can_see_operators()) or row)(torch.ones(2))
    assert asked == [False, False]


def test_errors_pass_and_what_comes_after_them_is_seen(seen: list[Any]) -> None:
    with contextlib.suppress(RuntimeError):
        torch.ones(2, 3) @ torch.ones(2, 3)
    before = len(seen)
    torch.ones(1)
    assert len(seen) == before + 1


def test_operators_of_python_run_as_they_do_alone(seen: list[Any]) -> None:
    def loop(count: torch.Tensor) -> torch.Tensor:
        return torch.ops.higher_order.while_loop(lambda n: n < 3, lambda n: (n + 1,), (count,), ())[0]

    assert loop(torch.tensor(0)).item() == 3
    assert seen


def test_the_compiler_is_imported_meanwhile() -> None:
    code = (
        "from tbprof.hook.safety.operators import see_operators\n"
        "see_operators(lambda *_: None)\n"
        "import torch._dynamo\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
