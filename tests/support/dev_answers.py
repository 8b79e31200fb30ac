"""The answers of the tab's routes that `npm run dev` shows, recorded from the plugin itself."""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import shutil
import tempfile
import urllib.parse
import warnings
from collections.abc import Iterator
from typing import Any, TypeAlias

from job_scenes import job_of
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

from tbprof.file_names import REPORT_SUFFIX
from tbprof.manual.pages import all_pages
from tbprof.plugin.loader import TbprofLoader
from tbprof.plugin.plugin import TbprofPlugin
from tbprof.store.codec import encode_report
from tbprof.texts.rule_pages import all_rules

with warnings.catch_warnings():
    # TensorBoard warns of a package that it carries itself.
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard.backend import application

REPOSITORY = pathlib.Path(__file__).parents[2]
ANSWERS = REPOSITORY / "plugin_frontend" / "dev" / "answers"
SAMPLES = REPOSITORY / "logs" / "samples"

_JOB, _RANKS = "job", 4
_TRACED = "h100_bert_small_infer"
"""The sample whose trace is there as well: what is made of every event is recorded of it."""
_WAITING = 2
"""Of the samples, these come first and wait: the ranks show them."""
_ROWS = 5
"""Of each table, whose details are recorded."""
_LOGDIR = "logs"
"""What the recorded answers call the log directory."""
_TIMES = ("1752215573993169006", "1752215673993169006")

Json: TypeAlias = dict[str, Any]
Answers: TypeAlias = dict[str, dict[str, Json]]
"""By route and query."""


def record() -> Answers:
    """All that the tab can ask of a small log directory of which one trace is there, but its timeline."""
    with tempfile.TemporaryDirectory() as folder:
        logdir = pathlib.Path(folder) / _LOGDIR
        _lay_out(logdir)
        plugin = _plugin(logdir)
        try:
            tab = _Tab(Client(application.TensorBoardWSGI([plugin])))
            answers: Answers = {}
            for route, query in _questions(tab):
                answers.setdefault(route, {})[urllib.parse.urlencode(query)] = tab.ask(route, query)
        finally:
            plugin.close()
    answers["runs"][""] |= {"logdir": _LOGDIR, "version": ""}
    return answers


def written(answers: dict[str, Json]) -> str:
    """One route's answers as JSON, one to a line, so that a change of one is a change of one line."""
    lines = (f"{json.dumps(query)}: {json.dumps(answer)}" for query, answer in sorted(answers.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lay_out(logdir: pathlib.Path) -> None:
    """The samples, a run of two ranks with two windows each, and a job whose ranks wait for one of them."""
    _put_job(logdir / _JOB)
    reports = sorted(SAMPLES.rglob(f"*{REPORT_SUFFIX}"))
    for report in reports:
        _put(report, logdir / report.parent.name / report.name)
        if report.parent.name == _TRACED:
            trace = report.with_name(report.name.replace(REPORT_SUFFIX, ".json.gz"))
            _put(trace, logdir / _TRACED / trace.name)
    for rank, (at, time) in itertools.product((0, 1), enumerate(_TIMES)):
        _put(
            reports[(rank + at) % _WAITING],
            logdir / "training" / f"node1_7{rank}_rank{rank}.{time}{REPORT_SUFFIX}",
        )


def _put_job(run: pathlib.Path) -> None:
    run.mkdir(parents=True)
    for rank, built in enumerate(job_of(_RANKS)):
        report = encode_report(built.report(), written_by="0.1")
        (run / f"node1_7{rank}_rank{rank}.{_TIMES[0]}{REPORT_SUFFIX}").write_bytes(report)


def _put(file: pathlib.Path, place: pathlib.Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)


def _plugin(logdir: pathlib.Path) -> TbprofPlugin:
    flags = argparse.Namespace(logdir=str(logdir), logdir_spec="", tbprof_follow_links=False)
    plugin = TbprofLoader().load(base_plugin.TBContext(flags=flags, logdir=str(logdir)))
    assert isinstance(plugin, TbprofPlugin)
    return plugin


class _Tab:
    def __init__(self, client: Client) -> None:
        self._client = client

    def ask(self, route: str, query: dict[str, str]) -> Json:
        """The answer, once the trace that it is made of has been read."""
        while True:
            answer = self._client.get(f"/data/plugin/tbprof/{route}", query_string=query)
            assert answer.status_code == 200, f"{route} {query}: {answer.text}"
            content: Json = answer.json
            if content.get("state") != "reading":
                return content


def _questions(tab: _Tab) -> Iterator[tuple[str, dict[str, str]]]:
    """Routes with their parameters, in the order in which the tab names them."""
    yield "runs", {}
    yield from (("rule", {"code": rule.code}) for rule in all_rules())
    yield from (("manual", {"page": page.name}) for page in all_pages())
    windows = list(_windows(tab))
    for window in windows:
        yield "window", window
        yield "source", window
        yield "checks", window
        view = tab.ask("window", window)["window"]
        for fingerprint in _fingerprints(view):
            yield "finding", {**window, "finding": fingerprint}
        if window["run"] == _TRACED:
            yield from _of_traces(window)
    training = [window for window in windows if window["run"] == "training"]
    yield from (("ranks", {"run": "training", "number": str(at + 1)}) for at in range(len(_TIMES)))
    yield from (("job", {"run": "training", "number": str(at + 1)}) for at in range(len(_TIMES)))
    yield "job", {"run": _JOB, "number": "1"}
    yield from (
        ("trend", {"run": "training", "worker": worker}) for worker in sorted({w["worker"] for w in training})
    )
    for before, after in itertools.permutations(training, 2):
        compared = {**{f"before_{name}": value for name, value in before.items()}, **after}
        yield "compare", compared
        yield "compared_table", {**compared, "table": "operators"}


def _of_traces(window: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """What the pages of operators, kernels, modules, memory and the flame graph ask."""
    yield "modules", window
    for device in ("", "GPU 0", "CPU"):
        yield "memory", {**window, "device": device, "start": "", "end": "", "at": ""}
    yield "memory_files", {"run": window["run"]}
    yield "roofline", {**window, "scope": "steps"}
    yield from (("icicle", {**window, "kind": kind}) for kind in ("", "function", "operator", "module"))
    for table, groupings in (
        ("operators", ("name", "shapes", "module")),
        ("kernels", ("name",)),
        ("memory", ("name",)),
    ):
        for by in groupings:
            asked = {**window, "table": table, "by": by, "scope": "steps"}
            yield "table", {**asked, "columns": "first"}
            yield from (("table_row", {**asked, "row": str(row)}) for row in range(_ROWS))


def _windows(tab: _Tab) -> Iterator[dict[str, str]]:
    for run in tab.ask("runs", {})["runs"]:
        for worker in run["workers"]:
            for window in worker["windows"]:
                yield {"run": run["run"], "worker": worker["worker"], "window": window["window"]}


def _fingerprints(shown: object) -> set[str]:
    if isinstance(shown, dict):
        own = {shown["fingerprint"]} if isinstance(shown.get("fingerprint"), str) else set()
        return own.union(*map(_fingerprints, shown.values()))
    return set().union(*map(_fingerprints, shown)) if isinstance(shown, list) else set()
