"""What limits a step once the fix plan is done, in a sentence."""

from __future__ import annotations

from tbprof.texts.figures.quantities import duration

_LIMITS = {
    "sync": "the waits that can't simply go are the limit",
    "data": "the data loader is the limit (DAT01, DAT02)",
    "launch": "the host is the limit: it launches the GPU's work late (LCH01 to LCH03)",
    "queued": "work that was queued is the limit: another process, another rank or unrecorded work",
    "loading": "loading kernels and libraries for the first time is the limit (TRC01)",
    "staging": "copying pageable memory is the limit (CPY01)",
    "allocator": "allocating memory is the limit (MEM01, MEM02)",
    "collective": "a collective of the hosts is the limit: another rank, or the network",
    "another_device": "waiting for another GPU of the process is the limit",
    "compile": "compiling is the limit",
    "profiler": "the profiler is the limit",
    "unrecorded": "waiting for something unrecorded is the limit",
    "unknown": "a cause that is not known is the limit",
}


def limit_sentence(cause: str, limiting_us: float, step_us: float) -> str:
    """`cause` is one of idle, or `device`: of a step it is idle, or works, for `limiting_us`."""
    of_step = f"{duration(limiting_us)} of {duration(step_us)}"
    if cause == "device":
        return f"Then the GPU is the limit: it works {of_step}."
    limit = _LIMITS.get(cause, f"{cause.replace('_', ' ')} is the limit")
    return f"Then {limit}; the GPU is idle for it {of_step}."
