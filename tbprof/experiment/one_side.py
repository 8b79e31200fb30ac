"""`python -m tbprof.experiment.one_side`: the process that runs a side, or two callables in turns.

Its task stands on its standard input, which the program then finds empty.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from tbprof.experiment.messages import Connection, SideTask
from tbprof.experiment.turns import Turns
from tbprof.preflight.proof.sides import on_this_side
from tbprof.program.main_program import Decorated, program_frames, run_program, seed_all
from tbprof.program.step_functions import STEP_FUNCTIONS, StepFunction, StepLeader, call_after, counted

_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Run the task, and say when it has come to its end."""
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=SideTask)
    _leave_input()
    _end_with_parent()
    line = Connection(socket.create_connection(("127.0.0.1", task.port)))
    line.send(task.key)
    os.chdir(task.folder or ".")
    sys.path[:] = [on_this_side(entry, Path(task.original), Path(task.root)) for entry in sys.path]
    seed_all()
    turns = Turns(line, task.original, task.root)
    if task.callables:
        _call(task.callables, turns)
        return 0
    try:
        run_program(
            task.program, task.arguments, is_module=task.is_module, decorate=_count(turns, task.step_on)
        )
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the program may raise anything
        if not isinstance(error, SystemExit) or error.code not in (None, 0):
            traceback.print_exception(type(error), error, program_frames(error.__traceback__))
            return 1
    turns.end_block(has_ended=True)
    return 0


def _leave_input() -> None:
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process


def _end_with_parent() -> None:
    """A side that is stopped can't notice by itself that the experiment was killed."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _count(turns: Turns, step_on: str | None) -> Decorated | None:
    """Have a step end where the optimizer that leads has stepped, or the named function has returned."""
    if step_on is not None:
        function = StepFunction.parse(step_on)
        if function.module == "__main__":
            return function.function, functools.partial(counted, after=turns.step)
        call_after(function, turns.step, _complain)
        return None
    leader = StepLeader(lambda _: None)

    def after(optimizer: object, *_: object) -> None:
        if leader.is_step(optimizer):
            turns.step()

    register_optimizer_step_post_hook(after)
    for each in STEP_FUNCTIONS:
        call_after(each, after, lambda _: None)
    return None


def _complain(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _call(names: tuple[str, ...], turns: Turns) -> None:
    """Call what each order asks for, for as long as there are orders."""
    sys.path.insert(0, str(Path.cwd()))
    sides: list[Callable[[], Any]] = []
    for name in names:
        module, _, path = name.partition(":")
        found: Any = functools.reduce(getattr, path.split("."), importlib.import_module(module))
        sides.append(found)
    while True:
        # The first block has side 0, which is what an order says by itself.
        side = sides[turns.order.side]
        if turns.order.is_seeded:
            seed_all()
            turns.values = _words(side())
        else:
            side()
        turns.step()


def _words(value: Any) -> str:
    """Equal words for values that are equal to the bit, of tensors and plain values; "" of others."""
    if isinstance(value, torch.Tensor):
        data = value.detach().cpu().contiguous()
        digest = hashlib.sha256(data.view(-1).view(torch.uint8).numpy().tobytes()).hexdigest()
        return f"{data.dtype} {list(data.shape)} {digest}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_words, value))}]"
    return repr(value) if isinstance(value, int | float | str | bool) else ""


if __name__ == "__main__":
    raise SystemExit(main())
