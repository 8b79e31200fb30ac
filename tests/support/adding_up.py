"""What must hold of the figures of a plan on every form of output.

- What the rows of a list save, and what is left, is the step; no row wins what another one has won.
- A line has one saving wherever it is shown, and the lines of one change have together what it saves.
- "Then" follows the rows above it, in print as in the figures.
- The page to send, markdown, and what trackers are given say the same rows and the same first action.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import defaultdict
from collections.abc import Iterator

from tbprof.cli.commands.publish import window_line
from tbprof.cli.markdown import markdown
from tbprof.cli.terminal import terminal_text
from tbprof.escaping import json_text
from tbprof.html_report.html_page import html_page
from tbprof.html_report.page_windows import PageWindow, PageWindows
from tbprof.judge.actions import ranked_actions
from tbprof.model import Report, Window
from tbprof.texts.figures.quantities import duration
from tbprof.views.checks import checks_view
from tbprof.views.findings import FindingRow
from tbprof.views.fleet_summary import summary_of
from tbprof.views.opening import opening_of
from tbprof.views.overview import ActionRow
from tbprof.views.report_document import report_document
from tbprof.views.source_files_view import source_files_view
from tbprof.views.window import WindowView
from tbprof.views.window_view import window_view

_ROW = re.compile(r"^ *\d+\. .*: ((?:up to|saves|adds) \S+) (?:a step|in the window) ?\(", re.MULTILINE)
_THEN = re.compile(r"then takes (?:at most )?(\S+)\.")
_LEFT = re.compile(r"then (?:at most )?(\S+)$")
_DATA = re.compile(r'<script type="application/json" id="tbprof-data">(.*?)</script>', re.DOTALL)
_ROUNDING_US = 0.01


def contradictions_of(report: Report, *, reads_page: bool = False) -> list[str]:
    """What denies itself in what is said of a window; empty if nothing does.

    Args:
        report: Of the window.
        reads_page: Whether the page to send is written and read back, too, which takes longer.
    """
    view = window_view(report, run="", worker=report.trace.worker, window="")
    found = [*_of_list(report, view), *_of_lines(report, view), *_of_print(report, view)]
    found += _of_page(report, view) if reads_page else []
    return [f"{report.trace.path}: {problem}" for problem in found]


def _solid(text: str) -> str:
    """With no space between a number and its unit."""
    return text.replace("\u202f", "~")


def _of_list(report: Report, view: WindowView) -> Iterator[str]:
    rows, step_us = view.overview.actions, view.overview.step_us or 0.0
    amounts_us = [row.saves.amount_us for row in rows]
    if sum(amounts_us) > step_us + _ROUNDING_US * (len(rows) + 1):
        yield f"rows save {sum(amounts_us)} us of {step_us}"
    left_us = step_us
    for row in rows:
        if row.saves.estimate_us is None:
            continue
        left_us = max(left_us - row.saves.estimate_us, 0.0)
        then = _LEFT.search(_solid(row.bounds))
        if then is None or then[1] != _solid(duration(left_us)):
            yield f"{row.bounds} where {duration(left_us)} are left"
    smaller_us = sum((one.saving.estimate_ns or 0) for one in ranked_actions(report).smaller) / 1000
    left_us -= smaller_us / max(len(report.steps), 1)
    then = _THEN.search(_solid(view.overview.smaller))
    if then is not None and then[1] != _solid(duration(max(left_us, 0.0))):
        yield f"{view.overview.smaller} where {duration(left_us)} are left"


def _of_lines(report: Report, view: WindowView) -> Iterator[str]:
    """The same saving of each finding on Overview, Sync points, Source view and Checks."""
    said: defaultdict[str, set[object]] = defaultdict(set)
    for found in _shown(report, view):
        said[found.fingerprint].add((found.saving, found.worth))
    yield from (f"{name} saves {sorted(map(str, each))}" for name, each in said.items() if len(each) > 1)
    for row in view.overview.actions:
        yield from _of_change(row)
    by_rule: defaultdict[str, list[FindingRow]] = defaultdict(list)
    for found in {one.fingerprint: one for one in _shown(report, view)}.values():
        by_rule[found.rule].append(found)
    for check in checks_view(report).rows:
        lines = by_rule[check.rule]
        if check.state == "failed" and len(lines) == 1 and check.saving != lines[0].saving:
            yield f"{check.rule} saves {check.saving} on Checks and {lines[0].saving} elsewhere"


def _of_change(row: ActionRow) -> Iterator[str]:
    """Lines that are one change, by the replay, add up to it; a single one is it."""
    for saves, lines in ((row.saves, (row.finding, *row.others)), *((w.saves, w.findings) for w in row.ways)):
        savings = [line.saving for line in lines if line.saving is not None]
        if len(lines) == 1 and savings != [saves]:
            yield f"{lines[0].rule} saves {savings} and its change {saves}"
        estimates = [one.estimate_us for one in savings if one.estimate_us is not None]
        if saves.estimate_us is not None and abs(sum(estimates) - saves.estimate_us) > 1.0:
            yield f"lines save {estimates} and their change {saves.estimate_us}"


def _shown(report: Report, view: WindowView) -> Iterator[FindingRow]:
    overview = view.overview
    for row in overview.actions:
        yield from (row.finding, *row.others)
        yield from (line for way in row.ways for line in way.findings)
    yield from (*overview.unknown, *overview.leave)
    yield from (found for site in view.sites for found in site.findings)
    source = source_files_view(report)
    yield from (remark.finding for file in source.files for mark in file.marks for remark in mark.remarks)


def _of_page(report: Report, view: WindowView) -> Iterator[str]:
    """What the page to send holds of the window, read back from it, and its text for trackers."""
    window = Window("", report.trace.worker, "", 0, report.trace.path, None, 0)
    row = PageWindow(window, report)
    page = html_page(PageWindows({"": {"": [row]}}, 1, 1, "", 0), timelines=0)
    held = _DATA.search(page)
    if held is None:
        yield "the page holds no data"
        return
    (written,) = json.loads(held[1])["windows"]
    shown = written["answer"]["window"]
    for name, said in (("first_action", view.first_action), ("verdict", view.verdict)):
        if shown[name] != said:
            yield f"the page says {shown[name]}, the screen {said}"
    rows = [(one["worth"], one["bounds"], one["saves"]) for one in shown["overview"]["actions"]]
    wanted = [(one.worth, one.bounds, dataclasses.asdict(one.saves)) for one in view.overview.actions]
    if rows != wanted:
        yield f"the page has rows {rows}, the screen {wanted}"
    if shown["overview"]["smaller"] != view.overview.smaller:
        yield f"the page says {shown['overview']['smaller']}"
    opening = opening_of(report)
    line = window_line(report, opening.verdict, opening.action)
    if view.first_action and view.first_action.rstrip(".") not in line:
        yield f"trackers are given {line}, the screen says {view.first_action}"


def _of_print(report: Report, view: WindowView) -> Iterator[str]:
    """Terminal, markdown, JSON, and the lines of many runs print the rows of the screen."""
    rows = view.overview.actions
    worths = [_solid(row.worth) for row in rows]
    for name, text in (("terminal", terminal_text(report)), ("markdown", markdown(report))):
        printed = _ROW.findall(_solid(text))
        if printed != worths:
            yield f"{name} prints {printed}, the screen {worths}"
    document = json.loads(json_text(report_document(report)))
    if [_solid(action["worth"]) for action in document["actions"]] != worths:
        yield "JSON has other rows than the screen"
    told = {found.fingerprint: found.worth for found in _shown(report, view)}
    for found in document["findings"]:
        if told.get(found["fingerprint"], found["worth"]) != found["worth"]:
            yield f"JSON says {found['worth']}"
    summary = summary_of(report)
    shares = {(line.rule, round(line.share, 9)) for line in summary.lines if line.share}
    if not shares <= {(row.finding.rule, round(row.share, 9)) for row in rows}:
        yield "a list of runs has other shares than the screen"
    if not view.overview.records_first and rows and view.first_action.startswith("First:"):
        first = rows[0].saves
        if duration(first.amount_us) not in view.first_action and not view.predicted_first:
            yield f"{view.first_action} where row 1 saves {duration(first.amount_us)}"
