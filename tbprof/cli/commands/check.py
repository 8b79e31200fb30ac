"""`tbprof check`: fail a build for lines that wait, by a baseline, by what is forbidden, by budgets."""

from __future__ import annotations

import argparse
import dataclasses
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.baseline_file import path_in_checkout, read_baseline, renewed, write_baseline
from tbprof.cli.check_text import check_comment, check_text, github_annotations
from tbprof.cli.checks_text import checks_markdown, checks_text, list_text
from tbprof.cli.output_file import tell
from tbprof.cli.preflight_document import document_recording, preflight_document
from tbprof.cli.reading import as_file, is_folder, local_path, near_path, path_of, report_of_file
from tbprof.cli.torch_command import run_preflight
from tbprof.cli.window_reading import FolderWindows, WindowReader
from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import escaped, json_text
from tbprof.line_rules import LINE_KINDS
from tbprof.process.one_thread import one_thread
from tbprof.remote.placeholders import addressed
from tbprof.rules.files import rule_files
from tbprof.standard_streams import put, reader_may_leave
from tbprof.texts.check_outcomes import unjudged_sum
from tbprof.texts.finding_notes import forbidden_sentence
from tbprof.texts.rule_pages import all_rules
from tbprof.views.check import NEW, SHARES, Baseline, Budget, CheckView, Recording
from tbprof.views.check_view import check_view
from tbprof.views.checks import checks_view
from tbprof.views.sarif import sarif_log

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands
    from tbprof.model import Report, Window

FOUND = 1
_COULD_NOT = 2
_NOTHING_ON_A_GPU = 3
"""A code of its own: whoever checks examples that mean the CPU may let it pass."""
SCHEMA = 1

