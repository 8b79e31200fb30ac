"""The command `tbprof prove`: it makes the two sides, has them run, and prints the verdict.

Exit codes: 0 `proved`, `proved within rounding` and `no effect`; 1 `not equal` and `unsafe`; 2 `cannot tell`;
3 `different work`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tbprof.errors import TbprofError
from tbprof.escaping import code, json_text, plain, plain_lines, prose
from tbprof.preflight.command import add_run_options
from tbprof.preflight.proof.claim import Claim, Line
from tbprof.preflight.proof.judging import Proof, Tasks, Verdict, prove
from tbprof.preflight.proof.record import Task
from tbprof.preflight.proof.running import Run, run_in_process
from tbprof.preflight.proof.sides import Side, sides_of
from tbprof.session_file import note_result
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable
from tbprof.texts.figures.quantities import size

_CODES: Mapping[Verdict, int] = {
    "proved": 0,
    "proved within rounding": 0,
    "no effect": 0,
    "not equal": 1,
    "unsafe": 1,
    "cannot tell": 2,
    "different work": 3,
}
_COULD_NOT = 2


def run(arguments: Sequence[str] | None = None, *, run_side: Run = run_in_process) -> int:
    """Say whether a change of a program is right, and whether it does what it claims, without a GPU."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), tuple(given[end + 1 :])
    options = parser.parse_intermixed_args(given[:end])
    if options.steps < 1:
        parser.error(f"--steps {options.steps}: give 1 or more")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        names = (options.before, options.after)
        with (
            sides_of(names, options.program, options.link) as sides,
            TemporaryDirectory(prefix="tbprof-prove-", ignore_cleanup_errors=True) as folder,
        ):
            before, after = (task_of(side, options, rest) for side in sides)
            proof = prove(Tasks(before, after, Path(folder), run_side), other_threads())
    except TbprofError as error:
        sys.stderr.write(f"tbprof: {plain(str(error))}\n")
        return _COULD_NOT
    substitute_unencodable(sys.stdout)
    with reader_may_leave():
        put(
            printed(proof, names, options.format)
            if options.format == "json"
            else plain_lines(printed(proof, names, options.format))
        )
    between = " -> ".join(filter(None, names))
    note_result("proof", f"{between}: {proof.verdict}. {proof.sentence}", _spared(proof))
    return _CODES[proof.verdict]


def _spared(proof: Proof) -> tuple[str, ...]:
    """The lines of the side before that wait or copy more often than after."""
    claim = proof.claim
    lines = () if claim is None else (*claim.gone, *claim.changed)
    return tuple(line.code.strip() for line in lines if line.after < line.before)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof prove", description=run.__doc__)
    add_side_options(parser)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("before", help="a revision of git, a folder (. for what is there now) or a script")
    parser.add_argument("after", help="another one")
    parser.add_argument("program", nargs="?", help="the script that both run; after it -- and its arguments")
    return parser


def add_side_options(parser: argparse.ArgumentParser, steps: int | None = 5) -> None:
    """How sides are run; `task_of` takes these options, where `steps` says how many."""
    if steps is not None:
        taken = f"optimizer steps after the first; default: {steps}"
        parser.add_argument("--steps", type=int, default=steps, help=taken)
    add_run_options(parser, time_limit=600.0, limited="of each run; default: 600")
    parser.add_argument(
        "--link",
        action="append",
        default=[],
        metavar="PATH",
        help="what git does not hold and a side needs, such as a folder of data",
    )


def task_of(side: Side, options: argparse.Namespace, arguments: tuple[str, ...]) -> Task:
    """The run of a side that the options ask for; where its record goes is yet to be said."""
    return Task(
        program=side.program,
        arguments=arguments,
        is_module=options.module,
        root=str(side.root),
        original=str(side.original),
        folder=str(side.folder),
        links=tuple(str(Path(link).resolve()) for link in options.link),
        steps=options.steps,
        step_on=options.step_on,
        time_limit=options.time_limit,
        record="",
        values="",
        values_from=None,
        against="",
        threads=None,
    )


