"""The command `tbprof preflight`, in the process in which the program runs."""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from tbprof.errors import SelfTestFailed, TbprofError, UsageError
from tbprof.escaping import json_text, plain, plain_lines
from tbprof.line_rules import LINE_KINDS
from tbprof.preflight.document import document
from tbprof.preflight.ending import (
    GRACE_SECONDS,
    ForcedEnd,
    OutOfTime,
    Signals,
    Terminated,
    signals_heard,
)
from tbprof.preflight.prediction import ENDED_WELL, Prediction
from tbprof.preflight.session import Preflight
from tbprof.preflight.text import text
from tbprof.program.main_program import (
    NoSuchModule,
    check_function,
    check_script,
    program_frames,
    run_program,
)
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

PATIENCE = timedelta(seconds=30)
"""For rank 0, which may come to its end later."""

AS_FIRST = "as rank 0"
_KEY = "tbprof/preflight"


class Rank:
    """One rank, by what torchrun named it before the program could change that."""

    def __init__(self) -> None:
        self.number = int(os.environ.get("RANK") or 0)
        # The store of the agent, which outlives the ranks.
        has_store = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        self._store = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])) if has_store else None

    def beside_first(self, report: str) -> str:
        """AS_FIRST where rank 0 says the very same, else that it does not; "" on rank 0, or without a job."""
        if self._store is None:
            return ""
        # Not every build of torch has it.
        from torch.distributed import TCPStore

        digest = hashlib.sha256(report.encode()).hexdigest()
        try:
            store = TCPStore(*self._store, is_master=False, timeout=PATIENCE)
            if self.number == 0:
                store.set(_KEY, digest)
                return ""
            return AS_FIRST if store.get(_KEY).decode() == digest else "not as rank 0"
        except RuntimeError:
            return "rank 0 has not said anything"


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a program and print what it would wait for; the exit code."""
    parser = _parser()
    options = _options(parser, list(sys.argv[1:] if arguments is None else arguments))
    try:
        check_script(options.program, is_module=options.module)
    except UsageError as error:
        parser.error(str(error))
    rest = options.arguments[1:] if options.arguments[:1] == ["--"] else options.arguments
    rank = Rank()
    try:
        with _program_to_stderr() as report, signals_heard() as signals:
            process = os.getpid()
            prediction = _predict(options, rest, signals, report)
            if os.getpid() != process:
                # A fork of the program: what there is to say its parent says.
                os._exit(0 if prediction.ending in ENDED_WELL else 1)
            # Now, and not before the program ran: what it prints is its own business.
            substitute_unencodable(report)
            with redirect_stdout(report), reader_may_leave():
                said = printed(prediction, options.format)
                beside = rank.beside_first(said)
                if beside:
                    _say(f"rank {rank.number}: {beside}", 0)
                if beside != AS_FIRST:
                    put(said)
    except SelfTestFailed as error:
        return _say(error, SELF_TEST_FAILED)
    except TbprofError as error:
        return _say(error, COULD_NOT)
    except (KeyboardInterrupt, Terminated):
        return _say("interrupted before the program began, or once more after it", INTERRUPTED)
    return exit_code(prediction, options)


def _options(parser: argparse.ArgumentParser, given: list[str]) -> argparse.Namespace:
    """The options among what stands between PROGRAM and `--`: preflight's, where all of it is, else the
    program's.
    """
    options = parser.parse_args(given)
    words: list[str] = options.arguments
    before = given[: len(given) - len(words)]
    if "--" not in words or "--" in before:
        return options
    dashes = words.index("--")
    # A word that is none of preflight's ends argparse with a message; --help is the program's, too.
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
        moved, unknown = parser.parse_known_args([*words[:dashes], *before])
        if not unknown and not moved.arguments:
            moved.arguments = words[dashes + 1 :]
            return moved
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof preflight", description=run.__doc__)
    parser.add_argument("--steps", type=int, default=3, help="optimizer steps to look at; default: 3")
    parser.add_argument("--warmup", type=int, default=1, help="optimizer steps before them; default: 1")
    add_run_options(parser, time_limit=None, limited="end after so long with what was found")
    parser.add_argument(
        "--fail-on", type=_kinds, default=(), metavar="KIND,...", help=", ".join((*LINE_KINDS, "all"))
    )
    parser.add_argument("--budget", type=int, metavar="N", help="most sync points of a step")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--stub", action="append", default=[], metavar="NAME=REPLACEMENT", help="e.g. pkg.fn=mine.fn"
    )
    parser.add_argument("--force", action="store_true", help="run on a machine with a GPU, too")
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


def _predict(
    options: argparse.Namespace, arguments: Sequence[str], signals: Signals, report: TextIO
) -> Prediction:
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
            forced = _forced_end(preflight, options, signals, report)
            try:
                run_program(options.program, arguments, is_module=options.module, decorate=decorate)
            finally:
                forced.stop()
                preflight.signal = signals.received
    except TbprofError:
        if not preflight.has_ended:
            raise
    except (Exception, SystemExit, KeyboardInterrupt, Terminated) as error:
        if not preflight.has_ended:
            raise
        if isinstance(error, NoSuchModule):
            sys.stderr.write(f"{plain(str(error))}\n")
        elif isinstance(error, Exception):
            _show(error)
    return preflight.prediction


def _forced_end(
    preflight: Preflight, options: argparse.Namespace, signals: Signals, report: TextIO
) -> ForcedEnd:
    """Ends the process with the report where the program does not end when it is asked to."""
    process = os.getpid()

    def end() -> None:
        preflight.signal = signals.received
        code = COULD_NOT
        try:
            prediction = preflight.give_up(Terminated() if signals.received else OutOfTime())
            code = exit_code(prediction, options)
            substitute_unencodable(report)
            report.write(printed(prediction, options.format))
            report.flush()
            # The program may be holding its stream.
            flushing = threading.Thread(target=sys.stdout.flush, daemon=True)
            flushing.start()
            flushing.join(timeout=1)
        finally:
            os._exit(code)

    forced = ForcedEnd(end)

    def terminated() -> None:
        if os.getpid() == process:
            forced.after(GRACE_SECONDS)

    signals.on_termination = terminated
    if options.time_limit is not None:
        forced.after(options.time_limit + GRACE_SECONDS)
    return forced


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


def _show(error: BaseException) -> None:
    """The program's own frames, as Python would have shown them."""
    traceback.print_exception(type(error), error, program_frames(error.__traceback__))


