"""`tbprof demo`: train a small classifier before and after its fixes, and look at both."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING

from tbprof.cli.reading import local_path
from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.folders import PACKAGE
from tbprof.judge.steady_steps import median_step_us
from tbprof.model import Report
from tbprof.standard_streams import flush_output, put
from tbprof.store.discovery import Discovery
from tbprof.store.windows import stored_report
from tbprof.texts.figures.quantities import count, duration, share
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.findings import predicted_rows
from tbprof.views.lost_time import idle_share
from tbprof.views.opening import opening_of

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


_SAMPLES = "samples"
"""Their run in the demo's log directory."""

_FIRST_SAMPLE = "classifier_0_before_h200"
"""The same kind of model as the demo trains, before its fixes."""


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("demo")
    parser.add_argument(
        "--logdir", type=local_path, default=Path("logs") / "demo", help="default: %(default)s"
    )
    parser.add_argument("--sample", action="store_true", help="open samples instead; needs no torch")
    parser.add_argument("--no-serve", action="store_true", help="print the results and end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Start TensorBoard, train twice, say what both runs show.

    Raises:
        UsageError: torch is missing, or the training failed.
    """
    if options.sample:
        return _show_samples(serving=not options.no_serve)
    _require_torch()
    logdir: Path = options.logdir
    shutil.copytree(_samples(), logdir / _SAMPLES, dirs_exist_ok=True)
    with contextlib.ExitStack() as stack:
        shown = None if options.no_serve else stack.enter_context(viewer(logdir))
        _train(logdir, shown)
        if shown is not None:
            put(f"\nThe tab: {shown.address('before')} (Ctrl-C ends it)\n")
            shown.wait()
    return 0


def _show_samples(*, serving: bool) -> int:
    """What opens each sample's screen, in a line or two; the rest is in the tab."""
    folder = _samples()
    for window in Discovery(folder, looks_like_trace).find().windows:
        report = stored_report(window)
        if report is not None:
            opening = opening_of(report)
            said = (f"{window.run}: {opening.verdict}", f"  {opening.action}" if opening.action else "")
            put("".join(f"{plain(line)}\n" for line in said if line))
    return serve(folder, _FIRST_SAMPLE) if serving else 0


def _samples() -> Path:
    """The samples of a checkout, else those in the package."""
    package = PACKAGE
    for folder in (package.parent / "logs" / "samples", package / "samples"):
        if folder.is_dir():
            return folder
    raise UsageError("the samples are not installed: install tbprof from a wheel or from a whole checkout")


def _require_torch() -> None:
    missing = [name for name in ("torch", "torchvision") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the demo trains a model and needs {' and '.join(missing)}: pip install 'tbprof[demo]', "
            "or look at recorded samples with tbprof demo --sample"
        )


def _train(logdir: Path, shown: Viewer | None) -> None:
    """Both runs with their progress; at the end three lines: before, after, and one's own program."""
    progress, reports, losses = Progress(), dict[str, Report](), set[str]()
    progress.show("Starting: a small model is trained before and after its fixes")
    if shown is not None:
        address = shown.address(f"{_SAMPLES}/{_FIRST_SAMPLE}")
        progress.clear()
        put(f"The tab: {address}\n         shows a classifier recorded on an H200 until yours is\n")
        put(f"         {plain(opening_of(_newest_report(logdir / _SAMPLES / _FIRST_SAMPLE)).action)}\n")
        flush_output()
    for word, name, *rest in demo_events(logdir):
        if word == "step":
            progress.show(f"{name}: step {rest[0]} of {rest[1]}")
        elif word == "publish":
            progress.show(f"{name}: analyzing the recorded steps")
        else:
            losses.add(rest[0])
            reports[name] = _newest_report(logdir / name)
            progress.clear()
            put("".join(f"{plain(line)}\n" for line in _result(name, reports[name])))
            flush_output()
    before, after = reports["before"], reports["after"]
    same = SAME_LOSS if len(losses) == 1 else ""
    put(f"\nBefore: {_summary(before)}\nAfter:  {_summary(after, before)}{same}\n{OWN_PROGRAM}\n")


def _newest_report(run_folder: Path) -> Report:
    windows = Discovery(run_folder, looks_like_trace).find().windows
    report = stored_report(max(windows, key=lambda window: window.order_ns)) if windows else None
    if report is None:
        raise UsageError(f"no window was published in {run_folder}: the training's log above says why")
    return report


def _result(name: str, report: Report) -> list[str]:
    """The verdict and the first action; without a GPU the lines that would wait, each with its fix."""
    opening = opening_of(report)
    lines = ["", f"{name}: {opening.verdict}"]
    lines += [f"  {opening.action}"] if opening.action else []
    for row in predicted_rows(report):
        lines += [f"  {row.file}:{row.line}  {row.code.strip()}", f"      {row.action}. {row.how}"]
    return lines


def _summary(report: Report, before: Report | None = None) -> str:
    step_us, idle = median_step_us(report), idle_share(report)
    if step_us is None or idle is None:
        rows = predicted_rows(report)
        return predicted_run(len(rows), sum(row.per_step for row in rows))
    return recorded_run(step_us, idle, None if before is None else median_step_us(before))


OWN_PROGRAM = (
    "Your own program: `tbprof preflight train.py` predicts its lines without a GPU, "
    "`tbprof run train.py` records what they cost on one."
)

SAME_LOSS = " The loss is the same."


def predicted_run(lines: int, per_step: int) -> str:
    """A run without a GPU: how many lines would make the host wait, and how often in a step."""
    if lines == 0:
        return "no line would make the host wait for a GPU."
    return f"{count(lines, 'line')} would make the host wait for a GPU, {count(per_step, 'time')} a step."


def recorded_run(step_us: float, idle_share: float, before_us: float | None) -> str:
    """A run on a GPU; `before_us` is the step of the run before it, None of the first."""
    sentence = f"a step takes {duration(step_us)}, and the GPU is idle {share(idle_share)} of it"
    if before_us is None:
        return f"{sentence}."
    return f"{sentence}: {before_us / step_us:.2f} times as fast."


_EVERY_S = 2.0
"""Between lines of a log."""


class Progress:
    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty()
        self._told = -_EVERY_S
        self._width = 0

    def show(self, text: str) -> None:
        """In place of what was shown last."""
        text = plain(text)
        if self._rewrites:
            sys.stderr.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        elif time.monotonic() - self._told >= _EVERY_S:
            sys.stderr.write(f"{text}\n")
            self._told = time.monotonic()
        sys.stderr.flush()

    def clear(self) -> None:
        """Before something is printed."""
        if self._rewrites and self._width:
            sys.stderr.write(f"\r{'':<{self._width}}\r")
            sys.stderr.flush()
            self._width = 0


_NOISE = "USDT:"
"""Kineto prints a line of its own whenever it starts or ends."""


def demo_events(logdir: Path) -> Iterator[list[str]]:
    """The words of each line that `tbprof.demo` tells, as they come.

    Raises:
        UsageError: The training failed.
    """
    command = [sys.executable, "-m", "tbprof.demo", "--logdir", str(logdir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        assert training.stderr is not None
        relay = threading.Thread(target=_relay, args=[training.stderr], daemon=True)
        relay.start()
        try:
            yield from (line.split() for line in training.stdout if not line.startswith(_NOISE))
        finally:
            with contextlib.suppress(OSError):
                training.terminate()
            relay.join()
    if training.returncode != 0:
        raise UsageError(
            f"the demo's training ended with code {training.returncode}: its own message is above"
        )


def _relay(stderr: IO[str]) -> None:
    for line in stderr:
        if not line.startswith(_NOISE):
            sys.stderr.write(plain(line.rstrip("\n")) + "\n")


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
        """A TensorBoard that is asked to end while it starts may hang; then it is killed."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
            return
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def viewer(logdir: Path) -> Iterator[Viewer]:
    """A TensorBoard that ends with the block, also where this process is asked to terminate."""
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