_CODES = {file.code for file in rule_files()}
_WORDS = frozenset({NEW, *LINE_KINDS, *_CODES, *(code[:3] for code in _CODES)})
_BUDGET = re.compile(r"(?:(?P<of>\w+)=)?(?P<allowed>\d+)(?P<percent>%?)")


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "check",
        usage="tbprof check [options] PATH... | tbprof check [options] PROGRAM.py [-- ARGUMENTS]",
        epilog=f"WORD is {NEW} (what the baseline lacks, or has less often), a rule such as SYN01, a family "
        f"of them such as CPY, or one of {', '.join(LINE_KINDS)}.",
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="traces, stored reports, folders of them or JSON of preflight; "
        "or one program, which preflight then runs, with its arguments",
    )
    parser.add_argument(
        "--list", action="store_true", help="list every check with its result in PATH, or all checks"
    )
    parser.add_argument("-m", "--module", action="store_true", help="PATH is a module, as for python -m")
    parser.add_argument("--steps", metavar="N", help="of a program: optimizer steps to look at")
    parser.add_argument("--warmup", metavar="N", help="of a program: optimizer steps before them")
    parser.add_argument("--step-on", metavar="NAME", help="of a program: as for tbprof preflight")
    parser.add_argument("--time-limit", metavar="SECONDS", help="of a program: as for tbprof preflight")
    parser.add_argument("--stub", action="append", default=[], metavar="NAME=REPLACEMENT", help="the same")
    parser.add_argument("--force", action="store_true", help="of a program: on a machine with a GPU, too")
    parser.add_argument("--baseline", type=local_path, metavar="FILE", help="what was accepted")
    parser.add_argument("--update-baseline", action="store_true", help="write what is found to that file")
    parser.add_argument("--forbid", type=_words, default=(), metavar="WORD,...", help="fail for these")
    parser.add_argument(
        "--budget",
        type=_budget,
        action="append",
        default=[],
        metavar="[WORD=]N",
        help="fail for more than N sync points, or findings of a kind, in one step, or for more than "
        f"N%% of the steps of {' or '.join(SHARES)}; may be repeated",
    )
    parser.add_argument(
        "--overlap",
        type=_percent,
        metavar="N%",
        help="fail for a window of which computing covers less than N%% of the GPU's communication",
    )
    parser.add_argument("--format", choices=("text", "json", "sarif", "github", "markdown"), default="text")
    parser.add_argument("--source-root", type=local_path, metavar="DIR", help="where files of the report lie")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Look, judge, print.

    Ends with 1 where something was forbidden, over its budget or overlaps too little, 2 where it can't be
    known, and 3 where the program put nothing on a GPU.

    Raises:
        TbprofError: Something could not be read, or the program could not be run.
    """
    if options.list:
        with reader_may_leave():
            put(addressed(_listed(options)))
        return 0
    if not options.paths:
        raise UsageError("there is nothing to check: name traces, reports, folders or a program")
    if options.update_baseline and options.baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE: say where it is")
    # First: a program may run for minutes.
    accepted = _accepted(options)
    judge = partial(
        check_view,
        _recordings(options),
        forbidden=options.forbid,
        budgets=options.budget,
        overlap=options.overlap,
    )
    view = judge(accepted)
    if options.update_baseline:
        _check_whole(view, options.baseline)
        baseline = renewed(view)
        write_baseline(options.baseline, baseline)
        view = judge(baseline)
    with reader_may_leave():
        put(addressed(_printed(view, options)))
    if view.fails:
        return FOUND
    if not view.passed:
        return _COULD_NOT
    return 0 if view.used_device else _NOTHING_ON_A_GPU


def _check_whole(view: CheckView, baseline: Path) -> None:
    """What nobody could look at would be taken for gone, and its reasons with it."""
    unjudged = len(view.unjudged_recordings)
    if unjudged:
        raise UsageError(
            f"{baseline} stays as it is: {unjudged_sum(unjudged, len(view.recordings), [])}, and it would "
            "lose what they hold; record them again, or name the others alone"
        )


def _listed(options: argparse.Namespace) -> str:
    """The checks with their outcomes in windows; without a window those that there are."""
    if options.format in ("sarif", "github"):
        raise UsageError(f"--list has no form for {options.format}: give text, json or markdown")
    if not options.paths:
        return list_text(all_rules())
    windows = WindowReader([path_of(path) for path in options.paths], use_cache=not options.no_cache)
    with one_thread():
        views = [(near_path(report.trace.path), checks_view(report)) for _, report in windows]
    if options.format == "json":
        named = [{"path": path, **dataclasses.asdict(view)} for path, view in views]
        return json_text({"schema": SCHEMA, "windows": named})
    if options.format == "markdown":
        lines = [line for path, view in views for line in (f"## {escaped(path)}", "", *checks_markdown(view))]
        return "\n".join(lines) + "\n"
    return "\n".join(checks_text(path, view) for path, view in views)


def _accepted(options: argparse.Namespace) -> Baseline:
    is_first = options.update_baseline and not options.baseline.exists()
    if options.baseline is None or is_first:
        return Baseline((), steps=0, is_former=False)
    return read_baseline(options.baseline)


def _recordings(options: argparse.Namespace) -> list[Recording]:
    first, *others = options.paths
    if _is_program(options):
        return [document_recording(run_preflight(first, others, _passed_on(options)), first)]
    with one_thread():
        return [recording for path in options.paths for recording in _recorded(path_of(path), options)]


def _passed_on(options: argparse.Namespace) -> list[str]:
    """The options that are preflight's."""
    given = {
        "--steps": options.steps,
        "--warmup": options.warmup,
        "--step-on": options.step_on,
        "--time-limit": options.time_limit,
    }
    valued = [part for name, value in given.items() if value is not None for part in (name, value)]
    stubs = [part for stub in options.stub for part in ("--stub", stub)]
    flags = {"--module": options.module, "--force": options.force}
    return [*valued, *stubs, *(name for name, is_given in flags.items() if is_given)]


def _is_program(options: argparse.Namespace) -> bool:
    return bool(options.module or options.paths[0].endswith(".py"))


def _recorded(path: Path, options: argparse.Namespace) -> list[Recording]:
    use_cache = not options.no_cache
    if is_folder(path):
        return _recorded_in(path, options)
    with as_file(path) as file:
        document = preflight_document(file)
        if document is not None:
            return [document_recording(document, str(path))]
        report = report_of_file(file, use_cache=use_cache and file == path)
    recording = _recording(report, options)
    return [dataclasses.replace(recording, name=recording.name.replace(str(file), str(path)))]


