"""Switches that decide how fast a step can be: those of torch, and variables of the environment."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from tbprof.hook.safety.missing_facts import MissingFacts
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
        "cudnn.version": lambda: cudnn.version() if cudnn.is_available() else None,
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
