"""How the hook keeps out of torch.compile's way, in programs that use it.

Nothing here loads the compiler, which takes seconds: only what is loaded is asked.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, TypeVar, cast

import torch
from torch.compiler import is_dynamo_compiling

from tbprof.hook.safety.guard import drop_own_frames

OfStep = TypeVar("OfStep", bound=Callable[..., None])


def is_being_traced() -> bool:
    """Whether `torch.jit.trace` makes a graph of what runs on this thread."""
    return torch._C._get_tracing_state() is not None


class CallWatch:
    """Has some of torch's functions run within `around`, which is given their arguments."""

    def __init__(
        self, around: Callable[..., AbstractContextManager[None]], *named: tuple[object, str]
    ) -> None:
        self._around = around
        self._replaced = [
            (owner, name, torch_s, self._ours(torch_s))
            for owner, name in named
            if (torch_s := getattr(owner, name, None)) is not None
        ]

    def begin(self) -> None:
        """Do so from now on."""
        for owner, name, _, ours in self._replaced:
            setattr(owner, name, ours)

    def end(self) -> None:
        """Put torch's functions back, where nobody else's stand."""
        for owner, name, torch_s, ours in self._replaced:
            if getattr(owner, name) is ours:
                setattr(owner, name, torch_s)

    def _ours(self, torch_s: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(torch_s)
        def ours(*args: Any, **kwargs: Any) -> Any:
            try:
                with self._around(*args):
                    return torch_s(*args, **kwargs)
            except BaseException as error:
                drop_own_frames(error)
                raise

        return ours


TRACING = tuple(
    (owner, name)
    for owner in (torch._C, torch._C.ScriptModule)
    for name in (
        "_create_graph_by_tracing",
        *("_create_function_from_trace", "_create_function_from_trace_with_dict"),
        *("_create_method_from_trace", "_create_method_from_trace_with_dict"),
    )
)
"""What `torch.jit.trace` and its relatives call."""


def has_compiled_code() -> bool:
    """Whether torch.compile has compiled anything: a function mode would make it compile all again."""
    return dynamo_counts("stats")["unique_graphs"] > 0


def dynamo_counts(kind: str) -> Counter[str]:
    """What Dynamo has counted of a kind, for reading alone: to ask it itself adds the kind to its counts."""
    # Another thread may be in the middle of its import.
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    counts: Counter[str] = dict.get(counters, kind, _NONE)
    return counts


_NONE: Counter[str] = Counter()


def untraced(function: OfStep) -> OfStep:
    """Make a function one that Dynamo calls, and neither traces into nor compiles.

    `torch.compiler.disable` does that, and loads the compiler; so it is applied by Dynamo itself,
    when it first comes across the function: what is marked as constant runs while it traces.
    The function is given two of its arguments: to pass on all takes longer, in each step of a training.
    """
    disabled = [function]

    def prepare() -> None:
        if disabled[0] is function:
            disabled[0] = torch.compiler.disable(function)
            # `called` is inlined and never compiled by itself, which would cost a frame.
            sys.modules["torch._dynamo.eval_frame"].skip_code(called.__code__)  # type: ignore[attr-defined]

    prepare._dynamo_marked_constant = True  # type: ignore[attr-defined]

    @wraps(function)
    def called(first: object, steps_taken: int | None = None, *_: object) -> None:
        if is_dynamo_compiling():
            prepare()
        disabled[0](first, steps_taken)

    return cast("OfStep", called)


def frame_switch(*functions: Callable[..., Any]) -> Callable[[Any], Any] | None:
    """Tell Dynamo to let the frames of these functions pass, as soon as it is there.

    Returns:
        What sets the function that gets to see this thread's other frames, and gives the one before it back:
        None where none does. None as long as Dynamo has not been loaded.
    """
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    skip, switch = getattr(dynamo, "skip_code", None), getattr(dynamo, "set_eval_frame", None)
    if skip is None or switch is None:
        return None
    for function in functions:
        skip(function.__code__)
    found: Callable[[Any], Any] = switch
    return found


class CompilationWatch:
    """Says before Dynamo compiles a function, as soon as Dynamo is there."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._handler: Any = None

    def look(self) -> bool:
        """Ask Dynamo to say so, if it has been loaded meanwhile; whether it has been asked."""
        if self._handler is not None:
            return True
        dynamo = sys.modules.get("torch._dynamo.callback")
        # The module may be in the middle of its import.
        handler = getattr(dynamo, "callback_handler", None)
        if handler is not None:
            self._handler = handler
            handler.register_start_callback(self._said)
        return handler is not None

    def stop(self) -> None:
        """Ask for nothing any more."""
        handler = self._handler
        if handler is not None and self._said in handler.start_callbacks:
            handler.remove_start_callback(self._said)
        self._handler = None

    def _said(self, *_: Any) -> None:
        self._notice()
