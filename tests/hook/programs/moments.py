"""A training into which something comes at a chosen line of the hook's own code, or of torch's:
`moments.py WHERE KIND FIRST LAST EVERY FOLDER`.

For each of these lines a training with a hook of its own runs. It prints what was left of each, and how
many lines there are.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import json
import logging
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from torch import nn
from torch.optim import optimizer as optimizers
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack, _pop_mode
from watching import publish_nothing

import tbprof

FOLDERS = {"hook": Path(tbprof.__file__).parent / "hook", "torch": Path(torch.__file__).parent}
SCHEDULE = tbprof.Schedule(skip_first=1, warmup=1, active=1)
STEPS = 9

MOST_TIMES = 4
"""That a line is counted: a loop goes through all objects there are."""

HOOKS: tuple[dict[int, Any], ...] = (
    nn.modules.module._global_forward_hooks,
    nn.modules.module._global_forward_pre_hooks,
    optimizers._global_optimizer_pre_hooks,
    optimizers._global_optimizer_post_hooks,
)
HAS_TORCH_FUNCTION = torch.overrides.has_torch_function
ENABLED = torch._C._get_torch_function_state()


class Preempted(BaseException):
    """Raised as a handler of the program's would raise it."""


def _close(hook: tbprof.TrainerHook) -> None:
    hook.close(wait_s=0)


def _step(hook: tbprof.TrainerHook) -> None:
    hook.step()


def _pause(hook: tbprof.TrainerHook) -> None:
    hook.pause()


def _phase(hook: tbprof.TrainerHook) -> None:
    with hook.phase("evaluation"):
        pass


def _raise(_: tbprof.TrainerHook) -> None:
    raise Preempted


KINDS: dict[str, Callable[[tbprof.TrainerHook], None]] = {
    "close": _close,
    "step": _step,
    "pause": _pause,
    "phase": _phase,
    "raise": _raise,
}


@functools.cache
def ends_of_with(code: CodeType) -> frozenset[int]:
    """Where a `with` is left. Python traces its line again there, but hears no signal before that is done."""
    lines = [(start, end, line) for start, end, line in code.co_lines() if end > start]
    return frozenset(
        start
        for one in dis.get_instructions(code)
        if one.opname == "BEFORE_WITH"
        for first, last, entered in lines
        if first <= one.offset < last
        for start, _, line in lines
        if line == entered and start > one.offset
    )


class Moment:
    """Counts the lines of the code in a folder, and does something at one of them."""

    def __init__(self, where: Path, at: int, act: Callable[[], None]) -> None:
        self._where, self._at, self._act = where, at, act
        self._prefix = f"{where}/"
        self._seen: Counter[tuple[CodeType, int]] = Counter()
        self.lines = 0
        self.place = ""

    def trace(self, frame: Any, event: str, _: object) -> Any:
        """Each line of a frame there; Python traces nothing that is called from here.

        It is the handler of a signal that never comes, so that what is called from here comes out of one.
        """
        if not frame.f_code.co_filename.startswith(self._prefix):
            return None
        place = frame.f_code, frame.f_lineno
        is_moment = event == "line" and frame.f_lasti not in ends_of_with(frame.f_code)
        if is_moment and self._seen[place] < MOST_TIMES:
            self._seen[place] += 1
            self.lines += 1
            if self.lines == self._at:
                file = Path(frame.f_code.co_filename).relative_to(self._where)
                self.place = f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"
                sys.settrace(None)
                self._act()
        return self.trace


def left_behind() -> dict[str, object]:
    """What must not be there after a run, and is taken away for the next one."""
    modes, functions = len(_get_current_dispatch_mode_stack()), torch._C._len_torch_function_stack()
    found = {
        "dispatch modes": modes,
        "function modes": functions,
        "profiler": torch.autograd._profiler_enabled(),
        "call of modules": nn.Module.__call__ is not nn.Module._wrapped_call_impl,
        "hooks of modules": sum(map(len, HOOKS[:2])),
        "hooks of optimizers": sum(map(len, HOOKS[2:])),
        "making of tensors": "__new__" in vars(torch.Tensor),
        "setprofile": sys.getprofile() is not None,
        "answers about modes": torch.overrides.has_torch_function is not HAS_TORCH_FUNCTION,
        "torch functions": torch._C._get_torch_function_state() != ENABLED,
    }
    for _ in range(modes):
        _pop_mode()
    for _ in range(functions):
        torch._C._pop_torch_function_stack()
    nn.Module.__call__ = nn.Module._wrapped_call_impl  # type: ignore[method-assign]
    for hooks in HOOKS:
        hooks.clear()
    if found["profiler"]:
        torch.autograd._disable_profiler()
    sys.setprofile(None)
    torch._C._set_torch_function_state(ENABLED)
    return {name: value for name, value in found.items() if value}


def run(
    where: str, kind: str, at: int, folder: Path, values: list[float] | None = None
) -> tuple[dict[str, object], Moment, list[float]]:
    """One training; what is left of it, and what it computes where nothing is raised: else than `values`?"""
    torch.manual_seed(0)
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    computed: list[float] = []
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    hook = tbprof.TrainerHook(
        folder, schedule=SCHEDULE, memory=True, record_inputs=True, trackers=False, worker="w"
    )
    moment = Moment(FOLDERS[where], at, lambda: KINDS[kind](hook))
    signal.signal(signal.SIGUSR2, moment.trace)
    found: dict[str, object] = {}
    # Held until the end: Python 3.11 may be about to call what is no longer set, where a moment comes while
    # it makes the frame for that call.
    trace = moment.trace
    sys.settrace(trace)
    for _ in range(STEPS):
        try:
            # The program's own `no_grad` leaves it off, where a handler raises as that ends.
            torch.set_grad_enabled(True)
            inputs = torch.randn(2, 3, 8)
            loss = model(inputs[:, 0]).sum()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                # It leaves its fast path, and gives others, where it sees a mode.
                computed += [loss.item(), *encoder(inputs).flatten().tolist()]
            hook.step()
        except Preempted:
            pass
        except Exception as error:  # noqa: BLE001 - which must not be
            found["raised"] = f"{type(error).__name__}: {error}"
    if kind != "raise":
        sys.settrace(None)
    with contextlib.suppress(Preempted):
        hook.close(wait_s=0)
    sys.settrace(None)
    hook.close(wait_s=0)
    if kind != "raise" and values not in (None, computed):
        found["values"] = next(
            at for at, pair in enumerate(zip(computed, values, strict=False)) if len({*pair}) > 1
        )
    return {**found, **left_behind()}, moment, computed


def main(where: str, kind: str, first: int, last: int, every: int, folder: Path) -> None:
    logging.getLogger("tbprof").setLevel(logging.CRITICAL)
    publish_nothing()
    # What was there before: the hook would go through all of it in each of the trainings.
    gc.freeze()
    _, without, values = run(where, kind, -1, folder / "without")
    faults = {}
    for at in range(first, min(last, without.lines), every):
        found, moment, _ = run(where, kind, at, folder / str(at), values)
        if found:
            faults[f"{at}, {moment.place}"] = found
        print(json.dumps({"at": at, "place": moment.place, "found": found}), flush=True)
    print(json.dumps({"lines": without.lines, "faults": len(faults)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:6]), Path(sys.argv[6]))
