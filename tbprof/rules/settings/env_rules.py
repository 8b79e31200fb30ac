"""Rules about switches of torch and variables of the environment that the hook recorded.

Each is a function, named after its code and name, whose docstring is the rule's page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Severity
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import HOOK, LooksAt, Rule
from tbprof.rules.settings.words import (
    AnomalyMode,
    Deterministic,
    HostThreads,
    LaunchBlocking,
    MemoryCaching,
    NcclDebug,
    Setting,
    Settings,
    Tracers,
)

_SWITCHES = ("deterministic_algorithms", "cudnn.deterministic")
_LEAST_CORES = 4
"""Fewer are no machine on which more threads help."""
_VERBOSE = ("INFO", "TRACE")
_VARIABLES = ("CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL")

_UNMEASURED = "only a recording with the other setting tells what it costs"


def _settings(facts: Facts) -> Mapping[str, str]:
    """The settings by torch's names, as text; none without the hook."""
    return {} if facts.trace.facts is None else facts.trace.facts.settings


def _device_variables(facts: Facts) -> Mapping[str, str]:
    """The variables of the environment that are set and concern a device; none without the hook or a
    device.
    """
    if facts.trace.facts is None or not facts.work.devices:
        return {}
    return facts.trace.facts.environment


def _finding(rule: str, name: str, value: str, *, severity: Severity = "low") -> Finding:
    """A finding about a switch that stands as it should not; nothing in the trace says what that costs."""
    return window_finding(
        rule,
        place=name,
        severity=severity,
        count=1,
        removal="rewrite",
        saving=None,
        confidence="high",
        evidence=(),
        figures=Setting(name, value),
    )


def _as_it_should_be(read: Callable[[Facts], Mapping[str, str]], record: type[Settings]) -> LooksAt:
    """The switches that were looked at, with how they stand; nothing to judge where none of them is known."""

    def looked_at(facts: Facts) -> Settings | None:
        known = read(facts)
        if read is _device_variables:
            unset = dict.fromkeys(record.names(), "not set")
            return record.of({**unset, **known}) if facts.work.devices else None
        return record.of(known) if any(name in known for name in record.names()) else None

    return looked_at


def env01_deterministic_algorithms(facts: Facts) -> Iterator[Finding]:
    """Deterministic algorithms are on.

    What
        The program asks torch or cuDNN for algorithms that give the same result each time, to the last bit.

    Why
        For many ops the fastest algorithm adds in any order. Without it sums, scatters and the backward pass
        of convolutions take slower ways, some of them several times as slow.

    Example
        before:
            torch.use_deterministic_algorithms(True)
        after:
            torch.use_deterministic_algorithms(args.debug)

    Action
        Turn deterministic algorithms off once nothing is debugged.

    Fix
        Leave `torch.use_deterministic_algorithms` and `torch.backends.cudnn.deterministic` off, but for tests
        and for hunting a fault.
        caveat: seeds alone then give results that are equal but for rounding.

    Silent
        Not reported if the hook did not record the window.
    """
    on = [name for name in _SWITCHES if _settings(facts).get(name) == "True"]
    if on:
        yield _finding("ENV01", on[0], "on")


def env02_anomaly_mode(facts: Facts) -> Iterator[Finding]:
    """Anomaly detection is on.

    What
        Autograd checks each gradient for NaN, and keeps a stack of Python for each op of the forward pass.

    Why
        Each check reads a number from the device, and each stack takes the host longer than the launch
        itself. A training with it takes a multiple of the time.

    Example
        before:
            torch.autograd.set_detect_anomaly(True)
        after:
            torch.autograd.set_detect_anomaly(args.debug)

    Action
        Turn anomaly detection off.

    Fix
        Use `torch.autograd.detect_anomaly()` around the steps that are looked into, and nowhere else.
        caveat: without it a NaN shows only in the loss.

    Silent
        Not reported if the hook did not record the window. SYN12 reports the waits that it causes.
    """
    if _settings(facts).get("anomaly_mode") == "True":
        yield _finding("ENV02", "anomaly_mode", "on", severity="medium")


def env03_few_host_threads(facts: Facts) -> Iterator[Finding]:
    """Torch computes with one thread of the host.

    What
        The program computes on the CPU, the machine has several cores, and torch uses one of them.

    Why
        Ops of the CPU are split over threads. A launcher that starts several processes, such as torchrun,
        sets OMP_NUM_THREADS to 1 so that they do not crowd each other, and nobody sets it back.

    Example
        before:
            os.environ['OMP_NUM_THREADS'] = '1'
        after:
            os.environ['OMP_NUM_THREADS'] = str(cores_of_this_process)

    Action
        Set OMP_NUM_THREADS to the cores of this process.

    Fix
        Set `OMP_NUM_THREADS`, or call `torch.set_num_threads`, with the machine's cores divided by its
        processes.
        caveat: more threads than cores make all of them slower.

    Silent
        Not reported with a device, on machines of fewer than four cores, or if the hook did not record the
        window.
    """
    known = _settings(facts)
    threads, cores = known.get("num_threads", ""), known.get("cpu_count", "")
    if threads == "1" and cores.isdecimal() and int(cores) >= _LEAST_CORES and _is_no_device_awaited(facts):
        yield _finding("ENV03", "num_threads", f"1, on {cores} cores")


