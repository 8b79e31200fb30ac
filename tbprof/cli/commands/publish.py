"""`tbprof publish`: a trace, as the trainer hook does after each window, or all that runs left behind.

Who else works on a GPU, asked of the driver's library by the process that publishes a window.

Not by the training: the question takes milliseconds there, some with a lock of the driver held.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbprof.cli.output_file import tell
from tbprof.cli.reading import local_path, path_or_address
from tbprof.errors import Busy, RemoteError, TbprofError, UsageError
from tbprof.escaping import plain
from tbprof.file_names import lies_in_spool
from tbprof.hook.child_answers import NEXT_LINE, NOT_SENT, SHOWN_PREFIX, WAITING_PREFIX
from tbprof.hook.trackers.tracker import ShownWindow
from tbprof.model import Report
from tbprof.remote.address import checked_address, is_address
from tbprof.remote.outbox import outbox_of, send
from tbprof.safe_open import content_within, replace_whole
from tbprof.standard_streams import flush_output, put
from tbprof.store.publishing import Source, facts_of, publish_window, scalars_of
from tbprof.store.retention import Limits
from tbprof.texts.figures.quantities import count
from tbprof.texts.job import first_order
from tbprof.views.opening import opening_of

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


DEADLINE_S = 600
_PATIENCE_S = 120.0
"""How long a store that can't be reached is tried again: others wait for their turn."""
_COULD_NOT = 2
_MOST_DIGITS = 18


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "publish",
        usage="tbprof publish [options] LOGDIR | tbprof publish [options] TRACE --logdir DIR",
    )
    parser.add_argument(
        "path",
        type=path_or_address,
        metavar="PATH",
        help="a log directory, of which all is published that still waits in your spool; with --logdir, "
        "a trace as torch.profiler wrote it; or an address such as s3://bucket/run",
    )
    parser.add_argument("--logdir", type=local_path, metavar="DIR", help="the run's folder, for a trace")
    parser.add_argument("--move", action="store_true", help="remove the trace once it is published")
    parser.add_argument("--keep-windows", type=_least_one, metavar="N", help="raw traces of a worker to keep")
    parser.add_argument("--keep-bytes", type=_least_one, metavar="N", help="bytes of the run to keep, in all")
    parser.add_argument(
        "--to", type=_address, metavar="ADDRESS", help="send what is in the run's folder there, and remove it"
    )
    parser.add_argument("--gpu", metavar="UUID", help="ask the driver who else is on this device")
    parser.add_argument(
        "--training", type=int, metavar="PID", help="the process that recorded, which is none of those"
    )
    parser.add_argument(
        "--shown",
        type=local_path,
        metavar="FILE",
        help="print what trackers show of a trace, and leave its page there",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Publish; 2 where something of what was left behind could not be.

    Raises:
        TraceError: The trace is not whole.
        PublishError: The run's folder can't be written to.
        UsageError: The run's folder was not said, or the spool can't be used.
    """
    if options.logdir is not None:
        if isinstance(options.path, str):
            raise UsageError(f"{options.path} is an address, and a trace of this machine is needed: name one")
        return _publish_one(options)
    if isinstance(options.path, str):
        return _publish_to_remote(options)
    if options.path.is_file():
        raise UsageError(f"{options.path} is a trace: say with --logdir DIR in which run it belongs")
    return _publish_all(options)


def _publish_all(options: argparse.Namespace) -> int:
    """What waits in the spool for a folder and those below it."""
    # The child that publishes one window, beside a training, needs none of it.
    from tbprof.hook.orphan_recovery import left_behind, publish_left_behind

    _show_what_is_logged()
    code = 0
    runs = [left.run for left in left_behind(options.path.absolute()) if left.waiting]
    for run in runs:
        publisher = publish_left_behind(run, _kept(options))
        put(plain(f"{run}: {count(publisher.published, 'window')} published") + "\n")
        if publisher.unpublished or publisher.lost:
            code = _COULD_NOT
    if not runs and not options.path.exists():
        raise UsageError(f"{options.path} is not there, and nothing waits to be published for it")
    if not runs:
        put(plain(f"nothing waits to be published for {options.path}") + "\n")
    return code


def _publish_to_remote(options: argparse.Namespace) -> int:
    """What waits in the spool for an address, and in its outbox."""
    from tbprof.hook.orphan_recovery import left_behind, publish_left_behind
    from tbprof.hook.spool import spool_bases

    _show_what_is_logged()
    address = checked_address(options.path)
    boxes = [outbox_of(base, address) for base in spool_bases(Path(os.devnull), None)]
    code, files = 0, 0
    for outbox in filter(Path.is_dir, boxes):
        for left in left_behind(outbox):
            publisher = publish_left_behind(left.run, [*_kept(options), "--to", address], place=address)
            files += publisher.published
            if publisher.unpublished or publisher.lost:
                code = _COULD_NOT
        files += send(outbox, address, patience_s=_PATIENCE_S)
    sent = (
        f"{address} has got what waited for it" if files else f"nothing waits to be published for {address}"
    )
    put(plain(f"{address} {sent}") + "\n")
    return code


def _show_what_is_logged() -> None:
    import logging

    from tbprof.hook.safety.user_message import stderr_handler

    logging.getLogger("tbprof").addHandler(stderr_handler())


def _publish_one(options: argparse.Namespace) -> int:
    """One window, within `DEADLINE_S` seconds."""
    deadline = threading.Timer(DEADLINE_S, _give_up, [options.path])
    deadline.daemon = True
    deadline.start()
    try:
        if options.gpu is not None:
            add_other_processes(facts_of(options.path), options.gpu, options.training or os.getppid())
        published = publish_window(
            options.path, options.logdir, limits=_limits(options), source=_source(options)
        )
        if options.shown is not None:
            _leave_page(published.trace, options.shown)
        if options.to is not None:
            send(options.logdir, options.to, patience_s=_PATIENCE_S, on_delay=_say_delay)
    except (Busy, RemoteError) as error:
        what_to_do = f"for the next one, or for: tbprof publish {options.to}"
        tell(f"{error}; the window waits in {options.logdir} {what_to_do}")
        return NOT_SENT
    finally:
        deadline.cancel()
    where = published.trace if options.to is None else f"{options.to}/{published.trace.name}"
    opening = opening_of(published.report)
    line = window_line(published.report, opening.verdict, opening.action)
    put(f"{plain(f'published {where}')}\n{NEXT_LINE.join(map(plain, line.split(NEXT_LINE)))}\n")
    if options.shown is not None and published.report.facts is not None:
        said = _with_job(published.report, published.trace, line)
        put(f"{SHOWN_PREFIX}{_shown(published.report, str(where), said)}\n")
    return 0


def _leave_page(trace: Path, page: Path) -> None:
    """Without it, trackers have the figures alone."""
    from tbprof.cli.commands.report_forms import report_page
    from tbprof.cli.window_reading import WindowReader

    reader = WindowReader([trace], use_cache=False)
    with contextlib.suppress(TbprofError, OSError):
        replace_whole(page, report_page(reader, reader, top=None).encode("ascii"))


def _shown(report: Report, where: str, line: str) -> str:
    facts = report.facts
    assert facts is not None, "asked of windows of the hook"
    return ShownWindow(facts.first_step, scalars_of(report, facts), line, where).to_json()


def _with_job(report: Report, trace: Path, line: str) -> str:
    """What trackers show of the window of a rank: whom the ranks wait for comes before what it says alone."""
    from tbprof.cli.published_job import job_of_published

    job = job_of_published(report, trace)
    if job is None or not job.order:
        return line
    return window_line(report, job.sentence, first_order(job.order))


def _kept(options: argparse.Namespace) -> list[str]:
    """The limits, as the process gets them that publishes a window."""
    given = {"--keep-windows": options.keep_windows, "--keep-bytes": options.keep_bytes}
    return [part for name, value in given.items() if value is not None for part in (name, str(value))]


def _limits(options: argparse.Namespace) -> Limits | None:
    if options.keep_windows is None and options.keep_bytes is None:
        return None
    return Limits(options.keep_windows or sys.maxsize, options.keep_bytes or sys.maxsize)


def _source(options: argparse.Namespace) -> Source:
    """What somebody else recorded is theirs."""
    if lies_in_spool(options.path):
        return "spool"
    return "move" if options.move else "keep"


def _say_delay(reason: str) -> None:
    put(f"{plain(WAITING_PREFIX + reason)}\n")
    flush_output()


def _address(text: str) -> str:
    if not is_address(text):
        raise UsageError(f"--to {text!r} is no address: give one such as s3://bucket/run")
    return text


def _least_one(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > _MOST_DIGITS or int(text) < 1:
        raise UsageError(f"{text!r} is no number of windows or bytes to keep: give 1 or more")
    return int(text)


def _give_up(trace: Path) -> None:
    # A hung file system holds the main thread; only the process as a whole can end.
    tell(f"{trace} was not published within {DEADLINE_S} s and stays where it is")
    os._exit(_COULD_NOT)


_GPU_UNSEEN = ("gpu_not_recorded", "gpu_work_lost")


def window_line(report: Report, *sentences: str) -> str:
    """`window 3: ` and the sentences that open its screen, each on a line of its own.

    It begins with `empty window` where the GPU that is there is not in it.
    """
    window = "window" if report.facts is None else f"window {report.facts.window}"
    if report.idle is None and any(fact.code in _GPU_UNSEEN for fact in report.trace.health):
        return f"empty {window}: no GPU work was recorded, though torch sees the GPU: tbprof doctor says why"
    said = NEXT_LINE.join(sentence for sentence in sentences if sentence)
    return f"{window}: {said or 'nothing is to be said of it.'}"


_MOST_FACTS_BYTES = 256 * 1024 * 1024


def add_other_processes(facts: Path, gpu: str, training: int) -> None:
    """Write into a window's facts how many others are on the device, or why that is not known.

    Args:
        facts: the hook's `X.facts.json`; what stands in it stays, whatever happens here.
        gpu: the driver's name of the device, `GPU-<uuid>`.
        training: the number of the process that recorded the window.
    """
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(content_within(facts, _MOST_FACTS_BYTES))
        if not isinstance(known, dict):
            return
        try:
            known["other_gpu_processes"] = other_processes(gpu, training)
        except Exception as error:  # noqa: BLE001 - the driver's library has a family of errors of its own
            reason = f"{type(error).__name__}: {error}"
            known.setdefault("missing", []).append({"name": "other_gpu_processes", "reason": reason})
        replace_whole(facts, json.dumps(known).encode())


def other_processes(gpu: str, training: int) -> int | None:
    """Processes on the device besides the process `training`; None without `nvidia-ml-py` to ask through.

    A container sees process numbers of its own: there, one of those listed is the training's.
    """
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ModuleNotFoundError:
        return None
    nvml.nvmlInit()
    try:
        listed = nvml.nvmlDeviceGetComputeRunningProcesses(nvml.nvmlDeviceGetHandleByUUID(gpu))
    finally:
        nvml.nvmlShutdown()
    others = [process.pid for process in listed if process.pid != training]
    return len(others) if len(others) < len(listed) else max(len(others) - 1, 0)
