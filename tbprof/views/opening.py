"""The sentences that open a window's screen: they and the list of actions begin with the same thing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tbprof.judge.actions import answers, ranked_actions
from tbprof.judge.steady_steps import mean_step_us
from tbprof.judge.unjudged_words import NoDevice
from tbprof.judge.verdict_figures import VerdictFigures
from tbprof.judge.words import OF_OTHER_VERSION, verdict_sentences
from tbprof.model import BOUND_SHARE, MEDIUM_SHARE, Report
from tbprof.records import dataclass
from tbprof.rules.memory.words import GrowingMemory
from tbprof.texts.actions import (
    HIDDEN_IN_GRAPHS,
    NOTHING_ON_HOST,
    RECORD_FIRST,
    first_action_sentence,
    growing_memory_sentence,
    record_first_sentence,
)
from tbprof.texts.finding_notes import CUT_OFF
from tbprof.texts.predicted import first_line_sentence, host_sentences, predicted_sentences
from tbprof.views.action_rows import action_rows
from tbprof.views.findings import places_of, predicted_rows
from tbprof.views.idle_causes import host_bar
from tbprof.views.overview import ActionRow, HostBar

HOST_SHARE = BOUND_SHARE
"""The part of a step from which loading or Python is what to say of a recording without a GPU: the rest gets
shorter on one, often by more than ten times, and they do not."""

_NO_ORDER = ("lost_kernels", "cut_off")
"""The second sentence says what to do about the file."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Each is "" where there is nothing to say."""

    verdict: str
    detail: str
    action: str
    """The first action, where it is and what it saves."""


def opening_of(report: Report) -> Opening:
    """What is said first of a window."""
    return opening_with(report, action_rows(report, ranked_actions(report), mean_step_us(report) or 0.0))


def opening_with(report: Report, actions: Sequence[ActionRow]) -> Opening:
    """The same, for who has its actions; a verdict of another version is left out, and its order with it."""
    opening = _of_time(report, actions)
    grows = " ".join(_growing(report))
    return dataclasses.replace(opening, detail=f"{opening.detail} {grows}".strip()) if grows else opening


def _growing(report: Report) -> Iterator[str]:
    """Memory that grows ends a run, however long its steps take; not what is little or may only seem to."""
    for finding in report.findings:
        grown = finding.figures
        if not isinstance(grown, GrowingMemory) or finding.severity == "low" or grown.may_replace_older:
            continue
        yield growing_memory_sentence(grown.device, grown.per_step_bytes)


def _of_time(report: Report, actions: Sequence[ActionRow]) -> Opening:
    if report.idle is None and report.recorded_calls:
        return _without_gpu(report, actions)
    if report.verdict is None:
        return Opening("", "", "")
    if not isinstance(report.verdict.figures, VerdictFigures):
        return Opening(OF_OTHER_VERSION, "", "")
    waits_come_first = not actions or actions[0].is_planned
    verdict, detail = verdict_sentences(report.verdict, waits_come_first=waits_come_first)
    return Opening(verdict, detail, _order(report, report.verdict.case, report.verdict.figures, actions))


def unjudged_sentence(report: Report) -> str:
    """Why it says nothing of a window that nothing was found in it; "" where it can be judged."""
    if report.trace.is_cut_off:
        return CUT_OFF
    if report.verdict is None or report.verdict.case != "lost_kernels":
        return ""
    sentence, _ = verdict_sentences(report.verdict)
    return f"{sentence[0].lower()}{sentence[1:].removesuffix('.')}"


def records_first(report: Report, actions: Sequence[ActionRow]) -> bool:
    """Whether the first thing to do is another recording."""
    case = "" if report.verdict is None else report.verdict.case
    return case in RECORD_FIRST and not (case == "leading_wait" and actions)


def recording_first(report: Report, actions: Sequence[ActionRow]) -> str:
    """What to record before any change; "" where the window is typical."""
    if not records_first(report, actions):
        return ""
    assert report.verdict is not None, "a report with a verdict"
    return RECORD_FIRST[report.verdict.case]


def _order(report: Report, case: str, figures: VerdictFigures, actions: Sequence[ActionRow]) -> str:
    if figures.order:
        return figures.order
    if records_first(report, actions):
        step_us = figures.recorded_us
        if step_us is None:
            step_us = mean_step_us(report) or 0.0
        return record_first_sentence(case, spent_us=figures.spent_us, step_us=step_us)
    if case == "communication" and not (actions and answers(actions[0].finding.rule, case)):
        return ""
    if case == "busy" and not actions:
        hides_gaps = ("graphs_whole", "warning") in ((one.code, one.severity) for one in report.trace.health)
        return HIDDEN_IN_GRAPHS if hides_gaps else NOTHING_ON_HOST
    return "" if case in _NO_ORDER else _first(report, actions) or figures.last_order


def _without_gpu(report: Report, actions: Sequence[ActionRow]) -> Opening:
    lines = len({(line.source.file, line.source.line) for line in report.predicted_lines})
    host, step_us = host_bar(report), mean_step_us(report)
    if lines_come_first(report, actions):
        (first, *_) = predicted_rows(report)
        place = f"{PurePath(first.file).name}:{first.line}"
        action = first_line_sentence(first.action, place, first.worth)
    else:
        action = _first(report, actions)
    if _host_is_bound(actions) and step_us:
        spent_us = actions[0].saves.ceiling_us
        rule = actions[0].finding.rule
        said = host_sentences(rule, lines, spent_us=spent_us, step_us=step_us, stays=_stays(host))
    else:
        operators_us, known_us = (0.0, None) if host is None else (host.launching_us, step_us)
        stays = _stays(host)
        said = predicted_sentences(lines, step_us=known_us, operators_us=operators_us, stays=stays)
    verdict, detail = said
    return Opening(verdict, f"{detail}{_host_costs(report)}", action)


def _stays(host: HostBar | None) -> tuple[tuple[str, float], ...]:
    """What no GPU takes over."""
    if host is None:
        return ()
    python = "Python beside operators"
    return ("loading", host.loading_us), (python, host.other_us), ("collectives", host.waiting_us)


def _host_costs(report: Report) -> str:
    figures = None if report.verdict is None else report.verdict.figures
    return figures.costs.words() if isinstance(figures, NoDevice) and figures.costs is not None else ""


def lines_come_first(report: Report, actions: Sequence[ActionRow]) -> bool:
    """Whether lines that would wait for a GPU are to be changed before what the host is known to spend."""
    return bool(report.predicted_lines) and not _host_is_bound(actions)


def _host_is_bound(actions: Sequence[ActionRow]) -> bool:
    """Not by Python that merely calls operators: its finding is graded down."""
    return bool(actions) and actions[0].share >= HOST_SHARE and actions[0].finding.severity != "low"


def _first(report: Report, actions: Sequence[ActionRow]) -> str:
    if not actions or actions[0].share < MEDIUM_SHARE:
        return ""
    first, saves = actions[0], actions[0].saves
    return first_action_sentence(
        first.title,
        places_of(report, (first.finding, *first.others)),
        saved_us=saves.estimate_us,
        most_us=saves.ceiling_us,
        step_us=mean_step_us(report) or 0.0,
    )
