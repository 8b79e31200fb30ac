"""TensorBoard as a child of the command line: started, named, and ended with it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from command_line import SAMPLES

from tbprof.cli.commands import demo
from tbprof.cli.commands.demo import serve
from tbprof.errors import UsageError


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the signals are those of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_the_samples_are_served_until_the_command_is_ended(number: signal.Signals, code: int) -> None:
    command = [sys.executable, "-m", "tbprof", "demo", "--sample"]
    # A proxy that does not answer, as firms have one that refuses to.
    environment = {**os.environ, "http_proxy": "http://127.0.0.1:9", "no_proxy": ""}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        told = next(line for line in process.stdout if line.startswith("TensorBoard shows"))
        page = told.partition(" at ")[2].split()[0]
        root, _, place = page.partition("/#tbprof&p.tbprof.run=")
        with urllib.request.urlopen(f"{root}/data/plugin/tbprof/runs") as response:
            runs = {run["run"] for run in json.load(response)["runs"]}
        with urllib.request.urlopen(f"{root}/data/plugins_listing") as response:
            plugins = json.load(response).keys()
        process.send_signal(number)
        _, stderr = process.communicate()
    assert runs == {path.parent.name for path in SAMPLES.glob("*/*.json.gz")}
    assert place in runs
    # The standard tab would read all traces too, and keep every core busy.
    assert "tbprof" in plugins
    assert "pytorch_profiler" not in plugins
    assert (process.returncode, stderr) == (code, "")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(root)


@pytest.mark.skipif(shutil.which("false") is None, reason="this system has no command that only fails")
def test_a_tensorboard_that_does_not_start_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo.sys, "executable", shutil.which("false"))
    with pytest.raises(UsageError, match="TensorBoard did not start"):
        serve(tmp_path, "run")
