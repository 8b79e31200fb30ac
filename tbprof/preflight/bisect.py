"""`tbprof bisect GOOD BAD train.py`: the commit that brought a site, by the counts of preflight.

Exit codes: 0 the commit is found; 1 it is that one, or one before it that does not run; 2 it could not be
done. One revision or folder alone is judged with the codes that `git bisect run` takes: 0 good, 1 bad,
125 it does not run.
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import json_text, plain, plain_lines
from tbprof.model import joined_statement
from tbprof.preflight.prediction import ENDED_WELL, PredictedSite, Prediction
from tbprof.preflight.proof.command import add_side_options, task_of
from tbprof.preflight.proof.running import Run, run_in_process
from tbprof.preflight.proof.sides import git, sides_of
from tbprof.records import dataclass
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

_FOUND, _OR_ONE_THAT_DOES_NOT_RUN, _COULD_NOT = 0, 1, 2
_GOOD, _BAD, _DOES_NOT_RUN = 0, 1, 125
_INTERRUPTED = 130
_STEPS = 3

Predict: TypeAlias = Callable[[str], Prediction]


class _DoesNotRun(UsageError):
    """A commit shows nothing; with the reason."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The sites that are counted."""

    rule: str
    """How the codes of their rules begin; "" for all."""
    file: str
    """How the paths of their files end; "" for all."""
    text: str
    """What their statements contain: the number of a line differs by commit."""

    def sites_of(self, prediction: Prediction) -> Iterator[tuple[str, PredictedSite]]:
        """Each site with its rule."""
        for finding in prediction.findings:
            site, parts = prediction.sites[finding.site], PurePath(self.file).parts
            is_file = not parts or PurePath(site.source.file).parts[-len(parts) :] == parts
            is_wanted = is_file and self.text in _one_line(site.statement)
            if is_wanted and finding.suppressed is None and finding.rule.startswith(self.rule):
                yield finding.rule, site

    def points_of(self, prediction: Prediction) -> int:
        """How often they are passed in the step that passes them most."""
        sites = [site for _, site in self.sites_of(prediction)]
        warm = [at for at, step in enumerate(prediction.steps) if not step.cold]
        return max((sum(site.per_step[at] for site in sites) for at in warm), default=0)

    def __str__(self) -> str:
        where = f" in {self.file}" if self.file else ""
        return f"sync points{self.rule and f' of {self.rule}'}{where}{self.text and f' at `{self.text}`'}"


class Bisection:
    """Runs commits until it is known which is the first bad one.

    An end is run only where no commit between has shown the same: of n commits log2(n) are run and one
    more, or two where the good end has such sites, too.
    """

    def __init__(self, good: str, bad: str, wanted: Wanted, most: int | None, predict: Predict) -> None:
        self.good, self.bad, self.wanted = good, bad, wanted
        self.most = most
        """Points that a good commit may have in a step; None until one has been run."""
        self.ran: dict[str, Prediction] = {}
        self.skipped: dict[str, str] = {}
        """Commits that do not run, with the reason."""
        self._predict = predict
        self._goods = [good]
        self._skips = 0

    def search(self) -> str:
        """The first commit that is known to be bad.

        Raises:
            UsageError: The ends do not run, or are not what they are said to be.
        """
        first = self.bad
        while middle := self._middle(first):
            try:
                points = self._points(middle)
            except _DoesNotRun as reason:
                self.skipped[middle], self._skips = str(reason), self._skips + 1
                continue
            self._skips = 0
            # One without any is good, whatever the good end has.
            if points and len(self._goods) == 1:
                self.check(self.good, is_bad=False)
            if points > (self.most or 0):
                first = middle
            else:
                self.most = self.most or 0
                self._goods.append(middle)
                if self.good not in self.ran:
                    self.check(self.bad, is_bad=True)
        if len(self._goods) == 1:
            self.check(self.good, is_bad=False)
        if first == self.bad:
            self.check(self.bad, is_bad=True)
        return first

    def check(self, commit: str, *, is_bad: bool) -> None:
        """Run an end, unless it has been run."""
        points = self._points(commit)
        self.most = points if self.most is None else self.most
        if (points > self.most) != is_bad:
            are = f"its {self.wanted} are {points} a step, and those of a good commit at most {self.most}"
            raise UsageError(f"{_short(commit)} is no {'bad' if is_bad else 'good'} end: {are}")

    def _points(self, commit: str) -> int:
        if commit not in self.ran:
            self.ran[commit] = self._predict(commit)
        return self.wanted.points_of(self.ran[commit])

    def unsure(self, first: str) -> list[str]:
        """Commits that do not run, of which any may be the first instead."""
        return [commit for commit in self._between(first) if commit != first]

    def sites(self, first: str) -> Iterator[dict[str, Any]]:
        """What the commit passes more often in a step than the last good one."""
        before, after = (self._sites(commit) for commit in (self._goods[-1], first))
        for key, (rule, site, often) in after.items():
            known = before[key][2] if key in before else 0
            if often > known:
                place = {"file": site.source.file, "line": site.source.line, "code": site.code}
                yield {**place, "rule": rule, "before": known, "after": often}

    def _sites(self, commit: str) -> dict[tuple[str, str], tuple[str, PredictedSite, int]]:
        found: dict[tuple[str, str], tuple[str, PredictedSite, int]] = {}
        for rule, site in self.wanted.sites_of(self.ran[commit]):
            key = _one_line(site.statement), site.kind
            found[key] = rule, site, site.per_warm_step + (found[key][2] if key in found else 0)
        return found

    def _middle(self, bad: str) -> str | None:
        """The commit whose answer halves what is left; after some that do not run one further away."""
        left = [each for each in self._between(bad, "--bisect-all") if each not in (bad, *self.skipped)]
        return left[min(self._skips**2, len(left) - 1)] if left else None

    def _between(self, bad: str, *how: str) -> list[str]:
        return [line.split()[0] for line in _git("rev-list", *how, bad, "--not", *self._goods).splitlines()]


