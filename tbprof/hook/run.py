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
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tbprof.errors import UsageError
from tbprof.hook.hook_config import checked_config
from tbprof.hook.options import HookOptions
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
        except (Exception, SystemExit) as error:
            _say_if_it_wants_a_gpu(given.program, error)
            raise
        finally:
            steps.say_if_none()


_OF_TORCH = (AssertionError, RuntimeError, SystemExit)
"""What torch and programs end with where there is no GPU; of other classes no method is called."""


def _say_if_it_wants_a_gpu(program: str, error: BaseException) -> None:
    """Name the command for a machine without a GPU, where the lack of one ended the program."""
    import torch

    said = error.args[0] if type(error) in _OF_TORCH and error.args else None
    if type(said) is str and re.search(r"CUDA|NVIDIA|\bGPU", said) and not torch.cuda.is_available():
        logging.getLogger("tbprof").warning(
            "Torch finds no GPU here. tbprof preflight %s runs the program without one, and predicts which "
            "lines would wait for it.",
            program,
        )


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


NO_USAGE = 2
"""The exit code of what could not be done."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one sentence; the list of options is long."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(NO_USAGE, f"tbprof: {message}; {self.prog} --help shows the options\n")


def add_options(parser: argparse.ArgumentParser, record: type) -> None:
    """Add an option for each field of a record of options, and of the records in it."""
    for name, field in _single_options(record):
        flag = f"--{name.replace('_', '-')}"
        text = f"{field.metadata['help']}{_default_in_words(field.default)}".replace("%", "%%")
        if isinstance(field.default, bool):
            parser.add_argument(
                flag, action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS, help=text
            )
        else:
            kind = _kind(field)
            metavar = "N" if kind in (int, float) else field.name.upper()
            parser.add_argument(flag, type=kind, metavar=metavar, default=argparse.SUPPRESS, help=text)


def options_of(given: argparse.Namespace, record: type, prefix: str = "") -> Any:
    """The record with what was given; the rest is as its defaults say.

    Raises:
        UsageError: something that was given can't be used.
    """
    values: dict[str, object] = {}
    for field in dataclasses.fields(record):
        name = f"{prefix}{field.name}"
        if "record" not in field.metadata:
            if hasattr(given, name):
                values[field.name] = getattr(given, name)
            continue
        inner, inner_prefix = field.metadata["record"], field.metadata["prefix"]
        if any(hasattr(given, inner_name) for inner_name, _ in _single_options(inner, inner_prefix)):
            values[field.name] = options_of(given, inner, inner_prefix)
    return record(**values)


def _single_options(record: type, prefix: str = "") -> Iterator[tuple[str, dataclasses.Field[Any]]]:
    """The fields that are no records, each with its name on the command line."""
    for field in dataclasses.fields(record):
        if "record" in field.metadata:
            yield from _single_options(field.metadata["record"], field.metadata["prefix"])
        else:
            yield f"{prefix}{field.name}", field


def _kind(field: dataclasses.Field[Any]) -> Any:
    return field.metadata["kind"] or (str if field.default is None else type(field.default))


def _default_in_words(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return "; default: yes" if default else "; default: no"
    return f"; default: {default}"


if __name__ == "__main__":
    main()
