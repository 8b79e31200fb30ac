"""Runs programs of tasks under preflight and prove, in forks of one process that has torch."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "preflight" / "proof"))

from side_server import SideServer, options_of, prove_sources

from tbprof.preflight.fix.command import run as fix
from tbprof.preflight.prediction import Prediction
from tbprof.preflight.proof.command import task_of
from tbprof.preflight.proof.judging import Proof
from tbprof.preflight.proof.record import read_record
from tbprof.preflight.proof.sides import Side


@dataclass(frozen=True)
class Proved:
    proof: Proof
    before: Prediction
    after: Prediction | None
    """None where nothing came of that run."""


@contextmanager
def chdir(folder: str) -> Iterator[None]:
    """Be in a folder; contextlib has it from Python 3.11 on."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


@contextmanager
def server() -> Iterator[SideServer]:
    with tempfile.TemporaryDirectory(prefix="syncbench-") as folder:
        started = SideServer(Path(folder))
        try:
            yield started
        finally:
            started.close()


def proved(side_server: SideServer, before: str, after: str, step_on: str | None) -> Proved:
    """What `tbprof prove` says of two sources, and what `tbprof preflight` says of each."""
    with tempfile.TemporaryDirectory(prefix="syncbench-") as name:
        folder = Path(name)
        proof = prove_sources(side_server, before, after, folder, step_on)
        records = [read_record(folder / "runs" / f"{side}.json") for side in ("before", "after")]
    if records[0] is None:
        raise RuntimeError(proof.sentence)
    return Proved(proof, records[0].prediction, records[1] and records[1].prediction)


def predicted(side_server: SideServer, source: str, step_on: str | None) -> Prediction:
    """What `tbprof preflight` says of a source."""
    with tempfile.TemporaryDirectory(prefix="syncbench-") as name:
        (Path(name) / "train.py").write_text(source, encoding="utf-8")
        root, record = Path(name), str(Path(name) / "before.json")
        task = task_of(Side("before", "train.py", root, root, root), options_of(step_on), ())
        found, why = side_server(replace(task, record=record, values=str(root / "before.values")))
    if found is None:
        raise RuntimeError(why)
    return found.prediction


def lines(prediction: Prediction | None, *, alarms: bool = False) -> dict[str, int]:
    """How often each line of the program waits in a step; with `alarms`, where more than info is said."""
    found = dict[str, int]()
    if prediction is None:
        return found
    loud = {each.site for each in prediction.findings if each.severity != "info"}
    for at, site in enumerate(prediction.sites):
        places = [each.line for each in (site.source, *site.called_at) if each.file.endswith("train.py")]
        if site.blocking and site.per_warm_step and places and (at in loud or not alarms):
            found[str(places[0])] = found.get(str(places[0]), 0) + site.per_warm_step
    return dict(sorted(found.items(), key=lambda each: int(each[0])))


def mended(side_server: SideServer, source: str, step_on: str | None) -> str:
    """The source with all that `tbprof fix` offers; "" where that is nothing."""
    with tempfile.TemporaryDirectory(prefix="syncbench-") as name:
        program = Path(name) / "train.py"
        program.write_text(source, encoding="utf-8")
        options = ["--apply", "--allow-uncommitted", "--format", "json"]
        options += ["--step-on", step_on] if step_on else []
        with chdir(name), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            fix([*options, program.name], run_side=side_server)
        after = program.read_text(encoding="utf-8")
    return "" if after == source else after
