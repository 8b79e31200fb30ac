"""`tbprof demo`: train a small classifier before and after its fixes, and look at both."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.input.places import local_path
from tbprof.cli.output.progress import Progress
from tbprof.cli.output.terminal import terminal_text
from tbprof.cli.processes.demo_training import demo_events
from tbprof.cli.processes.serving import Viewer, serve, viewer
from tbprof.errors import UsageError
from tbprof.escaping import plain
from tbprof.folders import PACKAGE
from tbprof.model import Report
from tbprof.standard_streams import flush_output, put
from tbprof.store.lookup.discovery import Discovery
from tbprof.store.lookup.windows import stored_report
from tbprof.texts.screens.demo import OWN_PROGRAM, SAME_LOSS, predicted_run, recorded_run
from tbprof.trace_files import looks_like_trace
from tbprof.views.base.steady import median_step_us
from tbprof.views.export.run_summary import idle_share
from tbprof.views.findings.predicted import predicted_rows
from tbprof.views.overview.opening import opening_of

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

_SAMPLES = "samples"
"""Their run in the demo's log directory."""

_FIRST_SAMPLE = "a_simulated_training"
"""The sample with most to see."""


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
        put(f"The tab: {address}\n         shows a simulated training until yours is recorded\n")
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
