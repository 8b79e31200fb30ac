"""`python -m tbprof.hook.run train.py ...`: profile a program that knows nothing of it.

Steps are those of the program's optimizer, or of the function that `--step-on` names. Output and
exit code are those of the program alone; what the hook says goes to stderr.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.machinery
import logging
import os
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.hook.config.hook_config import checked_config
from tbprof.hook.config.options import HookOptions
from tbprof.hook.run_arguments import OneLineParser, add_options, options_of
from tbprof.hook.safety.user_message import stderr_handler
from tbprof.program.main_program import (
    NoSuchModule,
    check_function,
    check_script,
    program_frames,
    run_program,
)
from tbprof.program.step_functions import StepFunction


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program that the command line names; its exceptions and exits pass."""
    asked = parser(HookOptions)
    given = asked.parse_args(arguments)
    try:
        options, step_on = _checked(given)
    except UsageError as error:
        asked.error(str(error).rstrip("."))
    _run(given, options, step_on)


def parser(record: type) -> argparse.ArgumentParser:
    """What the command line takes; `record` is that of the hook's options."""
    made = OneLineParser(
        prog="tbprof run",
        description="Profile a training script without changing its code. Options go before PROGRAM.",
    )
    made.add_argument("--logdir", help="the run's folder; default: logs/<name of the program>")
    made.add_argument(
        "--step-on",
        metavar="NAME",
        help="function that is called once a step, as package.module:Class.method (of the script itself:"
        " __main__:function), where no optimizer of torch, fastai or Keras ends the steps",
    )
    add_options(made, record)
    made.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
    made.add_argument("program", metavar="PROGRAM", help="the script")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script is given")
    return made


def _checked(given: argparse.Namespace) -> tuple[HookOptions, StepFunction | None]:
    """What was asked for, as far as it can be checked before the program runs.

    Raises:
        UsageError: something of it can't be used.
    """
    check_script(given.program, is_module=given.module)
    options = options_of(given, HookOptions)
    checked_config(_logdir(given), options)
    step_on = None if given.step_on is None else StepFunction.parse(given.step_on)
    if step_on is not None:
        _check_step_on(step_on, given)
    return options, step_on


def _check_step_on(step_on: StepFunction, given: argparse.Namespace) -> None:
    if step_on.module == "__main__":
        check_function(given.program, step_on.function, is_module=given.module)
        return
    folder = str(Path.cwd() if given.module else Path(given.program).resolve().parent)
    package = step_on.module.partition(".")[0]
    places = [folder, *sys.path]
    if package not in sys.modules and importlib.machinery.PathFinder.find_spec(package, places) is None:
        raise UsageError(
            f"--step-on {step_on}: there is no module {package!r}, neither in {folder} nor installed"
        )


def _logdir(given: argparse.Namespace) -> str:
    # Of a module all of its name: those of one package are programs of their own.
    name = given.program if given.module else Path(given.program).stem
    return os.path.join("logs", name) if given.logdir is None else given.logdir  # noqa: PTH118


def _run(given: argparse.Namespace, options: HookOptions, step_on: StepFunction | None) -> None:
    # torch takes seconds, and who asks for help or gives a wrong option does not wait for it.
    from tbprof.hook.program_steps import ProgramSteps
    from tbprof.hook.trainer_hook import TrainerHook

    _log_to_stderr()
    sys.excepthook = _without_our_frames(sys.excepthook)
    arguments = {option.name: getattr(options, option.name) for option in dataclasses.fields(options)}
    with TrainerHook(_logdir(given), **arguments) as hook:
        steps = ProgramSteps(hook)
        decorate = steps.count(step_on)
        try:
            run_program(given.program, given.arguments, is_module=given.module, decorate=decorate)
        except NoSuchModule:
            # Python says so in one line, and there is nothing to say of a run that was none.
            logging.getLogger("tbprof").disabled = True
            raise
        finally:
            steps.say_if_none()


def _log_to_stderr() -> None:
    """The program's own logging stays as it is."""
    logger = logging.getLogger("tbprof")
    logger.addHandler(stderr_handler())
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
