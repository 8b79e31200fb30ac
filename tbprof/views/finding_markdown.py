"""A finding as markdown: all that a colleague or a coding assistant needs to fix it."""

from __future__ import annotations

from tbprof.escaping import code, escaped, plain, prose
from tbprof.model import Finding, Report
from tbprof.records import dataclass
from tbprof.texts.figures.places import NO_LINE, WHOLE_WINDOW
from tbprof.texts.source import doubt_note
from tbprof.views.findings import finding_row
from tbprof.views.source import SourceFiles

_AROUND = 4
"""Lines of code before and after the one that is meant."""


@dataclass(frozen=True, slots=True)
class FindingText:
    fingerprint: str
    markdown: str


def finding_text(report: Report, finding: Finding) -> FindingText:
    """For a clipboard."""
    return FindingText(finding.fingerprint, "\n".join(finding_markdown(report, finding)))


def finding_markdown(report: Report, finding: Finding) -> list[str]:
    """Its lines: place, how bad it is, what and why, the program's own code, and the rule's example."""
    row = finding_row(finding, report)
    where = site_place(report, finding.sites[0]) if finding.sites else WHOLE_WINDOW
    figures = f"{prose(row.note)} " if row.note else ""
    return [
        f"### {escaped(row.rule)} {escaped(row.name)}: {where}",
        "",
        f"{row.severity}, {row.worth or row.severity_reason}. {figures}{row.what}",
        "",
        *_excerpts(report, finding),
        f"{row.fix.summary} {row.fix.caveat}".rstrip(),
        "",
        "```python",
        "# before",
        *row.fix.before.splitlines(),
        "# after",
        *row.fix.after.splitlines(),
        "```",
        "",
    ]


def site_place(report: Report, site: int) -> str:
    """Where a site is, as markdown; not exact, with what is known of its line."""
    source, label = report.sites[site].source, report.sites[site].label or report.sites[site].module
    if source is None:
        return code(label) if label else NO_LINE
    line = source.file if source.line is None else f"{source.file}:{source.line}"
    doubt = "" if source.exact else f" ({escaped(doubt_note(source))})"
    return f"{code(line)} {escaped(source.function)}{doubt}"


def _excerpts(report: Report, finding: Finding) -> list[str]:
    """The code around each of its sites, where it was recorded."""
    names = SourceFiles(report)
    lines: list[str] = []
    for site in finding.sites:
        source = report.sites[site].source
        if source is None:
            continue
        marked = {source.line, *source.candidates} - {None}
        shown = _around(names, names.name(source.file), {line for line in marked if line is not None})
        if shown:
            lines += [site_place(report, site), "", "```python", *shown, "```", ""]
    return lines


def _around(names: SourceFiles, file: str, marked: set[int]) -> list[str]:
    """Numbered lines, those that are meant with an arrow."""
    return [
        plain(f"{'>' if number in marked else ' '} {number:4} {text}").replace("```", "'''")
        for block in names.code(file)
        for number, text in enumerate(block.lines, start=block.first_line)
        if any(abs(number - line) <= _AROUND for line in marked)
    ]
