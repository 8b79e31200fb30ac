"""`python -m tbprof.hook.run train.py ...`: profile a program that knows nothing of it.

Every step of the program's first optimizer is a step. Output and exit code are those of the
program alone; what the hook says goes to stderr.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook

from tbprof.hook.compiled_code import untraced
from tbprof.hook.schedule import Schedule
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.main_program import program_frames, run_program

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program that the command line names; its exceptions and exits pass."""
    parser = argparse.ArgumentParser(prog="python -m tbprof.hook.run")
    parser.add_argument("--logdir", help="default: logs/<name of the program>")
    parser.add_argument("--skip-first", type=int, default=Schedule().skip_first)
    parser.add_argument("--active", type=int, default=Schedule().active)
    parser.add_argument("--sync-callbacks", action="store_true", help="see TrainerHook's argument")
    parser.add_argument("--module", action="store_true", help="PROGRAM is a module, as for python -m")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if not options.module and not Path(options.program).is_file():
        parser.error(f"{options.program} is no file; give a script, or a module with --module")
    _log_to_stderr()
    sys.excepthook = _without_our_frames(sys.excepthook)
    logdir = options.logdir or os.path.join("logs", Path(options.program).stem)  # noqa: PTH118
    schedule = Schedule(skip_first=options.skip_first, active=options.active)
    with TrainerHook(logdir, schedule=schedule, sync_callbacks=options.sync_callbacks) as hook:
        step_with_first_optimizer(hook)
        run_program(options.program, options.arguments, is_module=options.module)


def step_with_first_optimizer(hook: TrainerHook) -> None:
    """Take a step of the hook after each one of the optimizer that steps first.

    A program with two (a generator's and a discriminator's) takes one step for both.
    """
    first: list[int] = []

    def after_step(optimizer: Any, *_: Any) -> None:
        if not first:
            first.append(id(optimizer))
        if id(optimizer) == first[0]:
            hook.step()

    # A compiled optimizer.step() calls it as well.
    register_optimizer_step_post_hook(untraced(after_step))


def _log_to_stderr() -> None:
    """The program's own logging stays as it is."""
    logger = logging.getLogger("tbprof")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("tbprof: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


Excepthook = Callable[[type[BaseException], BaseException, types.TracebackType | None], Any]


def _without_our_frames(show: Excepthook) -> Excepthook:
    """Show an exception as if the program had been started alone."""

    def show_theirs(
        kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None
    ) -> None:
        theirs = program_frames(traceback)
        show(kind, error.with_traceback(theirs), theirs)

    return show_theirs


if __name__ == "__main__":
    main()
