"""What changed from one window to another, for a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tbprof.calibration import append_pair, file_to_append_to
from tbprof.cli.reading import report_of_file
from tbprof.file_names import REPORT_SUFFIX
from tbprof.judge.steady_steps import marks_steps, mean_step_us
from tbprof.model import Report
from tbprof.texts.comparison import RECORDINGS_DIFFER, may_be_noise
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import duration, share
from tbprof.views.compared_figures import LEAST_CHANGE, CompareFigure, FigureKind
from tbprof.views.comparison import CompareView, compare_view
from tbprof.views.fixes_made import fixes_made, plan_of

_MOST_KERNELS = 5

_CLEAR_SHARE = 0.2
"""A measured saving is kept where its noise is at most this part of it."""

_KERNEL_SHARE = 0.01
"""The part of a step: a kernel whose time changed by less is not named."""


def compared_text(before: Path, after: Path, *, use_cache: bool) -> str:
    """The verdict, why, the kernels that changed most where both files are traces, and the figures.

    Raises:
        TbprofError: One of the files gives nothing.
    """
    reports = [report_of_file(path, use_cache=use_cache) for path in (before, after)]
    view = compare_view(*reports)
    _remember(*reports)
    lines = [f"{after} against {before}", "", view.verdict, *([view.detail] if view.detail else [])]
    lines += view.scopes
    if not any(path.name.endswith(REPORT_SUFFIX) for path in (before, after)):
        lines += _kernels((before, after), reports, use_cache=use_cache)
    lines += ["", *map(_figure, view.figures), *_beside(view)]
    return "\n".join(lines) + "\n"


def _remember(before: Report, after: Report) -> None:
    """Keep what was predicted beside what was measured, where the measured difference is clear."""
    made = fixes_made(plan_of(before), plan_of(after))
    path = None if made is None or made.noise_us > _CLEAR_SHARE * made.measured_us else file_to_append_to()
    if made is None or path is None:
        return
    pair = {
        "device": ", ".join(after.trace.devices[:1]),
        "predicted_us": made.predicted_us,
        "measured_us": (made.measured_us - made.noise_us, made.measured_us + made.noise_us),
        "windows": [Path(side.trace.path).name for side in (before, after)],
    }
    with contextlib.suppress(OSError):
        # The comparison is what was asked for.
        append_pair(pair, path)


def _kernels(paths: tuple[Path, Path], reports: list[Report], *, use_cache: bool) -> Iterator[str]:
    """The kernels that changed in the direction of all of them, where these changed by more than noise."""
    from tbprof.cli.commands.table import facts_of_file
    from tbprof.views.tables.comparison import compare_tables, step_times
    from tbprof.views.tables.tables import TABLES

    if any(report.idle is None for report in reports):
        return
    source = TABLES["kernels"]
    windows = [facts_of_file(path, tables=source.reads, use_cache=use_cache) for path in paths]
    in_steps = all(facts.steps.recorded for facts in windows)
    was, now = (source.make(facts, "name", in_steps=in_steps) for facts in windows)
    table = compare_tables(was, now, step_times(windows, in_steps=in_steps))
    at = {column.key: place for place, column in enumerate(table.columns)}
    rows = [row for row in table.rows if row[at["state"]] != "rest"]
    total_us = sum(row[at["difference_us"]] for row in rows)
    step_us = mean_step_us(reports[0]) or 0.0
    is_single = any(len(report.steps) == 1 for report in reports)
    least_us = (RECORDINGS_DIFFER if is_single else LEAST_CHANGE) * step_us
    is_noise = is_single and may_be_noise(step_us, mean_step_us(reports[1]) or 0.0)
    if is_noise or abs(total_us) <= least_us:
        return
    worth = [row for row in rows if row[at["difference_us"]] * total_us > 0]
    worth = [row for row in worth if abs(row[at["difference_us"]]) >= _KERNEL_SHARE * step_us]
    scope = scope_of(marks_steps=all(map(marks_steps, reports)))
    if worth:
        yield f"Kernels that {'grew' if total_us > 0 else 'shrank'} most {scope.each}:"
    for row in worth[:_MOST_KERNELS]:
        calls = f"{row[at['calls_before']]:,.0f} calls before, {row[at['calls_after']]:,.0f} after"
        times = f"{duration(row[at['us_before']])} before, {duration(row[at['us_after']])} after"
        yield f"  {row[at['short_name']]}: {times} ({calls})"


_WRITTEN: Mapping[FigureKind, Callable[[float], str]] = {
    "time": duration,
    "share": share,
    "count": lambda value: f"{value:,.0f}",
}


def _figure(row: CompareFigure) -> str:
    def shown(value: float | None) -> str:
        return "-" if value is None else _WRITTEN[row.kind](value)

    change = (
        "" if row.change_share is None else f"{'+' if row.change_share > 0 else ''}{share(row.change_share)}"
    )
    name = f"{'  ' if row.is_part else ''}{row.name}"
    return f"  {name:<34} {shown(row.before):>10} {shown(row.after):>10} {change:>8}  {row.judged}".rstrip()


def _beside(view: CompareView) -> list[str]:
    """What else is not the same."""
    if not view.differences:
        return []
    return ["", *(f"  {one.name}: {one.before} before, {one.after} after" for one in view.differences)]
