"""What a program leaves in its process, as far as it can see it."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from seen_values import digest, random_states
from torch import nn
from torch.optim import optimizer as optimizers
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

_CHANGING = ("TBPROF_SPOOL", "XDG_CACHE_HOME", "PWD", "PYTEST_")
"""Variables that differ from run to run by themselves."""

_PATCHED = (
    torch,
    torch.Tensor,
    torch.nn.functional,
    nn.Module,
    torch.optim.Optimizer,
    torch.cuda,
    torch.linalg,
)
"""Where a tool might put functions of its own."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

Visible = dict[str, object]


def visible() -> Visible:
    """What is there now."""
    return {f"{owner.__name__}.{name}": value for owner in _PATCHED for name, value in vars(owner).items()}


def left_of(before: Visible) -> dict[str, object]:
    """All that is not as it was, and what is never looked at in numbers."""
    now = visible()
    found: dict[str, object] = {name: _ADDRESS.sub("", str(ask())) for name, ask in _ASKED.items()}
    found["patched"] = digest(
        sorted(name for name in {*before, *now} if before.get(name) is not now.get(name))
    )
    found["random"] = random_states()
    return found


def _threads() -> list[str]:
    _settle(lambda: threading.active_count() == 1)
    return sorted(thread.name for thread in threading.enumerate())


def _children() -> int:
    """Those that have not ended, or that nobody has waited for."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    _settle(lambda: not children.read_text())
    return len(children.read_text().split())


def _settle(is_settled: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 1
    while not is_settled() and time.monotonic() < deadline:
        time.sleep(0.01)


def _descriptors() -> list[str]:
    folder = Path("/proc/self/fd")
    targets = (str(path.readlink()) for path in folder.iterdir() if path.is_symlink())
    return sorted(target for target in targets if not target.endswith("/fd") and "/proc/" not in target)


_ASKED: dict[str, Callable[[], object]] = {
    "autocast": lambda: (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")),
    "call of modules": lambda: nn.Module.__call__ is nn.Module._wrapped_call_impl,
    "children": _children,
    "counts of Dynamo": lambda: sorted(getattr(sys.modules.get("torch._dynamo.utils"), "counters", ())),
    "collector": lambda: (gc.isenabled(), gc.get_threshold(), len(gc.callbacks), gc.get_debug()),
    "default device": torch.get_default_device,
    "default type": torch.get_default_dtype,
    "deterministic": torch.are_deterministic_algorithms_enabled,
    "dispatch modes": lambda: len(_get_current_dispatch_mode_stack()),
    "function modes": torch._C._len_torch_function_stack,
    "functions enabled": torch._C._is_torch_function_enabled,
    "grad": lambda: (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
    "hooks of modules": lambda: [
        len(getattr(nn.modules.module, name))
        for name in dir(nn.modules.module)
        if name.startswith("_global_") and hasattr(getattr(nn.modules.module, name), "__len__")
    ],
    "hooks of optimizers": lambda: (
        len(optimizers._global_optimizer_pre_hooks),
        len(optimizers._global_optimizer_post_hooks),
    ),
    "log levels": lambda: (logging.root.level, logging.root.handlers, logging.lastResort),
    "profiler": torch.autograd._profiler_enabled,
    "setprofile": sys.getprofile,
    "settrace": sys.gettrace,
    "signals": lambda: [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "sigmask": lambda: sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "threads": _threads,
    "threads of torch": lambda: (torch.get_num_threads(), torch.get_num_interop_threads()),
    "timers": lambda: [signal.getitimer(kind) for kind in (signal.ITIMER_REAL, signal.ITIMER_PROF)],
    "umask": lambda: (mask := os.umask(0o022), os.umask(mask))[0],
    "unraisable": lambda: (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.displayhook),
    "variables": lambda: digest({k: v for k, v in os.environ.items() if not k.startswith(_CHANGING)}),
    "warnings": lambda: (warnings.filters, warnings.showwarning),
    "recursion": sys.getrecursionlimit,
    "switches": sys.getswitchinterval,
}
