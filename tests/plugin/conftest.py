"""TensorBoard with the plugin, as its server runs it, without a socket."""

from __future__ import annotations

import argparse
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tensorboard.plugins import base_plugin
from timeouts import PATIENCE_S
from werkzeug.test import Client, TestResponse

from tbprof.plugin.loader import TbprofLoader
from tbprof.plugin.worker.kept import Kept
from tbprof.plugin.worker.pool import Pool
from tbprof.plugin.worker.reports import Reports

with warnings.catch_warnings():
    # TensorBoard warns of a package that it carries itself.
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard.backend import application


class Tab:
    """What the tab's page sees: TensorBoard's own application, with our plugin loaded by its loader."""

    def __init__(
        self,
        logdir: str,
        *,
        logdir_spec: str = "",
        follow_links: bool = False,
        hosts: str | None = None,
        **started: Any,
    ) -> None:
        flags = argparse.Namespace(
            logdir=logdir,
            logdir_spec=logdir_spec,
            tbprof_follow_links=follow_links,
            tbprof_hosts=hosts,
            **started,
        )
        context = base_plugin.TBContext(flags=flags, logdir=logdir)
        self.plugin = TbprofLoader().load(context)
        self.client = Client(application.TensorBoardWSGI([self.plugin]))

    def get(self, route: str, **parameters: str) -> TestResponse:
        return self.client.get(f"/data/plugin/tbprof/{route}", query_string=parameters)

    def runs(self) -> Any:
        return self.get("runs").json

    def window(self, run: str, worker: str, window: str) -> Any:
        """The answer once it is no longer `reading`."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self.get("window", run=run, worker=worker, window=window).json
            assert answer is not None
            if answer.get("state") != "reading":
                return answer
            assert time.monotonic() < deadline, "the trace was not read in time"
            time.sleep(0.05)


@pytest.fixture
def open_tab() -> Iterator[Callable[..., Tab]]:
    """Opens tabs on log directories; what they started is ended."""
    tabs: list[Tab] = []

    def open_one(logdir: str, **options: Any) -> Tab:
        tabs.append(Tab(logdir, **options))
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.plugin.close()


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def pool(kept: Kept) -> Iterator[Pool]:
    """With one process that reads traces for reports, so that it is known what waits."""
    found = Pool(kept, large=1, small=0)
    yield found
    # One that a test has stopped would not end by itself.
    for pid in found.pids() if hasattr(signal, "SIGCONT") else ():
        os.kill(pid, signal.SIGCONT)
    found.close()


@pytest.fixture
def reports(pool: Pool, kept: Kept) -> Reports:
    return Reports(pool, kept)


@pytest.fixture
def sample() -> Path:
    """A real trace, without sync points."""
    samples = Path(__file__).parents[2] / "logs" / "samples"
    return samples / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def logdir(tmp_path: Path, sample: Path) -> Path:
    """One run with one window that has no report yet."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "w.1752215573993169006.pt.trace.json.gz").write_bytes(sample.read_bytes())
    return tmp_path / "logs"
