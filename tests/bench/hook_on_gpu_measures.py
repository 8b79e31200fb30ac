"""One program of a recording with the hook and without it: its step times, and the window it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import torch
from recorded_lines import Line, lines_run
from recorded_source import Setting, build

import tbprof
from tbprof.errors import TbprofError
from tbprof.hook.window.post_window import SETTLE_STEPS
from tbprof.model import Report
from tbprof.report import build_report
from tbprof.trace.export.published_trace import merge_facts

_SETTLED_STEPS = 10
"""Before anything is timed: caches fill and kernels are chosen."""
_WARMUP, _ACTIVE, _AUDIT_STEPS = 3, 5, 2


@dataclass(frozen=True, slots=True)
class HookedProgram:
    """Times are those of the wall, of a step of a stretch between two synchronizes."""

    plain_ns: int
    """Without the hook, before and after the run that has it."""
    before_ns: int
    """With the hook, ahead of its window."""
    after_ns: int
    """With it, behind the window."""
    stall_ns: int
    """Of the calls of `hook.step()` from the first step of the warm-up on until the window has settled."""
    report: Report
    ran: frozenset[Line]
    """The program's lines that a step runs."""

    @property
    def sites(self) -> int:
        """Lines and ops that made the host wait."""
        return sum(site.blocking > 0 for site in self.report.sites)

    @property
    def exact_sites(self) -> int:
        blocking = (site for site in self.report.sites if site.blocking)
        return sum(site.source is not None and site.source.exact for site in blocking)

    @property
    def lines(self) -> frozenset[Line]:
        """Exact lines of calls that wait or copy, or that would on a GPU."""
        return frozenset((call.file, call.line) for call in self.report.recorded_calls)


def run_with_hook(
    name: str, source: Path, folder: Path, *, steps: int, device: torch.device
) -> HookedProgram:
    """Train plainly, with the hook, and plainly again; `folder` keeps the window as `NAME.trace.json.gz`."""
    session = build(name, Setting(device, small=device.type == "cpu"))
    stretch = _Stretch(session.step, device)
    try:
        stretch.run(_SETTLED_STEPS if device.type == "cuda" else 1)
        plain = [stretch.run(steps)]
        schedule = tbprof.Schedule(skip_first=steps, warmup=_WARMUP, active=_ACTIVE)
        logdir, spool = folder / "logs" / name, folder / "spool" / name
        with tbprof.TrainerHook(logdir, schedule=schedule, spool=spool) as hook:
            stretch.hook_step = hook.step
            before_ns = stretch.run(steps)
            stretch.stall_ns = 0
            stretch.run(_WARMUP + _ACTIVE + _AUDIT_STEPS + SETTLE_STEPS + 1)
            stall_ns = stretch.stall_ns
            after_ns = stretch.run(steps)
            hook.close(wait_s=60)
        stretch.hook_step = _nothing
        plain.append(stretch.run(steps))
        with lines_run(source) as ran:
            session.step()
    finally:
        session.close()
    trace = _window(logdir, spool, folder / f"{name}.trace.json.gz")
    report = build_report(trace)
    return HookedProgram(round(mean(plain)), before_ns, after_ns, stall_ns, report, frozenset(ran))


def _nothing() -> None: ...


class _Stretch:
    """Steps between two synchronizes, with what is called after each."""

    def __init__(self, step: Callable[[], None], device: torch.device) -> None:
        self._step = step
        self._is_cuda = device.type == "cuda"
        self.hook_step: Callable[[], None] = _nothing
        self.stall_ns = 0

    def run(self, steps: int) -> int:
        """Nanoseconds of a step."""
        self._wait()
        began = time.perf_counter_ns()
        for _ in range(steps):
            self._step()
            trained = time.perf_counter_ns()
            self.hook_step()
            self.stall_ns += time.perf_counter_ns() - trained
        self._wait()
        return (time.perf_counter_ns() - began) // steps

    def _wait(self) -> None:
        if self._is_cuda:
            torch.cuda.synchronize()


def _window(logdir: Path, spool: Path, destination: Path) -> Path:
    """The recorded window with the hook's facts; taken from the spool where it could not be published."""
    for published in logdir.glob("*.trace.json.gz"):
        return published.replace(destination)
    spooled = next(spool.rglob("*.pt.trace.json"), None)
    if spooled is None:
        raise TbprofError(f"the hook left no window of this program beneath {spool}: its log says why")
    facts = spooled.with_name(spooled.name.replace(".pt.trace.json", ".facts.json"))
    merge_facts(spooled, destination, facts.read_bytes())
    return destination
