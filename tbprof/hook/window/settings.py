"""Switches that decide how fast a step can be: those of torch, and variables of the environment.

What torch.compile has compiled, broken and compiled again, from its own records.

Nothing here loads the compiler, which takes seconds: only what is loaded is asked. Its records are no
part of torch's interface, so that each is asked for in a way that a missing one is an empty one.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

from tbprof.hook.audit.call_log import is_own_file, is_users_file
from tbprof.hook.audit.source_text import trace_file_name
from tbprof.hook.safety.compiled_code import dynamo_counts
from tbprof.hook.safety.guard import MissingFacts
from tbprof.model import CompilerFacts, GraphBreak, Recompilation
from tbprof.safe_open import content_within

_VARIABLES = (
    *("CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_VISIBLE_DEVICES"),
    *("HIP_LAUNCH_BLOCKING", "HIP_VISIBLE_DEVICES", "AMD_SERIALIZE_KERNEL", "TEARDOWN_CUPTI"),
    *("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"),
    *("PYTORCH_NO_CUDA_MEMORY_CACHING", "TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"),
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
)
_PREFIXES = ("NCCL_", "TORCH_NCCL_", "RCCL_")

_TOOLS = 6
"""Places for tools that `sys.monitoring` has."""

_MOST_GIT_BYTES = 16 * 1024 * 1024
_REFERENCES = 4
"""Symbolic references of git that are followed; HEAD is one."""


def _platform() -> str:
    """System, release, machine and C library; `platform.platform()` would start a process to ask for more."""
    parts = [platform.system(), platform.release(), platform.machine()]
    library = "".join(platform.libc_ver())
    return "-".join([*parts, *(["with", library] if library else [])])


def settings(missing: MissingFacts) -> dict[str, str]:
    """Torch's switches under torch's names, as text; on ROCm, `cudnn` is MIOpen.

    One that torch refuses to tell (it does where a program sets precision the old way and the new
    way) is missing as `settings.<name>`.
    """
    cudnn = torch.backends.cudnn
    questions: dict[str, Callable[[], object]] = {
        "python": platform.python_version,
        "platform": _platform,
        "float32_matmul_precision": torch.get_float32_matmul_precision,
        "fp32_precision": lambda: getattr(torch.backends.cuda.matmul, "fp32_precision", None),
        "cudnn.version": _cudnn_version,
        "cudnn.enabled": lambda: cudnn.enabled,
        "cudnn.benchmark": lambda: cudnn.benchmark,
        "cudnn.deterministic": lambda: cudnn.deterministic,
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled,
        "anomaly_mode": torch.is_anomaly_enabled,
        "python_tracer": _python_tracer,
        "memory_history": _memory_history,
        "num_threads": torch.get_num_threads,
        "cpu_count": os.cpu_count,
    }
    values = {name: missing.ask(f"settings.{name}", ask, None) for name, ask in questions.items()}
    return {name: str(value) for name, value in values.items() if value is not None}


def _python_tracer() -> str:
    """The module of what watches this thread's Python code; "none" where nothing does."""
    watching = (sys.gettrace(), sys.getprofile(), *_monitoring_tools())
    found = next((one for one in watching if one is not None), None)
    if found is None or isinstance(found, str):
        return found or "none"
    # Those that are written in C are objects, whose class has a module.
    return str(getattr(found, "__module__", None) or type(found).__module__)


def _monitoring_tools() -> list[str | None]:
    """Names of the tools that have registered with Python 3.12 and later."""
    monitoring = getattr(sys, "monitoring", None)
    return [] if monitoring is None else [monitoring.get_tool(number) for number in range(_TOOLS)]


def _cudnn_version() -> int | None:
    """None where CUDA is not in use: torch begins to use every GPU of the machine to answer that."""
    cudnn = torch.backends.cudnn
    version: int | None = cudnn.version() if torch.cuda.is_initialized() and cudnn.is_available() else None
    return version


def _memory_history() -> bool | None:
    """Whether torch notes a stack for each allocation on CUDA; None where it can't say."""
    is_enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
    return bool(is_enabled()) if is_enabled is not None and torch.cuda.is_initialized() else None


def environment() -> dict[str, str]:
    """The variables that change how a device, its memory and its communication are driven, where set."""
    chosen = {name for name in os.environ if name in _VARIABLES or name.startswith(_PREFIXES)}
    return {name: os.environ[name] for name in sorted(chosen)}


def git_commit(folder: Path) -> str | None:
    """The commit of the checkout around `folder`, read from git's files; None outside one."""
    for place in (folder, *folder.parents):
        try:
            if (place / ".git").exists():
                return _commit_of(place / ".git")
        except (OSError, UnicodeDecodeError):
            return None
    return None


def _commit_of(git: Path) -> str | None:
    if git.is_file():
        # A worktree or a submodule: the file says where the real folder is.
        git = (git.parent / _text(git).removeprefix("gitdir:").strip()).resolve()
    common = git / "commondir"
    shared = (git / _text(common).strip()).resolve() if common.exists() else git
    reference = _text(git / "HEAD").strip()
    for _ in range(_REFERENCES):
        if not reference.startswith("ref:"):
            return reference
        name = reference.removeprefix("ref:").strip()
        reference = _value_of(name, git, shared)
    return None


