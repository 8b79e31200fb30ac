"""The command `tbprof fits`: one process a batch size, and what they say together."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tbprof.errors import UsageError
from tbprof.escaping import json_text, plain, plain_lines
from tbprof.preflight.fits.batch_size import VARIABLE, Way, way_of, with_batch
from tbprof.preflight.fits.document import document
from tbprof.preflight.fits.outcome import Outcome, outcome_from, verdict_of
from tbprof.preflight.fits.text import text
from tbprof.program.main_program import check_script
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

_FITS, _DOES_NOT, _COULD_NOT = 0, 1, 2
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]?)(I?)B?", re.IGNORECASE)
_LEAST_DEVICE_BYTES = 10**6
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a program on the CPU with each batch size, and print the memory of a GPU that it would need."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # What follows is the program's, so that its options may stand behind its name.
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), given[end + 1 :]
    options = parser.parse_args(given[:end])
    try:
        check_script(options.program, is_module=options.module)
    except UsageError as error:
        parser.error(str(error))
    way = way_of(options.program, rest, options.batch_flag, is_module=options.module)
    outcomes = []
    try:
        for batch in options.batch:
            outcomes.append(_outcome(options, way, rest, batch))
            if outcomes[-1].error:
                sys.stderr.write(f"tbprof: batch size {batch}: {plain(outcomes[-1].error)}\n")
            if outcomes[-1].is_refusal:
                break
    except KeyboardInterrupt:
        sys.stderr.write("tbprof: interrupted\n")
    substitute_unencodable(sys.stdout)
    with reader_may_leave():
        device = options.device_memory
        found = (options.program, way.name, device, outcomes)
        put(json_text(document(*found), indent=1) if options.format == "json" else plain_lines(text(*found)))
    if len(outcomes) < len(options.batch):
        return _COULD_NOT
    return _exit_code(outcomes, options.device_memory)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof fits", description=run.__doc__)
    parser.add_argument("--batch", type=_batches, required=True, metavar="N,...", help="batch sizes to try")
    parser.add_argument(
        "--batch-flag",
        default="",
        metavar="NAME",
        help="the program's argument for it: --bs, or data.batch_size where settings are given as NAME=N",
    )
    parser.add_argument(
        "--device-memory", type=_bytes, metavar="SIZE", help="of the GPU, such as 24GB or 80GiB"
    )
    parser.add_argument("--steps", type=int, default=2, help="optimizer steps to follow; default: 2")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each batch size")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
    parser.add_argument("program", help="the script; behind it -- and what it is given")
    return parser


def _batches(given: str) -> tuple[int, ...]:
    sizes = tuple(int(part) for part in given.split(","))
    if min(sizes) < 1:
        raise argparse.ArgumentTypeError("a batch has 1 sample or more")
    return tuple(dict.fromkeys(sizes))


def _bytes(given: str) -> int:
    parts = _SIZE.fullmatch(given.strip())
    if parts is None:
        raise argparse.ArgumentTypeError(f"{given} is no size: give one such as 24GB or 80GiB")
    number, unit, binary = parts.groups()
    size_bytes = int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])
    if size_bytes < _LEAST_DEVICE_BYTES:
        raise argparse.ArgumentTypeError(f"{given} is too little: give its unit, such as {given}GB")
    return size_bytes


def _outcome(options: argparse.Namespace, way: Way, rest: Sequence[str], batch: int) -> Outcome:
    """Of a process of its own, whose output goes to stderr."""
    task = {
        "program": options.program,
        "arguments": with_batch(rest, way.flag, batch) if way.flag else list(rest),
        "is_module": options.module,
        "batch": batch,
        "replaces_loaders": way.replaces_loaders,
        "flag": way.flag,
        "steps": options.steps,
        "time_limit": options.time_limit,
    }
    warnings = [f"-W{option}" for option in sys.warnoptions]
    module = "tbprof.preflight.fits.one_size"
    with TemporaryDirectory(prefix="tbprof-fits-") as folder:
        file = Path(folder) / "outcome.json"
        ended = subprocess.run(
            [sys.executable, *warnings, "-m", module, json.dumps(task), str(file)],
            check=False,
            stdout=sys.stderr.fileno(),
            env={**os.environ, VARIABLE: str(batch)},
        )
        if file.is_file():
            return outcome_from(json.loads(file.read_text(encoding="utf-8")))
    by = f"signal {-ended.returncode}" if ended.returncode < 0 else f"exit code {ended.returncode}"
    return Outcome(batch, 0, f"its process ended by {by}: this machine may lack the memory for it", None)


def _exit_code(outcomes: Sequence[Outcome], device_bytes: int | None) -> int:
    if any(one.peak is None or one.error for one in outcomes):
        return _COULD_NOT
    if device_bytes is None:
        return _FITS
    verdicts = {verdict_of(one.peak, device_bytes) for one in outcomes if one.peak is not None}
    return _FITS if verdicts == {"fits"} else _DOES_NOT