def other_threads() -> int:
    """A number of threads that runs do not have by themselves."""
    cores: Any = os.cpu_count()
    return 1 if (cores or 1) > 1 else 2


_MOST_LINES = 8
"""Shown of each kind."""

_HOW = {
    "late": "comes one step later",
    "seldom": "comes in fewer steps",
    "gone": "is not there any more",
    "other": "has another value",
}


def printed(proof: Proof, names: Sequence[str], form: str) -> str:
    """The proof as `--format` asks for it; `names` are those of the two sides."""
    if form == "json":
        return json_text({**msgspec.to_builtins(proof), "before": names[0], "after": names[1]}, indent=1)
    lines = _markdown(proof, names) if form == "markdown" else _text(proof, names)
    return "\n".join(lines) + "\n"


def _text(proof: Proof, names: Sequence[str]) -> Iterator[str]:
    yield f"{names[0]} -> {names[1]}: {proof.verdict}"
    yield proof.sentence
    if proof.claim is not None:
        yield ""
        yield f"{'a step':<18}{'before':>12}{'after':>12}"
        yield from (f"{name:<18}{old:>12}{new:>12}" for name, old, new in _rows(proof.claim))
        for what, line in _lines(proof.claim):
            yield f"{what}: {line.source}  {line.code}  [{line.before:g} -> {line.after:g}]"
    yield from _remarks(proof)


def _markdown(proof: Proof, names: Sequence[str]) -> Iterator[str]:
    yield f"**`tbprof prove`: {proof.verdict}.** {prose(proof.sentence)}"
    if proof.claim is not None:
        yield ""
        yield f"| a step | {prose(names[0])} | {prose(names[1])} |"
        yield "|---|---|---|"
        yield from (f"| {name} | {old} | {new} |" for name, old, new in _rows(proof.claim))
        yield ""
        for what, line in _lines(proof.claim):
            text, source = code(line.code), prose(line.source)
            yield f"- {what}: {source}: {text} ({line.before:g} → {line.after:g})"
    yield from (f"- {prose(each)}" for each in _remarks(proof))
    yield ""
    yield "A run without a GPU: it shows equality and counts, and no times."


def _rows(claim: Claim) -> Iterator[tuple[str, str, str]]:
    counted = {"sync points": claim.sync_points, "copies": claim.copies}
    yield from ((name, f"{old:g}", f"{new:g}") for name, (old, new) in counted.items())
    yield ("bytes copied", size(round(claim.bytes[0])), size(round(claim.bytes[1])))
    yield ("device operators", f"{claim.operators[0]:g}", f"{claim.operators[1]:g}")
    old, new = claim.peak_bytes
    if old is not None and new is not None:
        yield ("peak memory", size(old), size(new))


def _lines(claim: Claim) -> Iterator[tuple[str, Line]]:
    kinds = {"gone": claim.gone, "new": claim.new, "moved": claim.moved, "more or less often": claim.changed}
    for what, lines in kinds.items():
        yield from ((what, line) for line in lines[:_MOST_LINES])


def _remarks(proof: Proof) -> Iterator[str]:
    """What is to be known besides the first sentence."""
    for fault in proof.safety:
        yield f"Unsafe: {fault.sentence}."
    if proof.result is not None:
        said = {each.words: _HOW[each.how] for each in proof.result.printed}
        yield from (f"What is printed or tracked as `{words}` {how}." for words, how in said.items())
        if proof.result.own_noise is not None:
            absolute, relative = proof.result.own_noise
            yield (
                "With another number of threads and sums in another order, the program differs from itself "
                f"there by {absolute:.3g} ({relative:.2g} of the largest value)."
            )
    yield from (f"Note: {note.rstrip('.')}." for note in proof.notes)
