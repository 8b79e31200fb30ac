"""TensorBoard as a child process, with its address once it answers."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.standard_streams import flush_output, put

_START_S = 60.0
_POLL_S = 0.2
_END_S = 5.0


class Viewer:
    """A TensorBoard of one log directory, without the other plugins that are installed."""

    def __init__(self, logdir: Path) -> None:
        """Start it; it answers some seconds later."""
        self._port = _free_port()
        command = [sys.executable, "-m", "tbprof.plugin.viewer", str(logdir), str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def address(self, run: str) -> str:
        """Where the tab opens at a run, once TensorBoard answers.

        Raises:
            UsageError: TensorBoard did not start.
        """
        _wait_until_ready(self._process, self._port)
        return f"http://localhost:{self._port}/#tbprof&p.tbprof.run={urllib.parse.quote(run, safe='')}"

    def wait(self) -> None:
        """Until it is interrupted."""
        flush_output()
        with contextlib.suppress(KeyboardInterrupt):
            self._process.wait()
            return
        put("\n")

    def end(self) -> None:
        """A TensorBoard that is told to end while it starts may hang; then it is killed."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
            return
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def viewer(logdir: Path) -> Iterator[Viewer]:
    """A TensorBoard that ends with the block, also where this process is told to terminate."""
    former = signal.signal(signal.SIGTERM, _exit)
    started = Viewer(logdir)
    try:
        yield started
    finally:
        started.end()
        signal.signal(signal.SIGTERM, former)


def serve(logdir: Path, run: str) -> int:
    """Serve a log directory on a free port until interrupted; the address opens at `run`.

    Raises:
        UsageError: TensorBoard did not start.
    """
    with viewer(logdir) as started:
        put("\n" + plain(f"TensorBoard shows {logdir} at {started.address(run)} (Ctrl-C ends it)") + "\n")
        started.wait()
    return 0


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    # A proxy of the environment does not know this machine by the name localhost.
    asking = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, urllib.error.URLError):
            asking.open(f"http://localhost:{port}/data/plugins_listing", timeout=_START_S).close()
            return
        time.sleep(_POLL_S)
    raise UsageError("TensorBoard did not start: run `tensorboard --logdir` yourself to see why")
