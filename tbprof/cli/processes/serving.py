"""TensorBoard as a child process, with its address once it answers."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.standard_streams import flush_output, put

__all__ = ["serve"]

_START_S = 60.0
_POLL_S = 0.2
_END_S = 5.0


def serve(logdir: Path, run: str | None = None) -> int:
    """Serve a log directory on a free port until interrupted; the address opens at `run`.

    Raises:
        UsageError: TensorBoard did not start.
    """
    port = _free_port()
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_ready(process, port)
        place = "" if run is None else f"&p.tbprof.run={urllib.parse.quote(run, safe='')}"
        address = f"http://localhost:{port}/#tbprof{place}"
        put(f"\nTensorBoard shows {logdir} at {address} (Ctrl-C ends it)\n")
        flush_output()
        process.wait()
    except KeyboardInterrupt:
        put("\n")
    finally:
        _end(process)
    return 0


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


def _end(process: subprocess.Popen[bytes]) -> None:
    """A TensorBoard that is told to end while it starts may hang; then it is killed."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)
        return
    process.kill()
    process.wait()
