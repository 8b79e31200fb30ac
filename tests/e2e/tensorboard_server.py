"""TensorBoard as a child process, and the command line's answer to compare it with."""

from __future__ import annotations

import contextlib
import functools
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from timeouts import PATIENCE_S


@contextlib.contextmanager
def tensorboard(logdir: pathlib.Path, *options: str) -> Iterator[str]:
    """Start TensorBoard and yield its address without a trailing slash."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    log = logdir.parent / f"tensorboard-{port}.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--port", str(port)]
        process = subprocess.Popen([*command, *options], stdout=output, stderr=output)
    try:
        _wait_until_it_answers(process, f"http://localhost:{port}", options, log)
        yield f"http://localhost:{port}"
    finally:
        # Told to end while it starts, a TensorBoard may hang; so it is not asked twice.
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()
        process.wait()


def _wait_until_it_answers(
    process: subprocess.Popen[bytes], root: str, options: tuple[str, ...], log: pathlib.Path
) -> None:
    prefix = options[options.index("--path_prefix") + 1] if "--path_prefix" in options else ""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{root}{prefix}/data/plugins_listing", timeout=PATIENCE_S).close()
            return
        time.sleep(0.2)
    pytest.fail(f"TensorBoard did not answer:\n{log.read_text(errors='replace')[-2000:]}")


@functools.cache
def report_of(path: pathlib.Path) -> dict[str, Any]:
    """What the command line says of a window."""
    command = [sys.executable, "-m", "tbprof", "report", str(path), "--format", "json"]
    document: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return document
