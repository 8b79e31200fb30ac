"""The command `tbprof preflight`, in the process in which the program runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from tbprof.errors import SelfTestFailed, TbprofError
from tbprof.line_rules import LINE_KINDS
from tbprof.preflight.prediction.document import document
from tbprof.preflight.prediction.prediction import ENDED_WELL, Prediction
from tbprof.preflight.prediction.text import text
from tbprof.preflight.program.signals import Signals, Terminated, signals_heard
from tbprof.preflight.session import Preflight
from tbprof.program.main_program import NoSuchModule, check_function, program_frames, run_program
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

__all__ = ["run"]

FOUND, COULD_NOT, SELF_TEST_FAILED = 1, 2, 3


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a program and print what it would wait for; the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.module and not Path(options.program).is_file():
        parser.error(f"{options.program} is no file; give a script, or a module with -m")
    rest = options.arguments[1:] if options.arguments[:1] == ["--"] else options.arguments
    try:
        with _program_to_stderr() as report, signals_heard() as signals:
            process = os.getpid()
            prediction = _predict(options, rest, signals)
            if os.getpid() != process:
                # A fork of the program: what there is to say its parent says.
                os._exit(0 if prediction.ending in ENDED_WELL else 1)
            # Now, and not before the program ran: what it prints is its own business.
            substitute_unencodable(report)
            with redirect_stdout(report), reader_may_leave():
                put(_printed(prediction, options.format))
    except SelfTestFailed as error:
        return _say(error, SELF_TEST_FAILED)
    except TbprofError as error:
        return _say(error, COULD_NOT)
    except (KeyboardInterrupt, Terminated):
        return _say("interrupted before the program began, or once more after it", COULD_NOT)
    return _exit_code(prediction, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof preflight", description=run.__doc__)
    parser.add_argument("--steps", type=int, default=3, help="optimizer steps to look at; default: 3")
    parser.add_argument("--warmup", type=int, default=1, help="optimizer steps before them; default: 1")
    parser.add_argument(
        "--step-on",
        metavar="NAME",
        help="package.module:Class.method, or __main__:function of the script: each return ends a step",
    )
    parser.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="end after so long with what was found"
    )
    parser.add_argument(
        "--fail-on", type=_kinds, default=(), metavar="KIND,...", help=", ".join((*LINE_KINDS, "all"))
    )
    parser.add_argument("--budget", type=int, metavar="N", help="most sync points of a step")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--stub", action="append", default=[], metavar="NAME=REPLACEMENT", help="e.g. pkg.fn=mine.fn"
    )
    parser.add_argument("--force", action="store_true", help="run on a machine with a GPU, too")
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
    parser.add_argument("program", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="-- and what the script is given")
    return parser


def _kinds(given: str) -> tuple[str, ...]:
    names = tuple(name.strip().replace("-", "_") for name in given.split(","))
    if "all" in names:
        return LINE_KINDS
    unknown = [name for name in names if name not in LINE_KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"no such kind: {', '.join(unknown)}; there are {', '.join(LINE_KINDS)}"
        )
    return names


def _predict(options: argparse.Namespace, arguments: Sequence[str], signals: Signals) -> Prediction:
    preflight = Preflight(
        steps=options.steps,
        warmup=options.warmup,
        step_on=options.step_on,
        time_limit=options.time_limit,
        stub=dict(_replacement(given) for given in options.stub),
        force=options.force,
        program=options.program,
    )
    decorate = preflight.decoration()
    if decorate is not None:
        check_function(options.program, decorate[0], is_module=options.module)
    try:
        with preflight:
            try:
                run_program(options.program, arguments, is_module=options.module, decorate=decorate)
            finally:
                preflight.signal = signals.received
    except TbprofError:
        if not preflight.has_ended:
            raise
    except (Exception, SystemExit, KeyboardInterrupt, Terminated) as error:
        if not preflight.has_ended:
            raise
        if isinstance(error, NoSuchModule):
            sys.stderr.write(f"{error}\n")
        elif isinstance(error, Exception):
            _show(error)
    return preflight.prediction


def _replacement(given: str) -> tuple[str, Callable[..., Any]]:
    """`pkg.fn=mine.fn` as the name and the function."""
    name, _, replacement = given.partition("=")
    module, _, attribute = replacement.rpartition(".")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return name, getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise TbprofError(f"--stub {given}: {replacement} can't be imported ({error})") from error
    finally:
        sys.path.pop(0)


@contextmanager
def _program_to_stderr() -> Iterator[TextIO]:
    """Where the report goes: what was stdout. The program's output goes to stderr, its children's too.

    A program may close its stdout: the report's is another one.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(
        kept, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False
    ) as report:
        try:
            yield report
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os.dup2(kept, 1)
    os.close(kept)


def _printed(prediction: Prediction, form: str) -> str:
    return json.dumps(document(prediction), indent=1) + "\n" if form == "json" else text(prediction)


def _show(error: BaseException) -> None:
    """The program's own frames, as Python would have shown them."""
    traceback.print_exception(type(error), error, program_frames(error.__traceback__))


def _exit_code(prediction: Prediction, options: argparse.Namespace) -> int:
    if prediction.ending not in ENDED_WELL:
        return COULD_NOT
    kinds = {
        prediction.sites[finding.site].kind for finding in prediction.findings if finding.suppressed is None
    }
    over_budget = options.budget is not None and prediction.syncs_per_step > options.budget
    return FOUND if over_budget or not kinds.isdisjoint(options.fail_on) else 0


def _say(error: TbprofError | str, code: int) -> int:
    sys.stderr.write(f"tbprof: {error}\n")
    return code