def _say(error: TbprofError | str, code: int) -> int:
    sys.stderr.write(f"tbprof: {plain(str(error))}\n")
    return code


FOUND, COULD_NOT, SELF_TEST_FAILED, INTERRUPTED = 1, 2, 3, 130


def printed(prediction: Prediction, form: str) -> str:
    """The report, as `--format` asks for it."""
    return json_text(document(prediction), indent=1) if form == "json" else plain_lines(text(prediction))


def exit_code(prediction: Prediction, options: argparse.Namespace) -> int:
    """The exit code by how the program ended, and by what `--fail-on` and `--budget` asked for."""
    if prediction.ending not in ENDED_WELL:
        return INTERRUPTED if prediction.ending == "interrupted" else COULD_NOT
    kinds = {
        prediction.sites[finding.site].kind for finding in prediction.findings if finding.suppressed is None
    }
    over_budget = options.budget is not None and prediction.syncs_per_step > options.budget
    return FOUND if over_budget or not kinds.isdisjoint(options.fail_on) else 0


def add_run_options(parser: argparse.ArgumentParser, *, time_limit: float | None, limited: str) -> None:
    """Add those that say what a step is, how long a run may take, and whether the program is a module.

    Args:
        parser: What gets them.
        time_limit: The default; None for no limit.
        limited: What the limit does.
    """
    parser.add_argument(
        "--step-on",
        metavar="NAME",
        help="package.module:Class.method, or __main__:function of the script: each return ends a step",
    )
    parser.add_argument("--time-limit", type=float, default=time_limit, metavar="SECONDS", help=limited)
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
