"""How a program ended, in one word and one sentence."""

from __future__ import annotations

import re

from tbprof.errors import NotSupported
from tbprof.preflight import mode
from tbprof.preflight.prediction import Ending

__all__ = ["ending_of"]

_NO_KERNEL = re.compile(
    r"not implemented for|Could not run '(?P<op>[\w:.]+)'|No (?:operator|kernel)|not compiled with CUDA"
    r"|no kernel image|Torch not compiled"
)
_GPU_PACKAGES = frozenset({"triton", "flash_attn", "bitsandbytes", "apex", "transformer_engine", "xformers"})


def ending_of(error: BaseException | None) -> tuple[Ending, str]:
    """What became of a program that ended by itself; `error` is what it raised."""
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return "finished", ""
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    if isinstance(error, NotSupported):
        return "not_supported", str(error)
    missing = (error.name or "").split(".")[0] if isinstance(error, ImportError) else ""
    if missing in _GPU_PACKAGES:
        return "not_supported", (
            f"the program needs {missing}, which runs on a GPU alone: turn it off for this run, or put "
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
