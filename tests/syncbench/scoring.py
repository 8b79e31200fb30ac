"""Scores of a tool, each apart: what it finds, how it judges, what it mends, and what harm it does."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from side_server import SideServer

from tests.syncbench.adapters import Answer, NotRun, Request, Tool
from tests.syncbench.proving import proved
from tests.syncbench.tasks import Task

ACCEPTED = ("proved", "proved within rounding")
GOOD = (*ACCEPTED, "no effect")
HEADER = (
    "| tool | recall of lines | precision | needed reads alarmed | gain class | verdict | mended | harm |\n"
    "|---|---|---|---|---|---|---|---|"
)


@dataclass
class Score:
    """Counts of what was right, and of what there was."""

    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    harm: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    why_not_run: str = ""

    def add(self, kind: str, *, is_right: bool, remark: str = "") -> None:
        self.right[kind] += is_right
        self.of[kind] += 1
        if remark and not is_right:
            self.remarks.append(f"{kind}: {remark}")

    def row(self, tool: str) -> str:
        """A row of the table."""
        if self.why_not_run:
            return f"| {tool} | {' | '.join(['-'] * 6)} | not run: {self.why_not_run} |"
        kinds = ("recall", "precision", "needed", "gain", "verdict", "mended")
        shown = [self._share(kind, is_count=kind == "needed") for kind in kinds]
        return f"| {tool} | {' | '.join(shown)} | {self._harm()} |"

    def _share(self, kind: str, *, is_count: bool) -> str:
        if not self.of[kind]:
            return "-"
        counted = f"{self.right[kind]} of {self.of[kind]}"
        return counted if is_count else f"{100 * self.right[kind] / self.of[kind]:.0f} % ({counted})"

    def _harm(self) -> str:
        return str(len(self.harm)) if self.of["gain"] or self.of["mended"] else "-"


def score(tool: Tool, tasks: Iterable[Task], server: SideServer) -> Score:
    """Ask a tool about all tasks, one after another."""
    result = Score()
    for task in tasks:
        try:
            _score_task(result, tool, task, server)
        except NotRun as reason:
            result.why_not_run = str(reason)
            break
    return result


def _score_task(result: Score, tool: Tool, task: Task, server: SideServer) -> None:
    with tempfile.TemporaryDirectory(prefix="syncbench-") as folder:
        # Under a name of its own, without the answers beside it.
        def ask(side: str | None) -> Answer:
            paths = {each: Path(folder) / f"{each}.py" for each in ("before", "after")}
            for each, source in (("before", "before"), ("after", side)):
                if source is not None:
                    paths[each].write_text(task.source(source) or "", encoding="utf-8")
            return tool(Request(str(paths["before"]), side and str(paths["after"]), task.step_on))

        alone = ask(None)
        _score_lines(result, task, alone)
        if alone.patch:
            _score_patch(result, task, alone.patch, server)
        elif alone.patch is not None and task.labels.get("waits_before"):
            result.add("mended", is_right=False)
        for side in ("after", "wrong"):
            if task.source(side) is not None:
                _score_judgment(result, task, side, ask(side))


def _score_lines(result: Score, task: Task, answer: Answer) -> None:
    if answer.lines is None:
        return
    named = {str(line) for line in answer.lines}
    waits, needed, stays = (
        task.right(f"{kind}_before", named) if f"{kind}_before" in task.labels else set[str]()
        for kind in ("waits", "needed", "stays")
    )
    for kind, found in (("recall", waits), ("needed", needed)):
        there = len(task.labels.get(f"{'waits' if kind == 'recall' else kind}_before", ()))
        result.right[kind] += len(found)
        result.of[kind] += there
        if kind == "recall" and len(found) < there and not task.is_hidden:
            missed = sorted(task.labels["waits_before"].keys() - found, key=int)
            result.remarks.append(f"{task.name}: missed {', '.join(missed)}")
    result.right["precision"] += len(waits)
    result.of["precision"] += len(named - stays)
    wrong = sorted(named - stays - waits, key=int)
    if wrong:
        result.remarks.append(f"{task.name}: named {', '.join(wrong)}")


def _score_judgment(result: Score, task: Task, side: str, answer: Answer) -> None:
    if side == "wrong":
        if answer.verdict in GOOD:
            result.harm.append(f"{task.name}: its wrong form is {answer.verdict}")
        return
    if answer.gain is not None and task.has_gain:
        result.add("gain", is_right=task.is_right("gain", answer.gain), remark=f"{task.name}: {answer.gain}")
    if answer.verdict is not None:
        is_right = task.is_right("verdict", answer.verdict)
        result.add("verdict", is_right=is_right, remark=f"{task.name}: {answer.verdict}")
        trap = task.facts.get("trap")
        if trap in ("race", "stale", "wrong result", "adds a wait") and answer.verdict in ACCEPTED:
            result.harm.append(f"{task.name}: accepted, and a trap: {trap}")


def _score_patch(result: Score, task: Task, patch: str, server: SideServer) -> None:
    """Whether a mended program is proved, by whom it was not made."""
    verdict: Any = "cannot tell"
    with suppress(RuntimeError):
        verdict = proved(server, task.source("before") or "", patch, task.step_on).proof.verdict
    if task.labels.get("waits_before"):
        result.add("mended", is_right=verdict in ACCEPTED, remark=f"{task.name}: {verdict}")
    if verdict not in GOOD:
        result.harm.append(f"{task.name}: offers a patch that is {verdict}")


def printed(name: str, result: Score, *, is_long: bool) -> Iterator[str]:
    """The row of a tool, and after it what it got wrong."""
    yield HEADER
    yield result.row(name)
    yield from (f"harm: {each}" for each in result.harm)
    if is_long:
        yield from result.remarks


Report = Callable[[str], None]


def report_to_terminal(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
