"""A report as markdown: the same figures for people and their tools."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.cli.checks_text import checks_markdown
from tbprof.cli.output_file import Problem
from tbprof.cli.reading import near_path
from tbprof.cli.terminal import estimate_note, saving_text
from tbprof.escaping import code, escaped, prose
from tbprof.judge.steady_steps import marks_steps
from tbprof.model import Report
from tbprof.texts.figures.places import scope_of
from tbprof.texts.figures.quantities import mean, milliseconds, share, size
from tbprof.views.checks import checks_view
from tbprof.views.finding_markdown import finding_markdown, site_place
from tbprof.views.findings import PredictedRow
from tbprof.views.steady import mean_kernels, mean_launches
from tbprof.views.window import SiteRow
from tbprof.views.window_view import window_view

_HEADS = ("site", "what", "ops", "count", "size", "wait, ms", "explained", "of the steps")


def markdown(report: Report) -> str:
    """One section a window: the verdict, the sites as a table, then each finding with its fix."""
    view = window_view(report, run="", worker=report.trace.worker, window="")
    lines = [
        f"## {code(near_path(report.trace.path))}",
        "",
        " ".join([f"**{prose(view.verdict)}**", prose(view.first_action), prose(view.detail)]).rstrip(),
        "",
    ]
    kernels, launches = mean_kernels(report), mean_launches(report)
    if kernels is not None and launches is not None:
        what = "A step" if marks_steps(report) else "The window"
        lines += [f"{what} runs {mean(kernels)} kernels in {mean(launches)} launches.", ""]
    each = scope_of(marks_steps=view.marks_steps).each
    for number, action in enumerate(view.overview.actions, start=1):
        lines.append(
            f"{number}. {prose(action.title)}: {action.worth} {each} ({escaped(action.finding.rule)})"
        )
        lines += [f"   - {prose(way.text)}" for way in action.ways]
    lines += [""] if view.overview.actions else []
    lines += [prose(view.overview.smaller), ""] if view.overview.smaller else []
    if view.communication is not None:
        lines += [prose(f"{view.communication.sentence} {view.communication.detail}"), ""]
    lines += [prose(view.overview.computing), ""] if view.overview.computing else []
    if view.savings is not None:
        saving = saving_text(view.overview.saving or view.savings, note=estimate_note(report, view))
        lines += [f"Removing waits can save, {each}: {saving}.", ""]
    if view.sites:
        lines += ["| " + " | ".join(_HEADS) + " |", "|---" * len(_HEADS) + "|"]
        lines += [_row(report, site) for site in view.sites]
        lines.append("")
    if view.predicted:
        lines += ["### Would wait on a GPU", "", "Predicted, no GPU was used.", ""]
        lines += ["| line | rule | why | per step |", "|---|---|---|---|"]
        lines += [_predicted(row) for row in view.predicted]
        lines.append("")
    for found in report.findings:
        lines += finding_markdown(report, found)
    lines += checks_markdown(checks_view(report))
    if view.health:
        lines += ["### To know", "", *(f"- {prose(row.message)}" for row in view.health), ""]
    return "\n".join(lines)


def problems_markdown(problems: Sequence[Problem]) -> str:
    """A section after those of the windows: what gave nothing, and which ranks are missing or damaged."""
    return "\n".join(["## To know", "", *(f"- {prose(problem.notice)}" for problem in problems), ""])


def _row(report: Report, site: SiteRow) -> str:
    explained = share(site.explained_us / site.wait_us) if site.blocking and site.wait_us else ""
    part = share(site.share_of_steps) if site.share_of_steps is not None and site.blocking else ""
    cells = (
        site_place(report, site.index),
        escaped(site.what),
        code(" < ".join(site.ops)),
        f"{site.count:,}",
        size(site.bytes) if site.bytes else "",
        milliseconds(site.wait_us) if site.blocking else "",
        explained,
        part,
    )
    return "| " + " | ".join(cells) + " |"


def _predicted(row: PredictedRow) -> str:
    where = f"{code(f'{row.file}:{row.line}')} {code(row.code)}"
    return f"| {where} | {escaped(row.rule)} | {prose(row.why)} | {row.per_step:,} |"
