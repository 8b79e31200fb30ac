"""The command `tbprof fits`: one process a batch size, and what they say together.

Exit codes: 0 all sizes fit, or no device was named; 1 one does not, or may not; 2 one could not be judged.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tbprof.errors import UsageError
from tbprof.escaping import json_text, plain, plain_lines
from tbprof.preflight.fits.batch_size import VARIABLE, Way, way_of, with_batch
from tbprof.preflight.fits.one_size import Outcome, growth_of, needed_bytes, outcome_from, verdict_of
from tbprof.preflight.fits.peak import Peak
from tbprof.program.main_program import check_script
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable
from tbprof.texts.figures.quantities import count, size

_FITS, _DOES_NOT, _COULD_NOT = 0, 1, 2
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]?)(I?)B?", re.IGNORECASE)
_LEAST_DEVICE_BYTES = 10**6
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a program on the CPU with each batch size, and print the memory of a GPU that it would need."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # What follows is the program's, so that its options may stand after its name.
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
    parser.add_argument("program", help="the script; after it -- and what it is given")
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
    """The outcome of a process of its own, whose output goes to stderr."""
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


_SCHEMA = 1


def document(program: str, way: str, device_bytes: int | None, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Sizes in bytes; null for what is not known, or was not asked for."""
    growth = growth_of(outcomes)
    return {
        "schema": _SCHEMA,
        "program": program,
        "batch_size_set_by": way,
        "device_memory_bytes": device_bytes,
        "sizes": [_size(one, device_bytes) for one in outcomes],
        "growth": None if growth is None else dataclasses.asdict(growth),
    }


def _size(outcome: Outcome, device_bytes: int | None) -> dict[str, Any]:
    peak = outcome.peak
    least, most = (None, None) if peak is None else needed_bytes(peak)
    return {
        **dataclasses.asdict(outcome),
        "needed_bytes": {"least": least, "most": most},
        "verdict": None if peak is None or device_bytes is None else verdict_of(peak, device_bytes),
    }


_NOT_COUNTED = (
    "Not counted: what later steps need more, such as longer inputs, and evaluation; the workspaces of "
    "cuDNN and what NCCL keeps. The whole process is given with 0.25 to 1.4 GB for CUDA itself, and at most "
    "with cuBLAS's workspaces, what one operator has inside while it runs (as the CPU's does: a GPU's may "
    "take more or less) and all segments that the allocator would have reserved."
)


def text(program: str, way: str, device_bytes: int | None, outcomes: Sequence[Outcome]) -> str:
    """A table of the batch sizes, and what holds the peak of the largest one."""
    errors = {one.error for one in outcomes}
    if len(errors) == 1 and all(one.peak is None for one in outcomes):
        return f"{program}: {errors.pop()}\n"
    steps = count(max(one.steps for one in outcomes), "step")
    lines = [f"{program}: {steps} followed on the CPU, its batch size set by {way}", ""]
    lines += _table(outcomes, device_bytes)
    known = [one for one in outcomes if one.peak is not None]
    if known:
        lines += ["", *_holders(max(known, key=lambda one: one.batch))]
    lines += [*_growth(outcomes, device_bytes), "", _NOT_COUNTED]
    return "\n".join(lines) + "\n"


def _table(outcomes: Sequence[Outcome], device_bytes: int | None) -> Iterator[str]:
    verdict = "" if device_bytes is None else f"on {size(device_bytes)}"
    yield f"{'batch':>7}  {'allocated':>10}  {'reserved':>10}  {'whole process':<22} {verdict}".rstrip()
    for one in outcomes:
        if one.peak is None:
            yield f"{one.batch:>7}  {one.error}"
            continue
        least, most = needed_bytes(one.peak)
        said = "" if device_bytes is None else verdict_of(one.peak, device_bytes)
        peak, span = one.peak, f"{size(least)} to {size(most)}"
        yield (
            f"{one.batch:>7}  {size(peak.allocated_bytes):>10}  {size(peak.reserved_bytes):>10}  "
            f"{span:<22} {said}"
        ).rstrip()
        if one.error:
            yield f"{'':>7}  until {one.error}"
        elif not one.steps:
            yield f"{'':>7}  without a step of an optimizer"


def _holders(outcome: Outcome) -> Iterator[str]:
    peak = outcome.peak
    assert peak is not None
    yield f"The peak of batch size {outcome.batch}: {_moment(peak)}"
    if peak.running:
        inside = size(peak.running_bytes - peak.requested_bytes)
        yield f"  on the CPU {peak.running} takes {inside} above it, inside, while it runs"
    for head, rows in (
        ("by kind", peak.kinds),
        ("by module", _named(peak.modules, "outside all forwards")),
        ("by line", _named(peak.lines, "no line of the program's")),
    ):
        yield f"  {head}"
        yield from _rows(rows)


def _moment(peak: Peak) -> str:
    device = f" of GPU {peak.device}" if peak.device else ""
    return f"in the {peak.phase} of step {peak.step}{device}, at {peak.line or 'no line of the program'}"


def _named(rows: Mapping[str, int], nothing: str) -> dict[str, int]:
    return {name or nothing: held for name, held in rows.items()}


def _rows(rows: Mapping[str, int]) -> Iterator[str]:
    for name, held in sorted(rows.items(), key=lambda row: -row[1]):
        yield f"    {size(held):>10}  {name}"


def _growth(outcomes: Sequence[Outcome], device_bytes: int | None) -> Iterator[str]:
    growth = growth_of(outcomes)
    if growth is None:
        return
    yield ""
    if growth.allocated.per_sample_bytes <= 0:
        yield "The peak does not grow with the batch size: see whether the program uses it."
        return
    said = f"Each sample adds {size(round(growth.allocated.per_sample_bytes))} to what is allocated"
    if device_bytes is None:
        yield f"{said}."
        return
    least, most = growth.largest_batches(device_bytes)
    yield (
        f"{said}: {count(least, 'sample')} should fit, and {most:,} may."
        if least
        else (f"{said}: up to {count(most, 'sample')} may fit, and no number surely does.")
    )