def _recorded_in(folder: Path, options: argparse.Namespace) -> list[Recording]:
    """The checks of its windows, those first that can be read."""
    found = FolderWindows(folder, use_cache=not options.no_cache)
    recordings = [_recording(report, options) for _, report in found.windows()]
    return [*recordings, *(_unread(window, error) for window, error in found.broken)]


def _unread(window: Window, error: TbprofError) -> Recording:
    name = window.trace_path or window.report_path or window.window
    return Recording(name, predicted=False, sync_points=0, steps=0, found=(), warned=(), gap=str(error))


def _recording(report: Report, options: argparse.Namespace) -> Recording:
    """What was found; what could not be looked for is said on stderr, as a silent pass would mislead."""
    from tbprof.views.opening import unjudged_sentence

    why = unjudged_sentence(report)
    gap = f"{report.trace.path}: {why}" if why else ""
    if gap:
        tell(gap)
    for one in report.not_checked:
        if one.rule in options.forbid:
            tell(f"{report.trace.path}: {forbidden_sentence(one.rule, one.needs)}")
    # All rules are asked what they declare: whoever runs a program, or lists checks, need not wait for them.
    from tbprof.views.failing_findings import report_recording

    return dataclasses.replace(report_recording(report), gap=gap)


def _printed(view: CheckView, options: argparse.Namespace) -> str:
    path = partial(path_in_checkout, source_root=_source_root(options))
    if options.format == "json":
        return json_text({"schema": SCHEMA, **dataclasses.asdict(view)})
    if options.format == "sarif":
        return json_text(sarif_log(view, path), indent=1)
    if options.format == "github":
        return "".join(f"{line}\n" for line in github_annotations(view, path))
    if options.format == "markdown":
        return check_comment(view, path)
    has_policy = bool(options.forbid or options.budget or options.overlap or options.update_baseline)
    return check_text(view, has_policy=has_policy)


def _source_root(options: argparse.Namespace) -> Path:
    """Python imports what lies beside a script, so preflight names its files from there."""
    given: Path | None = options.source_root
    if given is not None:
        return given
    return Path(options.paths[0]).parent if _is_program(options) and not options.module else Path()


def _words(given: str) -> tuple[str, ...]:
    return tuple(_word(word.strip()) for word in given.split(","))


def _word(given: str) -> str:
    """A word as it is compared: kinds in small letters, rules in capitals."""
    for word in (given.lower().replace("-", "_"), given.upper()):
        if word in _WORDS:
            return word
    raise argparse.ArgumentTypeError(
        f"{given!r} is not a word of tbprof check: name {NEW}, a rule such as SYN01, a family such as CPY, "
        f"or one of {', '.join(LINE_KINDS)}"
    )


def _percent(given: str) -> int:
    found = re.fullmatch(r"(\d+)%", given)
    if found is None or not 1 <= int(found[1]) <= 100:
        raise argparse.ArgumentTypeError(f"{given!r} is no overlap: give 1% to 100%, as 80%")
    return int(found[1])


def _budget(given: str) -> Budget:
    found = _BUDGET.fullmatch(given)
    if found is None:
        raise argparse.ArgumentTypeError(f"{given!r} is no budget: give 3, SYN01=3, or {SHARES[0]}=20%")
    if (found["of"] in SHARES) is not bool(found["percent"]):
        raise argparse.ArgumentTypeError(
            f"{given!r} is no budget: {' and '.join(SHARES)} have one in percent of the steps, as "
            f"{SHARES[0]}=20%, all else in counts of a step"
        )
    if found["percent"]:
        return Budget(of=found["of"], allowed=int(found["allowed"]))
    word = "" if found["of"] is None else _word(found["of"])
    if word == NEW:
        raise argparse.ArgumentTypeError("there is no budget for what is new: --forbid new allows none")
    return Budget(of=word, allowed=int(found["allowed"]))
