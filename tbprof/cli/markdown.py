"""A report as markdown: the same figures for people and their tools."""

from __future__ import annotations

from tbprof.cli.plain_text import plain
from tbprof.model import Report
from tbprof.texts.english import English
from tbprof.texts.quantities import duration, milliseconds, share, size
from tbprof.views.findings import FindingRow, finding_row
from tbprof.views.predicted import PredictedRow
from tbprof.views.window import SiteRow
from tbprof.views.window_building import window_view

__all__ = ["markdown"]

_HEADS = ("site", "what", "ops", "count", "size", "wait, ms", "explained", "of the steps")


def markdown(report: Report) -> str:
    """One section a window: the verdict, the sites as a table, then each finding with its fix."""
    view = window_view(report, run="", worker=report.trace.worker, window="", sentences=English())
    lines = [f"## {_text(report.trace.path)}", "", f"**{view.verdict}** {view.detail}", ""]
    if view.savings is not None:
        floor, ceiling = duration(view.savings.floor_us), duration(view.savings.ceiling_us)
        lines += [f"Can be won by removing waits: at least {floor}, at most {ceiling}.", ""]
    if view.sites:
        lines += ["| " + " | ".join(_HEADS) + " |", "|---" * len(_HEADS) + "|"]
        lines += [_row(site) for site in view.sites]
        lines.append("")
    if view.predicted:
        lines += ["### Would wait on a GPU", "", "Predicted, no GPU was used.", ""]
        lines += ["| line | rule | why | per step |", "|---|---|---|---|"]
        lines += [_predicted(row) for row in view.predicted]
        lines.append("")
    for found in report.findings:
        where = _where(view.sites[found.sites[0]]) if found.sites else "the window"
        lines += _finding(finding_row(found, report, English()), where)
    if view.health:
        lines += ["### To know", "", *(f"- {_text(row.message)}" for row in view.health), ""]
    return "\n".join(plain(line) for line in lines)


def _row(site: SiteRow) -> str:
    explained = share(site.explained_us / site.wait_us) if site.blocking and site.wait_us else ""
    part = "" if site.share_of_steps is None else share(site.share_of_steps)
    cells = (
        _where(site),
        _text(site.what),
        _code(" < ".join(site.ops)),
        f"{site.count:,}",
        size(site.bytes) if site.bytes else "",
        milliseconds(site.wait_us),
        explained,
        part,
    )
    return "| " + " | ".join(cells) + " |"


def _predicted(row: PredictedRow) -> str:
    where = f"{_code(f'{row.file}:{row.line}')} {_code(row.code)}"
    return f"| {where} | {row.rule} | {row.why} | {row.per_step:,} |"


def _finding(finding: FindingRow, where: str) -> list[str]:
    figures = f"{_text(finding.note)} " if finding.note else ""
    return [
        f"### {_text(finding.rule)} {finding.name}: {where}",
        "",
        f"{finding.severity}, {finding.severity_reason}. {figures}{finding.what}",
        "",
        f"{finding.fix.summary} {finding.fix.caveat}".rstrip(),
        "",
        "```python",
        "# before",
        *finding.fix.before.splitlines(),
        "# after",
        *finding.fix.after.splitlines(),
        "```",
        "",
    ]


def _where(site: SiteRow) -> str:
    source = site.source
    if source is None:
        return "line not recorded"
    line = source.file if source.line is None else f"{source.file}:{source.line}"
    of_def = "" if source.exact or source.line is None else " (line of its def)"
    return f"{_code(line)} {_text(source.function)}{of_def}"


def _code(text: str) -> str:
    """Inline code; a bar would end the cell, a backtick the code."""
    return f"`{text.replace('|', '/').replace('`', '')}`" if text else ""


def _text(text: str) -> str:
    """Text of a trace that must not be taken for markup."""
    return "".join(f"\\{mark}" if mark in "\\`*_{}[]<>|#!" else mark for mark in text)
