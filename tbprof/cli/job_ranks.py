"""The ranks of a job: the same window of every worker of a run, from reports, else from traces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tbprof.cli.output_file import tell
from tbprof.cli.reading import is_folder
from tbprof.errors import TbprofError, UsageError
from tbprof.executors.analyzing import Executor, analyze_many
from tbprof.executors.choosing import executor_for
from tbprof.file_names import REPORT_SUFFIX, rank_of
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.store.job_windows import job_windows
from tbprof.store.windows import stored_report
from tbprof.texts.finding_notes import skipped_sentence
from tbprof.texts.job import newest_command, not_newest_note
from tbprof.views.job.job_page import RankProblem
from tbprof.views.job.rank_summary import RankSummary, rank_of_window
from tbprof.views.outstanding import NewestWindow, names_of, newest_window
from tbprof.window_names import parse_window_name

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class JobRanks:
    ranks: tuple[RankSummary, ...]
    problems: tuple[RankProblem, ...]
    """The ranks that gave nothing."""
    older: tuple[str, ...]
    """Workers of earlier trainings in the same folder, which are left out."""
    note: str = ""
    """Why the newest window is not the one that is shown; "" if it is, or another one was asked for."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Windows that belong together."""

    windows: tuple[Window, ...]
    older: tuple[str, ...] = ()
    number: int = 1
    newest: NewestWindow | None = None
    """The newest window of the run; None where files are named."""


def job_ranks(
    paths: Sequence[Path], *, number: int | None, executor: Executor | None, use_cache: bool
) -> JobRanks:
    """Read what is there; a rank that can't be read costs the others nothing.

    Args:
        paths: The folder of a run, or one file a rank.
        number: Which window of every worker of a folder, from 1 on; None for the last that all have.
        executor: Reads traces that have no report; by default processes of this machine.
        use_cache: Whether stored reports are used, and the cache of reports.

    Raises:
        UsageError: There are no such windows, or they are of several runs.
    """
    chosen = _chosen(paths, number)
    ranks, problems = read_ranks(chosen.windows, executor, use_cache=use_cache)
    note = ""
    if number is None and chosen.newest is not None and chosen.newest.lacking:
        of_newest, unread = read_ranks(chosen.newest.windows, executor, use_cache=use_cache)
        damaged = [*(one.worker for one in of_newest if one.is_damaged), *(one.worker for one in unread)]
        note = _note(chosen.number, chosen.newest, damaged)
    return JobRanks(tuple(ranks), tuple(problems), chosen.older, note)


def read_ranks(
    windows: Sequence[Window], executor: Executor | None, *, use_cache: bool
) -> tuple[list[RankSummary], list[RankProblem]]:
    """The ranks that give a summary, and those that give nothing."""
    ranks: list[RankSummary] = []
    problems: list[RankProblem] = []
    pending: list[Window] = []
    for window in windows:
        try:
            found = _at_hand(window, use_cache=use_cache)
        except TbprofError as error:
            problems.append(problem_of(window, str(error)))
        else:
            if found is None:
                pending.append(window)
            else:
                ranks.append(found)
    traces = [window.trace_path or "" for window in pending]
    analyzed = analyze_many(traces, executor or executor_for(len(traces)), use_cache=use_cache)
    for window, file in zip(pending, analyzed, strict=True):
        if file.error:
            problems.append(problem_of(window, file.error))
        else:
            ranks.append(rank_of_window(window, file.report()))
    return ranks, problems


def _note(shown: int, newest: NewestWindow, damaged: Sequence[str]) -> str:
    note = not_newest_note(
        shown,
        newest.number,
        lacking=names_of(newest.lacking),
        damaged=names_of(damaged),
        is_arriving=newest.is_arriving(),
    )
    return f"{note} {newest_command(newest.number)}"


def problem_of(window: Window, sentence: str) -> RankProblem:
    return RankProblem(rank_of(window.worker), window.worker, sentence)


def _at_hand(window: Window, *, use_cache: bool) -> RankSummary | None:
    """None where the trace has to be read: there is no report, or it says too little.

    Raises:
        TbprofError: There is nothing but a report that can't be read.
    """
    if not use_cache and window.trace_path is not None:
        return None
    report = stored_report(window, is_one_of_many=True)
    if report is None:
        return None
    summary = rank_of_window(window, report)
    return None if summary.why_not == "older" and window.trace_path is not None else summary


def _chosen(paths: Sequence[Path], number: int | None) -> _Chosen:
    folders = [path for path in paths if is_folder(path)]
    if folders and len(paths) > 1:
        raise UsageError(f"{folders[0]} is a folder: name one folder, or one file a rank")
    return _of_run(folders[0], number) if folders else _Chosen(tuple(map(_window_of_file, paths)))


def _window_of_file(path: Path) -> Window:
    is_report = path.name.endswith(REPORT_SUFFIX)
    worker = parse_window_name(path.name).worker
    where = str(path)
    return Window("", worker, path.name, 0, None if is_report else where, where if is_report else None, 0)


def _of_run(folder: Path, number: int | None) -> _Chosen:
    from tbprof.store.discovery import Discovery, nothing_to_read
    from tbprof.trace.importers.sniffing import looks_like_trace

    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    runs = list(dict.fromkeys(window.run for window in listing.windows))
    if not runs:
        raise nothing_to_read(folder)
    if len(runs) > 1:
        named = ", ".join(str(folder / run) for run in runs[:_MOST_NAMED])
        more = " ..." if len(runs) > _MOST_NAMED else ""
        raise UsageError(
            f"{folder} holds {len(runs)} runs: name one of {named}{more}, or the files of all ranks"
        )
    chosen = job_windows(listing.windows, number)
    of_workers = (window for window in listing.windows if window.worker not in chosen.older)
    return _Chosen(chosen.windows, chosen.older, chosen.number, newest_window(of_workers))
