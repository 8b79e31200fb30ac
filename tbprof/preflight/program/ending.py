"""How a program ended, in one word and one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tbprof.errors import NotSupported
from tbprof.preflight.prediction.prediction import ENDED_WELL, Ending
from tbprof.preflight.program.child_runs import ChildRun
from tbprof.preflight.program.signals import Terminated
from tbprof.preflight.program.time_limit import OutOfTime
from tbprof.preflight.watching import mode

_NO_KERNEL = re.compile(
    r"not implemented for|Could not run '(?P<op>[\w:.]+)'|No (?:operator|kernel)|not compiled with CUDA"
    r"|no kernel image|Torch not compiled"
)
_GPU_PACKAGES = frozenset({"triton", "flash_attn", "bitsandbytes", "apex", "transformer_engine", "xformers"})


def ending_of(error: BaseException | None, *, signal: str = "") -> tuple[Ending, str]:
    """What became of a program.

    Args:
        error: What it raised.
        signal: The name of the signal that it was sent; many end as if nothing had been.
    """
    if signal and (error is None or isinstance(error, SystemExit)):
        return _interrupted(signal)
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "finished", ""
    if isinstance(error, OutOfTime):
        return "out_of_time", "the time limit was reached; --time-limit sets another"
    if isinstance(error, (KeyboardInterrupt, Terminated)):
        return _interrupted("SIGINT" if isinstance(error, KeyboardInterrupt) else "SIGTERM")
    said = _said(error)
    if isinstance(error, NotSupported):
        return "not_supported", str(error)
    missing = (error.name or "").split(".")[0] if isinstance(error, ImportError) else ""
    if missing in _GPU_PACKAGES:
        return "not_supported", (
            f"the program needs {missing}, which runs only on a GPU: turn it off for this run, or put "
            "something in place of its function with --stub"
        )
    found = _NO_KERNEL.search(str(error))
    if found is not None and isinstance(error, (NotImplementedError, RuntimeError, AssertionError)):
        op = found["op"] or mode.last_op()
        return "no_cpu_kernel", (
            f"{op} has no kernel for the CPU ({said}): leave it out for this run, or put something in its "
            "place with --stub"
        )
    return "failed", f"the program failed: {said}"


def _interrupted(signal: str) -> tuple[Ending, str]:
    asked = "Ctrl-C" if signal == "SIGINT" else signal
    return "interrupted", f"{asked} ended it; what was found until then is above"


def ending_with_children(ending: Ending, error: str, runs: Iterable[ChildRun]) -> tuple[Ending, str]:
    """The program's ending, or that of the first child that failed: its own may only say that one did.

    A parent that preflight did not stop, but the last of its children, has been stopped as well.
    """
    runs = list(runs)
    failed = [run for run in runs if run.ending not in (*ENDED_WELL, "interrupted")]
    if failed and ending in (*ENDED_WELL, "failed"):
        others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        return failed[0].ending, f"in {failed[0].name}{others}: {failed[0].error}"
    if ending in ("finished", "out_of_time") and any(run.ending == "stopped" for run in runs):
        return "stopped", ""
    return ending, error


def _said(error: BaseException) -> str:
    """The error's class and its first line; of one that quotes a traceback, the line that this ends in."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    is_quoting = any(line.startswith("Traceback (") for line in lines)
    first = "" if not lines else lines[-1] if is_quoting else lines[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