def _is_no_device_awaited(facts: Facts) -> bool:
    """Where a device computes, one thread is enough to launch for it."""
    return not facts.work.devices


def env04_verbose_communication(facts: Facts) -> Iterator[Finding]:
    """The communication library writes a log.

    What
        NCCL_DEBUG is INFO or TRACE.

    Why
        Every rank writes lines for each communicator, and with TRACE for each collective, to the terminal or
        a shared file system.

    Example
        before:
            os.environ['NCCL_DEBUG'] = 'INFO'
        after:
            os.environ['NCCL_DEBUG'] = 'WARN'

    Action
        Set NCCL_DEBUG to WARN.

    Fix
        Leave `NCCL_DEBUG` unset or at `WARN`, and raise it while a fault of the network is looked for.
        caveat: warnings stay visible with WARN.

    Silent
        Not reported without a GPU, or if the hook did not record the window.
    """
    level = _device_variables(facts).get("NCCL_DEBUG", "").upper()
    if level in _VERBOSE:
        yield _finding("ENV04", "NCCL_DEBUG", level)


def env05_no_memory_caching(facts: Facts) -> Iterator[Finding]:
    """The allocator's cache is off.

    What
        PYTORCH_NO_CUDA_MEMORY_CACHING is set: each tensor is allocated by the driver and freed again.

    Why
        The driver takes long to allocate, and freeing waits for the whole device. A step allocates some
        thousand tensors.

    Example
        before:
            os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] = '1'
        after:
            os.environ.pop('PYTORCH_NO_CUDA_MEMORY_CACHING', None)

    Action
        Turn the caching allocator on again.

    Fix
        Unset PYTORCH_NO_CUDA_MEMORY_CACHING, and on ROCm PYTORCH_NO_HIP_MEMORY_CACHING too; they are for
        tools that look for faults of memory. An allocator of your own needs a cache of its own.
        caveat: with the cache more memory stays reserved than is in use.

    Silent
        Not reported without a GPU, or if the hook did not record the window.
    """
    value = _device_variables(facts).get("PYTORCH_NO_CUDA_MEMORY_CACHING", "")
    if value not in ("", "0"):
        yield _finding("ENV05", "PYTORCH_NO_CUDA_MEMORY_CACHING", value, severity="medium")


def env06_launch_blocking_set(facts: Facts) -> Iterator[Finding]:
    """Launches are set to wait for their kernels.

    What
        A variable of the environment makes every launch wait until its kernel is done.

    Why
        The host can't run ahead of the device any more: each kernel waits for its launch, and nothing
        overlaps. It is meant for finding the op that fails.

    Example
        before:
            os.environ['CUDA_LAUNCH_BLOCKING'] = '1'
        after:
            os.environ.pop('CUDA_LAUNCH_BLOCKING', None)

    Action
        Unset the variable once the failing op is found.

    Fix
        Unset it in the shell, the job's script and the notebook.
        caveat: without it, an error of a kernel is reported by a later op.

    Silent
        Not reported without a GPU, or if the hook did not record the window. SYN11 reports the waits
        themselves in any trace.
    """
    for name in _VARIABLES:
        value = _device_variables(facts).get(name, "")
        if value not in ("", "0"):
            yield _finding("ENV06", name, value, severity="medium")
            return


def env07_tracer_left_on(facts: Facts) -> Iterator[Finding]:
    """A tracer or a recording of memory is left on.

    What
        A debugger, a coverage tool or a Python profiler watches the program's Python, or torch notes the
        stack of each allocation.

    Why
        Python's part of a step takes a multiple of the time under a tracer, and the device waits for it. A
        stack for each allocation costs some microseconds at each of them, and memory as long as it is on.

    Example
        before:
            torch.cuda.memory._record_memory_history()
            train()
        after:
            torch.cuda.memory._record_memory_history()
            train(steps=3)
            torch.cuda.memory._record_memory_history(enabled=None)

    Action
        Turn it off for trainings that are to be fast.

    Fix
        Start the program without the debugger or the coverage tool, and end a recording once it has served.
        caveat: figures that were recorded under a tracer show the host as slower than it is.

    Silent
        Not reported if the hook did not record the window. TRC02 reports whether torch's own profiler slows
        the steps.
    """
    known = _settings(facts)
    tracer = known.get("python_tracer", "none")
    if tracer != "none":
        yield _finding("ENV07", "python_tracer", tracer)
    if known.get("memory_history") == "True":
        yield _finding("ENV07", "memory_history", "on")


def _rule(
    find: Callable[[Facts], Iterator[Finding]],
    read: Callable[[Facts], Mapping[str, str]],
    record: type[Settings],
) -> Rule:
    return Rule(
        code=find.__name__[:5].upper(),
        find=find,
        passing=_as_it_should_be(read, record),
        needs=(HOOK,),
        no_saving=_UNMEASURED,
    )


RULES = tuple(
    _rule(find, read, record)
    for find, read, record in (
        (env01_deterministic_algorithms, _settings, Deterministic),
        (env02_anomaly_mode, _settings, AnomalyMode),
        (env03_few_host_threads, _settings, HostThreads),
        (env04_verbose_communication, _device_variables, NcclDebug),
        (env05_no_memory_caching, _device_variables, MemoryCaching),
        (env06_launch_blocking_set, _device_variables, LaunchBlocking),
        (env07_tracer_left_on, _settings, Tracers),
    )
)
