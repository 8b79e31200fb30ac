"""The command `tbprof fix`: it has edits proved, shows those that are, and writes them if it is asked to.

Exit codes: 0 done, whether or not there was anything to offer; 2 it could not be done.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

import msgspec

from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import json_text, plain, plain_lines
from tbprof.line_rules import LOOP_RULE
from tbprof.preflight.fix.proving import Judged, Proving
from tbprof.preflight.fix.setting_forms import shown_only
from tbprof.preflight.prediction import Prediction
from tbprof.preflight.proof.command import add_side_options, other_threads, task_of
from tbprof.preflight.proof.judging import Proof, Tasks
from tbprof.preflight.proof.running import Run, run_in_process
from tbprof.preflight.proof.sides import Side, git, sides_of
from tbprof.records import dataclass
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

_DONE, _COULD_NOT = 0, 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that there is to say."""

    edits: tuple[Judged, ...]
    """Each that was tried; the offered ones are proved alone and all together."""
    together: Proof | None
    described: tuple[str, ...]
    """What no edit of a line mends."""
    applied: bool
    why_not: str
    """What kept them from being written; "" where nothing did."""


def run(arguments: Sequence[str] | None = None, *, run_side: Run = run_in_process) -> int:
    """Offer edits of the lines that wait, each proved to leave the training as it is, without a GPU."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), tuple(given[end + 1 :])
    options = parser.parse_intermixed_args(given[:end])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    substitute_unencodable(sys.stdout)
    try:
        with (
            sides_of((".", "."), options.program, options.link) as sides,
            TemporaryDirectory(prefix="tbprof-fix-", ignore_cleanup_errors=True) as folder,
        ):
            before, after = (task_of(side, options, rest) for side in sides)
            tasks = Tasks(before, after, Path(folder), run_side)
            outcome = _outcome(Proving(sides, tasks, other_threads()), options, sides[0])
    except TbprofError as error:
        sys.stderr.write(f"tbprof: {plain(str(error))}\n")
        return _COULD_NOT
    with reader_may_leave():
        is_json = options.format == "json"
        put(_json(outcome) if is_json else plain_lines("\n".join((*_text(outcome), ""))))
    if outcome.why_not:
        sys.stderr.write(f"tbprof: {plain(outcome.why_not)}\n")
    return _COULD_NOT if outcome.why_not else _DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof fix", description=run.__doc__)
    parser.add_argument("--only", default="", metavar="RULE|FILE:LINE", help="try only the edits for these")
    parser.add_argument("--apply", action="store_true", help="write what is offered")
    allow = "write to files that hold what git does not"
    parser.add_argument("--allow-uncommitted", action="store_true", help=allow)
    add_side_options(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("program", metavar="PROGRAM", help="the script; after it -- and its arguments")
    return parser


def _outcome(proving: Proving, options: argparse.Namespace, side: Side) -> Outcome:
    prediction = proving.look()
    tried: list[Judged] = []
    described = list(_loops(prediction, proving, options.only))
    in_loops = {at for loop in prediction.loops for at in loop.findings}
    for at, finding in enumerate(prediction.findings):
        site = prediction.sites[finding.site]
        place = f"{site.source.file}:{site.source.line}"
        if finding.suppressed is not None or options.only not in ("", finding.rule, place):
            continue
        edits = list(proving.edits_of(prediction, finding))
        for edit in edits:
            judged = next((each for each in tried if each.edit.changes == edit.changes), None)
            if judged is None:
                tried.append(judged := proving.judge(edit))
            if judged.offered:
                break
        if not edits and at not in in_loops:
            described.append(f"{finding.rule} {place} `{site.code}`: {finding.fix}")
    wanted = [
        each for each in proving.settings() if options.only in ("", each.rule, f"{each.file}:{each.line}")
    ]
    tried += map(proving.judge, wanted)
    edits_judged, together = proving.together(tried)
    chosen = [each.edit for each in edits_judged if each.offered]
    why_not = ""
    if options.apply and chosen:
        try:
            _write(proving, proving.edited(chosen), side, allow=options.allow_uncommitted)
        except UsageError as error:
            why_not = str(error)
    if not options.only:
        shown = [each for name, file in proving.files.items() for each in shown_only(name, file)]
        described += [f"shown only, {each}" for each in shown]
    applied = bool(options.apply and chosen and not why_not)
    return Outcome(tuple(edits_judged), together, tuple(described), applied, why_not)


def _loops(prediction: Prediction, proving: Proving, only: str) -> Iterator[str]:
    """The loops whose items are to be done at once, with their lines."""
    for loop in prediction.loops:
        name, first = loop.source.file, loop.source.line or 0
        if only in ("", LOOP_RULE, f"{name}:{first}") and name in proving.files:
            turns = f"a loop of {loop.turns} turns that waits {loop.points_per_step} times a step"
            lines = proving.files[name].data.decode().splitlines()[first - 1 : loop.last_line]
            shown = "\n".join(f"    {number}: {line}" for number, line in enumerate(lines, first))
            yield f"{LOOP_RULE} {name}:{first}, {turns}: compute it for all items at once\n{shown}"


def _write(proving: Proving, edited: Mapping[Path, bytes], side: Side, *, allow: bool) -> None:
    """Write the edited files, all of them or none.

    Raises:
        UsageError: One of them may not be written.
    """
    known = {file.path: file.data for file in proving.files.values()}
    targets = {side.original / path.relative_to(side.root): path for path in edited}
    for target, path in targets.items():
        if not target.resolve().is_relative_to(side.original.resolve()):
            raise UsageError(f"{target} leads out of {side.original}: nothing is written")
        if target.read_bytes() != known[path]:
            raise UsageError(f"{target} has changed since the program was run: nothing is written")
        status = git(target.parent, "status", "--porcelain", "--ignored", "--", str(target))
        if not allow and (status.returncode or status.stdout):
            how = "commit it, or give --allow-uncommitted"
            raise UsageError(f"{target} holds what git does not, and nothing is written: {how}")
    for target, path in targets.items():
        real = target.resolve()
        with NamedTemporaryFile(dir=real.parent, prefix=f".{real.name}.", delete=False) as file:
            file.write(edited[path])
        Path(file.name).chmod(real.stat().st_mode)
        Path(file.name).replace(real)


def _json(outcome: Outcome) -> str:
    edits = [
        {
            **{name: getattr(each.edit, name) for name in ("rule", "title", "file", "line", "code")},
            **{name: getattr(each, name) for name in ("offered", "verdict", "sentence", "diff")},
        }
        for each in outcome.edits
    ]
    rest = {"described": outcome.described, "applied": outcome.applied}
    together = msgspec.to_builtins(outcome.together)
    return json_text({"schema": 1, "edits": edits, "together": together, **rest}, indent=1)


def _text(outcome: Outcome) -> Iterator[str]:
    offered = [each for each in outcome.edits if each.offered]
    if outcome.together is not None:
        yield f"{len(offered)} edit{'s' * (len(offered) != 1)}, {outcome.together.verdict}"
        yield outcome.together.sentence
    else:
        yield "no edit is offered"
    for each in offered:
        yield from ("", f"{_head(each)}: {each.verdict}", each.diff.rstrip("\n"))
    for each in outcome.edits:
        if not each.offered:
            yield from ("", f"Refused: {_head(each)}: {each.verdict}", f"    {each.sentence}")
    for line in outcome.described:
        yield from ("", f"Not by an edit: {line}")
    if offered:
        files = ", ".join(dict.fromkeys(each.edit.file for each in offered))
        yield from (
            "",
            f"Written to {files}." if outcome.applied else "Nothing is written; --apply writes these edits.",
        )


def _head(judged: Judged) -> str:
    return f"{judged.edit.rule} {judged.edit.file}:{judged.edit.line}, {judged.edit.title}"
