"""Modes of the hook's on torch's stacks."""

from __future__ import annotations

import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.safety import modes
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.safety.modes import (
    enter_function_mode,
    function_modes,
    leave,
    leave_when_outside,
    unseen_by_modes,
)


class Functions(TorchFunctionMode):  # type: ignore[misc]
    """Counts what it sees, and does something while it runs."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.is_entered = False
        self.seen = 0
        self._meanwhile = meanwhile

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.seen += 1
        self._meanwhile()
        try:
            return func(*args, **(kwargs or {}))
        finally:
            if not self.is_entered:
                leave_when_outside(self)


class Operators(TorchDispatchMode):  # type: ignore[misc]
    """Counts what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.is_entered = False
        self.seen = 0

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: object, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.seen += 1
        return func(*args, **(kwargs or {}))


@pytest.fixture
def mode() -> Iterator[Functions]:
    mode = Functions()
    enter_function_mode(mode)
    yield mode
    leave(mode)
    assert not function_modes()


def test_who_asks_for_modes_does_not_hear_of_ours(mode: Functions) -> None:
    tensor = torch.ones(2)
    assert mode.seen == 1
    assert not torch.overrides.has_torch_function((tensor,))
    assert not torch._C._has_torch_function_unary(tensor)
    assert torch._C._len_torch_function_stack() == 0
    assert not torch._C._is_torch_function_mode_enabled()
    assert torch.overrides._get_current_function_mode_stack() == []
    assert torch.overrides._get_current_function_mode() is None


@pytest.mark.parametrize("name", ["has_torch_function_variadic", "ask"])
def test_who_has_imported_the_question_gets_the_same_answer(name: str) -> None:
    asking = types.ModuleType(f"asking_{name}")
    exec(f"from torch.overrides import has_torch_function_variadic as {name}", vars(asking))
    sys.modules[asking.__name__] = asking
    before = vars(asking)[name]
    ours = Functions()
    enter_function_mode(ours)
    try:
        assert not vars(asking)[name](torch.ones(1))
    finally:
        leave(ours)
        del sys.modules[asking.__name__]
    assert vars(asking)[name] is before
    assert torch.overrides.has_torch_function_variadic is before


def test_a_mode_of_the_program_and_a_class_of_its_own_are_heard_of(mode: Functions) -> None:
    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(func, types, args, kwargs or {})

    assert torch.overrides.has_torch_function((torch.ones(1).as_subclass(Own),))
    with Functions() as theirs:
        theirs.is_entered = True
        assert torch.overrides.has_torch_function((torch.ones(1),))
        assert torch.overrides._get_current_function_mode_stack() == [theirs]
    assert mode.is_entered


def test_a_default_device_may_come_and_go_meanwhile(mode: Functions) -> None:
    with torch.device("cpu"):
        torch.ones(1)
        assert torch.get_default_device() == torch.device("cpu")
    assert function_modes() == [mode]


@pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")
def test_scripts_are_compiled_meanwhile(mode: Functions) -> None:
    def forward(x: torch.Tensor) -> torch.Tensor:
        if torch.overrides.has_torch_function((x,)):
            return x
        return torch.nn.functional.relu(x)

    scripted = torch.jit.script(forward)
    assert torch.equal(scripted(-torch.ones(2)), torch.zeros(2))
    assert mode.is_entered


def test_a_mode_is_left_also_where_that_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    asked = torch.overrides.has_torch_function
    ours = Functions()
    enter_function_mode(ours)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(modes, "_replace", interrupted)
        leave(ours)
    leave(ours)
    assert (function_modes(), torch.overrides.has_torch_function) == ([], asked)


def test_a_mode_that_is_left_while_it_runs_is_left_afterwards() -> None:
    ours = Functions(lambda: leave(ours))
    enter_function_mode(ours)
    torch.ones(1)
    assert function_modes() == [ours]
    wait_until_left()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGUSR1")
def test_a_mode_that_torch_may_be_about_to_call_is_left_afterwards(mode: Functions) -> None:
    seen: list[object] = []

    def handle(*_: object) -> None:
        leave(mode)
        seen.extend(function_modes())

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        tree_map(signal.raise_signal, signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [mode]
    wait_until_left()


def test_a_question_is_answered_where_a_handler_leaves_the_mode_meanwhile(
    mode: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_ours() -> list[Functions]:
        leave(mode)
        return [mode]

    tensors = (torch.ones(1),)
    monkeypatch.setattr(modes, "_only_ours", only_ours)
    assert not torch.overrides.has_torch_function(tensors)
    assert function_modes() == []


def test_one_that_waits_to_be_left_is_as_unseen_as_the_next_one_beside_it(mode: Functions) -> None:
    later = Functions()
    enter_function_mode(later)
    mode.is_entered = False
    modes.leave_when_outside(mode)
    assert not torch.overrides.has_torch_function((torch.ones(1),))
    assert function_modes() == [later]
    leave(later)
    wait_until_left()


def wait_until_left() -> None:
    until = time.monotonic() + 60
    while function_modes() and time.monotonic() < until:
        time.sleep(0.001)
    assert not function_modes()


def test_what_is_asked_of_torch_unseen_is_seen_by_no_mode() -> None:
    functions, operators = Functions(), Operators()
    functions.is_entered = True
    with functions, operators:
        tensor = torch.ones(2)
        seen = functions.seen, operators.seen
        with unseen_by_modes():
            tensor.add(1)
        assert (functions.seen, operators.seen) == seen


def test_a_module_that_is_still_being_imported_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("half_imported")
    module.__spec__ = types.SimpleNamespace(_initializing=True)  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert module.__name__ not in dict(modes.asking_modules())
    # Nothing else is imported meanwhile.
    vars(module).update(__spec__=None, has_torch_function=torch.overrides.has_torch_function)
    assert module.__name__ in dict(modes.asking_modules())


def test_a_mode_that_is_left_while_it_runs_stays_out_of_sight() -> None:
    recorder, ask = LineRecorder(MissingFacts()), torch.overrides.has_torch_function
    weight = torch.ones(2, requires_grad=True)
    weight.register_hook(lambda _: recorder.end())
    recorder.begin()
    weight.sum().backward()
    # Torch has put it back on its stack.
    assert not torch.overrides.has_torch_function((weight,))
    assert torch._C._len_torch_function_stack() == 0
    assert torch.overrides.has_torch_function is ask
