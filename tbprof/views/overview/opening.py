"""The sentences that open a window's screen: they and the list of actions begin with the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tbprof.model import MEDIUM_SHARE, Report
from tbprof.records import dataclass
from tbprof.texts.findings.actions import first_action_sentence, place_of
from tbprof.texts.findings.predicted import loading_sentences, predicted_sentences
from tbprof.texts.screens.verdicts import verdict_sentences
from tbprof.views.base.steady import mean_step_us
from tbprof.views.findings.actions import rank
from tbprof.views.overview.action_rows import action_rows
from tbprof.views.overview.mean_step_bars import host_bar
from tbprof.views.overview.overview import ActionRow

__all__ = ["LOADING_SHARE", "Opening", "opening_after", "opening_of"]

LOADING_SHARE = 0.3
"""From this part of a step on, loading is what to say of a recording without a GPU: the rest gets shorter on
one, and loading does not."""

_OTHERS_FIRST = ("communication", "cold_start", "capture", "lost_kernels", "cut_off")
"""Where another rank, or another recording, is to be looked at before any change."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Each is "" where there is nothing to say."""

    verdict: str
    detail: str
    action: str
    """The first action, where it is and what it saves."""


def opening_of(report: Report) -> Opening:
    """What is said first of a window."""
    return opening_after(report, action_rows(report, rank(report), mean_step_us(report) or 0.0))


def opening_after(report: Report, actions: Sequence[ActionRow]) -> Opening:
    """The same, for who has its actions; a verdict of another version is left out, and its order with it."""
    if report.idle is None and report.recorded_calls:
        return Opening(*_without_gpu(report), action="")
    if report.verdict is None:
        return Opening("", "", "")
    waits_come_first = not actions or actions[0].is_planned
    verdict, detail = verdict_sentences(report.verdict, waits_come_first=waits_come_first)
    has_order = verdict != "" and report.verdict.case not in _OTHERS_FIRST
    return Opening(verdict, detail, _first(report, actions) if has_order else "")


def _without_gpu(report: Report) -> tuple[str, str]:
    lines = len({(line.source.file, line.source.line) for line in report.predicted_lines})
    host, step_us = host_bar(report), mean_step_us(report)
    if host is None or not step_us or host.loading_us < LOADING_SHARE * step_us:
        return predicted_sentences(lines)
    loaders = () if report.facts is None else report.facts.loaders
    has_workers = any(loader.num_workers for loader in loaders)
    return loading_sentences(lines, loading_us=host.loading_us, step_us=step_us, has_workers=has_workers)


def _first(report: Report, actions: Sequence[ActionRow]) -> str:
    if not actions or actions[0].share < MEDIUM_SHARE:
        return ""
    first, saves = actions[0], actions[0].saves
    return first_action_sentence(
        first.title,
        _place(report, first),
        saved_us=saves.estimate_us,
        most_us=saves.ceiling_us,
        step_us=mean_step_us(report) or 0.0,
    )


def _place(report: Report, action: ActionRow) -> str:
    """The lines, where they are exact; else the places that the findings name."""
    found = (action.finding, *action.others)
    sources = [report.sites[site].source for one in found for site in one.sites]
    lines = [f"{PurePath(s.file).name}:{s.line}" for s in sources if s is not None and s.exact]
    places = lines or [one.place for one in found if one.place]
    return place_of(places)