def _value_of(name: str, git: Path, shared: Path) -> str:
    """What a reference says, loose or packed; a branch without a commit names itself for ever."""
    for folder in (git, shared):
        if (folder / name).exists():
            return _text(folder / name).strip()
    packed = shared / "packed-refs"
    for line in _text(packed).splitlines() if packed.exists() else ():
        commit, _, packed_name = line.partition(" ")
        if packed_name == name:
            return commit
    return f"ref: {name}"


def _text(file: Path) -> str:
    """A checkout may be shared: what is in it is read as what lies in a log directory is."""
    return content_within(file, _MOST_GIT_BYTES).decode("utf-8")


MOST_OF_EACH = 16
MOST_RECORDS = 10_000
"""The most records, of which the latest are looked at: torch keeps the breaks of all compilations."""
LONGEST_REASON = 200

_GIVEN_UP = "recompile limit exceeded"
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(?P<function>.+)_at_\d+$")
_EXPLANATION = "Explanation:"
_JUMP = "generic_jump"


def compiler_facts() -> CompilerFacts | None:
    """Since the program began; None where nothing was compiled."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    if not dynamo_counts("frames")["total"]:
        return None
    metrics = _metrics(dynamo)
    return CompilerFacts(
        graphs=dynamo_counts("stats")["unique_graphs"],
        operations=dynamo_counts("stats")["calls_captured"],
        breaks=_breaks(getattr(dynamo, "graph_break_reasons", [])[-MOST_RECORDS:]),
        recompilations=_recompilations(metrics),
        given_up=_distinct(_latest_reason(one) for one in metrics if _GIVEN_UP in _field(one, "fail_reason")),
        cudagraph_skips=dynamo_counts("inductor")["cudagraph_skips"],
        cudagraph_reasons=_distinct(_reason(_field(one, "cudagraph_skip_reason")) for one in metrics),
    )


def _metrics(dynamo: Any) -> list[Any]:
    """One record a compilation, the latest 64 of them."""
    ask = getattr(dynamo, "get_compilation_metrics", None)
    return list(ask()) if ask is not None else []


def _breaks(records: Iterable[Any]) -> tuple[GraphBreak, ...]:
    """One a line: it breaks first in what holds it, and then by itself, for two reasons that are one."""
    found: Counter[tuple[str, int, str]] = Counter()
    reasons: dict[tuple[str, int, str], str] = {}
    for record in records:
        frame = _blamed(record.user_stack) if record.graph_break else None
        if frame is not None:
            place = (trace_file_name(frame.filename), frame.lineno or 0, _function(frame.name))
            reason = reasons.setdefault(place, _reason(str(record.reason)))
            found[place] += reason == _reason(str(record.reason))
    return tuple(
        GraphBreak(*place, reasons[place], count) for place, count in found.most_common(MOST_OF_EACH)
    )


def _blamed(stack: Iterable[Any]) -> Any:
    """The innermost frame of the user's own code, else of a library's, but never torch's or the hook's."""
    inwards = list(stack)[::-1]
    own = (frame for frame in inwards if is_own_file(frame.filename))
    users = (frame for frame in inwards if is_users_file(frame.filename))
    return next(own, None) or next(users, None)


def _recompilations(metrics: Iterable[Any]) -> tuple[Recompilation, ...]:
    found: dict[tuple[str, int, str], Recompilation] = {}
    for one in metrics:
        file = _field(one, "co_filename")
        reason = _latest_reason(one)
        if not reason or not file or not is_users_file(file):
            continue
        line, took_s = (
            getattr(one, name, None) or 0 for name in ("co_firstlineno", "entire_frame_compile_time_s")
        )
        place = (trace_file_name(file), int(line), _function(_field(one, "co_name")))
        took_ns = round(took_s * 1e9)
        before = found.get(place)
        count, spent_ns = (0, 0) if before is None else (before.count, before.compile_ns)
        found[place] = Recompilation(*place, reason, count + 1, spent_ns + took_ns)
    return tuple(sorted(found.values(), key=lambda one: -one.count))[:MOST_OF_EACH]


def _latest_reason(metrics: Any) -> str:
    """Such as `tensor 'x' size mismatch at index 0. expected 3, actual 4`, without its place in the cache."""
    text = _field(metrics, "recompile_reason")
    return _reason(re.sub(r"^\d+/\d+: ", "", text))


def _reason(text: str) -> str:
    """The line that explains it: torch adds hints, stacks and links, and lines of the program."""
    if text.startswith(_JUMP):
        return "the branch that is taken depends on the value of a tensor"
    lines = [line.strip() for line in text.splitlines()]
    explained = (line.removeprefix(_EXPLANATION).strip() for line in lines if line.startswith(_EXPLANATION))
    first = next(explained, lines[0] if lines else "")
    return first.partition("  # ")[0].strip()[:LONGEST_REASON]


def _function(name: str) -> str:
    """The user's, of one that dynamo made for what comes after a break."""
    resumed = _RESUMED.match(name)
    return resumed["function"] if resumed else name


def _field(record: Any, name: str) -> str:
    value = getattr(record, name, None)
    return value if isinstance(value, str) else ""


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))[:MOST_OF_EACH]
