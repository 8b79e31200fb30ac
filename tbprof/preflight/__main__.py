"""`python -m tbprof.preflight train.py -- ...`: what `tbprof preflight` starts.

Exit codes: 0 fine; 1 what `--fail-on` or `--budget` asked for was found; 2 the program failed or
can't be run without a GPU (what was found until there is printed); 3 preflight does not
understand this torch.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from tbprof.errors import OutputError, SelfTestFailed, TbprofError
from tbprof.main_program import program_frames, run_program
from tbprof.preflight.document import document
from tbprof.preflight.prediction import KINDS, Prediction
from tbprof.preflight.report import text
from tbprof.preflight.session import Preflight
from tbprof.streams import flush_output, open_closed_streams, put, substitute_unencodable

__all__ = ["main"]

FOUND, COULD_NOT, SELF_TEST_FAILED = 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program and print what it would wait for."""
    open_closed_streams()
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.module and not Path(options.program).is_file():
        parser.error(f"{options.program} is no file; give a script, or a module with -m")
    rest = options.arguments[1:] if options.arguments[:1] == ["--"] else options.arguments
    try:
        prediction = _run(options, rest)
    except SelfTestFailed as error:
        return _say(error, SELF_TEST_FAILED)
    except TbprofError as error:
        return _say(error, COULD_NOT)
    # Now, and not before the program ran: what it prints is its own business.
    substitute_unencodable(sys.stdout)
    is_json = options.format == "json"
    try:
        put(json.dumps(document(prediction), indent=1) + "\n" if is_json else text(prediction))
        flush_output()
    except OutputError as error:
        return _say(error, COULD_NOT)
    return _exit_code(prediction, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof preflight", description=main.__doc__)
    parser.add_argument("--steps", type=int, default=3, help="optimizer steps to look at; default: 3")
    parser.add_argument("--warmup", type=int, default=1, help="optimizer steps before them; default: 1")
    parser.add_argument(
        "--fail-on", type=_kinds, default=(), metavar="KIND,...", help=", ".join((*KINDS, "all"))
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
        return KINDS
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such kind: {', '.join(unknown)}; there are {', '.join(KINDS)}")
    return names


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> Prediction:
    preflight = Preflight(
        steps=options.steps,
        warmup=options.warmup,
        stub=dict(_replacement(given) for given in options.stub),
        force=options.force,
        program=options.program,
    )
    with _output_to_stderr():
        try:
            with preflight:
                run_program(options.program, arguments, is_module=options.module)
        except TbprofError:
            if not preflight.has_ended:
                raise
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - the border to the user's program
            if not isinstance(error, SystemExit):
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
def _output_to_stderr() -> Iterator[None]:
    """The program's output, that of its children too, leaves stdout to the report."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _show(error: BaseException) -> None:
    """The program's own frames, as Python would have shown them."""
    traceback.print_exception(type(error), error, program_frames(error.__traceback__))


def _exit_code(prediction: Prediction, options: argparse.Namespace) -> int:
    if prediction.ending not in ("stopped", "finished"):
        return COULD_NOT
    kinds = {
        prediction.sites[finding.site].kind for finding in prediction.findings if finding.suppressed is None
    }
    over_budget = options.budget is not None and prediction.syncs_per_step > options.budget
    return FOUND if over_budget or not kinds.isdisjoint(options.fail_on) else 0


def _say(error: TbprofError, code: int) -> int:
    sys.stderr.write(f"tbprof: {error}\n")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
