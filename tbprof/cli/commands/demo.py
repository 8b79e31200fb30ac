"""`tbprof demo`: train a small classifier before and after its fixes, and look at both."""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output.terminal import terminal_text
from tbprof.cli.processes.preflight_child import print_preflight
from tbprof.cli.processes.serving import serve
from tbprof.errors import UsageError
from tbprof.folders import PACKAGE
from tbprof.model import Report
from tbprof.standard_streams import put
from tbprof.store.lookup.discovery import Discovery
from tbprof.store.lookup.windows import stored_report
from tbprof.trace_files import looks_like_trace

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]

_RUNS = ("before", "after")

_FIRST_SAMPLE = "a_simulated_training"
"""The sample with most to see."""


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("demo")
    parser.add_argument("--logdir", type=Path, default=Path("logs") / "demo", help="default: %(default)s")
    parser.add_argument("--sample", action="store_true", help="open recorded samples instead; needs no torch")
    parser.add_argument("--no-serve", action="store_true", help="print the reports and end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Train twice, print both reports, start TensorBoard.

    Raises:
        UsageError: torch is missing, or the training failed.
    """
    if options.sample:
        return _show_samples(serving=not options.no_serve)
    _train(options.logdir)
    has_gpu = [_print_report(options.logdir / name) for name in _RUNS]
    if not any(has_gpu):
        shutil.copytree(_samples(), options.logdir / "samples", dirs_exist_ok=True)
        for name in _RUNS:
            put(f"\n--- {name}, as preflight predicts it for a GPU ---\n")
            print_preflight("tbprof.demo.unwatched", [name], ["--module"])
        put(
            "\nThis machine has no GPU, so these runs had no device to wait for. The waits are predictions,\n"
            "without times. The samples beside them were recorded on GPUs: choose them in the tab's run\n"
            "picker.\n"
        )
    if options.no_serve:
        return 0
    return serve(options.logdir, "before" if any(has_gpu) else f"samples/{_FIRST_SAMPLE}")


def _show_samples(*, serving: bool) -> int:
    folder = _samples()
    for window in Discovery(folder, looks_like_trace).find().windows:
        report = stored_report(window)
        if report is not None:
            put(terminal_text(report) + "\n")
    return serve(folder, _FIRST_SAMPLE) if serving else 0


def _samples() -> Path:
    """Those of a checkout, else those in the package."""
    package = PACKAGE
    for folder in (package.parent / "logs" / "samples", package / "samples"):
        if folder.is_dir():
            return folder
    raise UsageError("the samples are not installed: install tbprof from a wheel or from a whole checkout")


def _train(logdir: Path) -> None:
    missing = [name for name in ("torch", "torchvision") if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the demo trains a model and needs {' and '.join(missing)}: pip install 'tbprof[demo]', "
            "or look at recorded samples with tbprof demo --sample"
        )
    ended = subprocess.run([sys.executable, "-m", "tbprof.demo", "--logdir", str(logdir)], check=False)
    if ended.returncode != 0:
        raise UsageError(f"the demo's training ended with code {ended.returncode}: its own message is above")


def _print_report(run_folder: Path) -> bool:
    """Print the newest window of a run; whether a GPU was recorded."""
    windows = Discovery(run_folder, looks_like_trace).find().windows
    report = stored_report(max(windows, key=lambda window: window.order_ns)) if windows else None
    if report is None:
        raise UsageError(f"no window was published in {run_folder}: the training's log above says why")
    put(f"\n--- {run_folder.name} ---\n{terminal_text(report)}")
    return _has_gpu(report)


def _has_gpu(report: Report) -> bool:
    return report.idle is not None