def run(arguments: Sequence[str] | None = None, *, run_side: Run = run_in_process) -> int:
    """Find the commit after which a program waits for the GPU more often, without a GPU."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), given[end + 1 :]
    options = parser.parse_intermixed_args(given[:end])
    if len(options.revisions) > 2 or (options.script and len(options.revisions) < 2):
        parser.error("give GOOD, BAD and the program; or one revision and the program, to judge that alone")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    substitute_unencodable(sys.stdout)
    try:
        wanted = _wanted(options)

        def predict(name: str) -> Prediction:
            return _predict(name, options, rest, run_side)

        if len(options.revisions) == 1:
            points = wanted.points_of(predict(*options.revisions))
            put(f"{wanted}: {points} a step\n")
            return _BAD if points > (options.sync_points or 0) else _GOOD
        bisection = Bisection(*_ends(*options.revisions), wanted, options.sync_points, predict)
        if options.script:
            bisection.check(bisection.good, is_bad=False)
            put(_script(parser, options, rest, bisection))
            return _FOUND
        first = bisection.search()
    except TbprofError as error:
        sys.stderr.write(f"tbprof: {plain(str(error))}\n")
        is_alone = isinstance(error, _DoesNotRun) and len(options.revisions) == 1
        return _DOES_NOT_RUN if is_alone else _COULD_NOT
    with reader_may_leave():
        is_json = options.format == "json"
        put(_json(bisection, first) if is_json else plain_lines("\n".join((*_text(bisection, first), ""))))
    return _OR_ONE_THAT_DOES_NOT_RUN if bisection.unsure(first) else _FOUND


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof bisect", description=run.__doc__)
    parser.add_argument(
        "--rule", default="", metavar="CODE", help="count lines of this rule, as SYN01 or SYN"
    )
    where = "count lines of this file, or one of them, by its number in BAD"
    parser.add_argument("--line", default="", metavar="FILE[:LINE]", help=where)
    most = "most of a step of a good commit; default: as many as GOOD has"
    parser.add_argument("--sync-points", type=int, metavar="N", help=most)
    parser.add_argument("--script", action="store_true", help="print what `git bisect run` takes")
    add_side_options(parser, _STEPS)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "revisions", nargs="+", metavar="REVISION", help="GOOD and BAD, or one to judge alone"
    )
    parser.add_argument("program", metavar="PROGRAM", help="the script; after it -- and its arguments")
    return parser


def _wanted(options: argparse.Namespace) -> Wanted:
    file, _, line = options.line.partition(":")
    if line.isdecimal():
        bad = options.revisions[-1]
        source = git(Path.cwd(), "show", f"{bad}:./{file}").stdout.decode(errors="replace")
        line = joined_statement(source.splitlines()[max(int(line) - 1, 0) :])
        if not line:
            raise UsageError(f"--line {options.line}: {bad} has no such line")
    return Wanted(options.rule, file, _one_line(line))


def _ends(good: str, bad: str) -> tuple[str, str]:
    first, last = (_git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}") for name in (good, bad))
    if not first or not last:
        raise UsageError(f"git knows no revision {bad if first else good} here")
    if _git("merge-base", first, last) != first or first == last:
        raise UsageError(f"{good} is no commit before {bad}: git merge-base {good} {bad} names one")
    return first, last


def _predict(name: str, options: argparse.Namespace, arguments: Sequence[str], run_side: Run) -> Prediction:
    """What preflight says of a revision.

    Raises:
        _DoesNotRun: It can't be checked out, or its program does not come to its end.
    """
    try:
        with (
            sides_of((name,), options.program, options.link) as (side,),
            TemporaryDirectory(prefix="tbprof-bisect-", ignore_cleanup_errors=True) as folder,
        ):
            task, files = task_of(side, options, tuple(arguments)), Path(folder)
            values = str(files / "run.values")
            record, why = run_side(dataclasses.replace(task, record=str(files / "run.json"), values=values))
    except UsageError as error:
        raise _DoesNotRun(str(error)) from error
    if record is None:
        raise _DoesNotRun(f"the program of {_short(name)} {why}")
    if record.from_outside:
        raise UsageError(f"the program imports {record.from_outside[0]}: each commit would run the same file")
    if record.prediction.ending not in ENDED_WELL or record.prediction.ending == "out_of_time":
        raise _DoesNotRun(f"{_short(name)} did not come to its end: {record.prediction.error}")
    return record.prediction


def _script(
    parser: argparse.ArgumentParser, options: argparse.Namespace, rest: Sequence[str], bisection: Bisection
) -> str:
    wanted = bisection.wanted
    line = f"{wanted.file}:{wanted.text}" if wanted.text else wanted.file
    words = ["tbprof", "bisect", ".", options.program]
    for name, value in {**vars(options), "sync_points": bisection.most, "line": line}.items():
        if name not in ("revisions", "program", "script", "format") and value != parser.get_default(name):
            values = value if isinstance(value, list) else [value]
            option = f"--{name.replace('_', '-')}"
            words += [option if each is True else f"{option}={each}" for each in values]
    start = f"git bisect start {bisection.bad} {bisection.good}"
    return f"#!/bin/sh\n# {start} && git bisect run sh THIS_FILE\nexec {shlex.join([*words, '--', *rest])}\n"


def _json(bisection: Bisection, first: str) -> str:
    skipped = [{"commit": commit, "reason": reason} for commit, reason in bisection.skipped.items()]
    found = {"schema": 1, "commit": first, "subject": _subject(first), "or_one_of": bisection.unsure(first)}
    runs = {"runs": len(bisection.ran) + len(skipped), "skipped": skipped}
    return json_text(
        {**found, **runs, "good_has": bisection.most, "sites": list(bisection.sites(first))}, indent=1
    )


def _text(bisection: Bisection, first: str) -> Iterator[str]:
    yield f"{_short(first)} {_subject(first)}"
    runs = len(bisection.ran) + len(bisection.skipped)
    yield f"is the first whose {bisection.wanted} are more than {bisection.most} a step, by {runs} runs."
    for site in bisection.sites(first):
        place = f"{site['file']}:{site['line']}"
        yield f"{place}  {site['code']}  {site['rule']}  [{site['before']} -> {site['after']}]"
    if unsure := bisection.unsure(first):
        yield f"Or it is one that does not run: {', '.join(map(_short, unsure))}."
    for reason in bisection.skipped.values():
        yield f"Skipped: {reason.rstrip('.')}."


def _git(*arguments: str) -> str:
    return git(Path.cwd(), *arguments).stdout.decode(errors="replace").strip()


def _subject(commit: str) -> str:
    return _git("log", "-1", "--format=%s", commit)


def _short(commit: str) -> str:
    return commit[:10]


def _one_line(statement: str) -> str:
    return " ".join(statement.split())
