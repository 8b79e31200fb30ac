"""One step after a window in which every storage is followed: in no time, and in a file of its own.

Files of memory beside the windows of a run: each appears whole, and there are never many.

Windows are limited where they are published, and these files with them. A run that fails before it has any
publishes nothing, and one that is started again and again fails as often.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from tbprof.file_names import MEMORY_STEP_SNAPSHOT_SUFFIX, MEMORY_STEP_SUFFIX, PIN_NAME
from tbprof.hook.memory.allocator_snapshot import AllocatorHistory, watch_allocations
from tbprof.hook.memory.blocks import Log, Peak, peak_of
from tbprof.hook.memory.followed_storages import StorageFollower
from tbprof.hook.memory.live_tensors import KnownTensors
from tbprof.hook.safety.compiled_code import TRACING, CallWatch, CompilationWatch, has_compiled_code
from tbprof.hook.safety.guard import let_through
from tbprof.hook.safety.modes import unseen_by_modes
from tbprof.hook.safety.operators import (
    can_see_operators,
    leave_operators,
    operators_unseen,
    see_operators,
)
from tbprof.hook.safety.program_values import class_name
from tbprof.model import MemoryStep, OutOfMemory
from tbprof.process.beside import within
from tbprof.safe_open import replace_whole

logger = logging.getLogger("tbprof")

_SCHEMA = 1
_MOST_TRIES = 20
"""Steps that may begin where none can be followed, before that is said."""
_COMPILED = "the program compiles its code; storages can't be followed in what is compiled."
_INSIDE = (
    "step() was called inside torch.inference_mode(), a backward pass or a functorch transform each time; "
    "call it after that."
)
_MOST_SNAPSHOTS = 3
"""The most snapshots of a worker: each may have 32 MiB."""
_PATIENCE_S = 5.0
"""For a log directory that may not answer."""


_BEFORE: list[Callable[..., None]] = []
"""Called before an optimizer's step, while a step is followed."""
_AFTER: list[Callable[..., None]] = []


def _take_out(hooks: dict[int, Callable[..., Any]], ours: Callable[..., None]) -> None:
    for key in [key for key, hook in tuple(hooks.items()) if hook is ours]:
        hooks.pop(key, None)


def watch_optimizers() -> None:
    """Have torch tell of optimizers' steps, once in a process and while none steps.

    A step of the hook may come out of such a call of torch's, in which no other one can be asked for: torch
    is going through them.
    """
    for hooks, register, tell in _OPTIMIZER_HOOKS:
        if not any(hook is tell for hook in tuple(hooks.values())):
            register(tell)


def _tell(given: list[Callable[..., None]], *of: Any) -> None:
    for note in tuple(given):
        note(*of)


def leave_optimizers() -> None:
    """Have torch tell of nothing any more, where it is not going through these calls."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == optimizers.__file__:
            return
        frame = frame.f_back
    for hooks, _, tell in _OPTIMIZER_HOOKS:
        _take_out(hooks, tell)


_OPTIMIZER_HOOKS: tuple[tuple[dict[int, Any], Callable[..., Any], Callable[..., None]], ...] = (
    (
        optimizers._global_optimizer_pre_hooks,
        optimizers.register_optimizer_step_pre_hook,
        partial(_tell, _BEFORE),
    ),
    (
        optimizers._global_optimizer_post_hooks,
        optimizers.register_optimizer_step_post_hook,
        partial(_tell, _AFTER),
    ),
)


class MemoryRecorder:
    """Follows one step after the other; all calls but `abandon` must come from the training's thread."""

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        if is_wanted:
            watch_optimizers()
        self._follower: StorageFollower | None = None
        self._known: KnownTensors | None = None
        self._undo: list[Callable[[], None]] = []
        """What takes back what torch was given, the latest last. Each may be called again."""
        self._step = self._thread = 0
        self._was_refused = False
        self.is_waiting = False
        """Whether the next step is to be followed, since this one could not be."""
        self._tries = 0
        self._history = AllocatorHistory()
        self.snapshot: bytes | None = None
        """The snapshot of a GPU's allocator at the end of the latest step, with the history of that step."""

    @property
    def is_recording(self) -> bool:
        """Whether a step is being followed."""
        return self._follower is not None

    def begin(self, steps_taken: int) -> None:
        """A step begins; it is followed if that was asked for and can be done."""
        if not self._is_wanted or self._has_to_wait():
            return
        try:
            self._begin(steps_taken)
        except Exception as error:  # noqa: BLE001 - what is optional ends nothing else
            self._lose(error)

    def after_step(self, worker: str) -> MemoryStep | None:
        """It is over; what is known of it."""
        follower, known, self.snapshot = self._follower, self._known, None
        if follower is None or known is None:
            return None
        try:
            leave_operators(follower.note)
            follower.note_ends()
            known.say_to(follower)
            log = follower.log
            # What a later event of a storage says belongs to no step.
            log.is_open, was_open = False, log.is_open
            if follower.fault is not None:
                self._lose(follower.fault)
                return None
            peak = peak_of(log) if was_open or not log.is_whole else None
            if peak is None:
                return None
            device = torch.device(peak.device)
            if device.type == "cuda":
                self.snapshot = self._history.end(device.index or 0)
            return _memory_step(peak, log, worker, self._step, is_whole=log.is_whole and known.is_whole)
        except Exception as error:  # noqa: BLE001 - what is optional ends nothing else
            self._lose(error)
            return None
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Follow nothing more, and keep nothing; from whatever thread."""
        # Left before it is forgotten: what a signal handler of the program raises here ends this call, and
        # the next one goes on.
        if self._follower is not None:
            self._follower.log.is_open = False
            leave_operators(self._follower.note)
            self._follower.forget()
        self.is_waiting = False
        while self._undo:
            # What a handler raises may come within: until it is done, the next call does it again.
            for undo in self._undo[-1:]:
                undo()
                with contextlib.suppress(ValueError):
                    self._undo.remove(undo)
        self._history.abandon()
        self._follower = self._known = None

    def _begin(self, steps_taken: int) -> None:
        known = None if has_compiled_code() else KnownTensors()
        if known is None or known.has_compiled_module:
            self._say_that_none_is_followed(_COMPILED)
            return
        follower = StorageFollower()
        known.say_to(follower, all_tensors=True)
        follower.log.begin()
        self._follower, self._known, self._step, self._thread = follower, known, steps_taken, get_ident()
        # Each is to be taken back before it is there: a handler of the program may raise in between.
        for hooks, register, note in (
            (modules._global_forward_pre_hooks, modules.register_module_forward_pre_hook, self._enter_module),
            (modules._global_forward_hooks, modules.register_module_forward_hook, self._leave_module),
        ):
            called = self._guarded(note)
            self._undo.append(partial(_take_out, hooks, called))
            register(called)
        for notes, note_step in ((_BEFORE, self._before_optimizer), (_AFTER, self._after_optimizer)):
            self._undo.append(notes.clear)
            notes.append(self._guarded(note_step))
        compilations = CompilationWatch(self._make_way)
        self._undo.append(compilations.stop)
        compilations.look()
        traces = CallWatch(lambda *_: operators_unseen(), *TRACING)
        swaps = CallWatch(self._without_weak_references, (torch.utils, "swap_tensors"))
        for calls in (traces, swaps):
            self._undo.append(calls.end)
            calls.begin()
        watch_allocations()
        self._history.begin()
        see_operators(follower.note)

    def _has_to_wait(self) -> bool:
        """Whether the step begins where none can be followed, so that another one is."""
        self.is_waiting = not can_see_operators()
        self._tries = self._tries + 1 if self.is_waiting else 0
        if self._tries < _MOST_TRIES:
            return self.is_waiting
        self.is_waiting, self._tries = False, 0
        self._say_that_none_is_followed(_INSIDE)
        return True

    def _say_that_none_is_followed(self, why: str) -> None:
        """Once, as somebody asked for it."""
        if not self._was_refused:
            self._was_refused = True
            logger.warning("What holds memory is not recorded (memory=True): %s", why)

    def _guarded(self, note: Callable[..., None]) -> Callable[..., None]:
        """A hook of torch's that hands `note` what is followed before what torch hands it."""

        def called(*given: Any) -> None:
            follower, known = self._follower, self._known
            if follower is None or known is None or not follower.log.is_open or get_ident() != self._thread:
                return
            try:
                with unseen_by_modes(), operators_unseen():
                    note(follower, known, *given)
            except Exception as fault:  # noqa: BLE001 - the border to the user's training
                let_through(fault)
                follower.fault, follower.log.is_open = fault.with_traceback(None), False

        return called

    @staticmethod
    def _enter_module(follower: StorageFollower, known: KnownTensors, module: nn.Module, given: Any) -> None:
        if not follower.modules:
            follower.give(given)
        follower.log.call()
        follower.modules.append(known.names.get(id(module)) or class_name(module))

    @staticmethod
    def _leave_module(follower: StorageFollower, known: KnownTensors, module: nn.Module, *_: Any) -> None:
        name = known.names.get(id(module)) or class_name(module)
        # One whose forward raised was not left.
        while follower.modules and follower.modules.pop() != name:
            pass

    @staticmethod
    def _before_optimizer(follower: StorageFollower, known: KnownTensors, optimizer: Any, *_: Any) -> None:
        follower.note_ends()
        follower.is_optimizing = True
        known.say_of(optimizer, follower)

    @staticmethod
    def _after_optimizer(follower: StorageFollower, known: KnownTensors, optimizer: Any, *_: Any) -> None:
        follower.is_optimizing = False
        known.say_of(optimizer, follower)

    def _make_way(self) -> None:
        """A function is about to be compiled, on whatever thread: the step is no longer whole."""
        if self._follower is not None:
            self._follower.log.is_open = False
            leave_operators(self._follower.note)

    @contextlib.contextmanager
    def _without_weak_references(self, *tensors: object) -> Iterator[None]:
        """Torch swaps none that is followed by itself: the step is no longer whole."""
        if self._follower is not None and self._follower.holds(*tensors):
            self._make_way()
            self._follower.forget()
        yield

    def _lose(self, error: Exception) -> None:
        let_through(error)
        self.abandon()
        logger.warning("What holds memory was not recorded after a window: %s", error)


def write_memory_step(
    found: MemoryStep, logdir: Path, stem: str, kept: int, snapshot: bytes | None = None
) -> Path:
    """Leave it in the run's folder, whole or not at all, as the newest of at most `kept` of its worker.

    Args:
        found: What the file is to say.
        logdir: The run's folder.
        stem: `<worker>.<time>`, of its window where it lies after one.
        kept: Most such files, unless the run is pinned.
        snapshot: Of the allocator of a GPU, to lie beside it.

    Raises:
        OSError: It could not be written.
    """
    path = logdir / f"{stem}{MEMORY_STEP_SUFFIX}"
    within(_PATIENCE_S, partial(leave_file, found, path, kept, of_all_workers=False))
    if snapshot is not None:
        beside = logdir / f"{stem}{MEMORY_STEP_SNAPSHOT_SUFFIX}"
        most = min(kept, _MOST_SNAPSHOTS)
        within(_PATIENCE_S, partial(leave_file, snapshot, beside, most, of_all_workers=False))
    return path


def _memory_step(peak: Peak, log: Log, worker: str, step: int, *, is_whole: bool) -> MemoryStep:
    began_ns = log.times_ns[0]
    is_host = peak.device == "cpu"
    return MemoryStep(
        schema=_SCHEMA,
        worker=worker,
        step=step,
        device="CPU" if is_host else f"GPU {torch.device(peak.device).index or 0}",
        peak_bytes=peak.bytes,
        peak_us=(peak.ns - began_ns) / 1e3,
        phase=peak.phase or "forward",
        kinds=tuple(peak.kinds.items()),
        modules=tuple(peak.modules.items()),
        lines=tuple(peak.lines.items()),
        curve=tuple(((point[0] - began_ns) / 1e3, *point[1:]) for point in peak.curve),
        cached_bytes=None if is_host else _cached_bytes(torch.device(peak.device)),
        is_whole=is_whole,
        cached_curve=None if peak.cached is None else tuple(peak.cached),
        cached_at_peak_bytes=peak.cached_bytes,
    )


def _cached_bytes(device: torch.device) -> int | None:
    if device.type != "cuda":
        return None
    return int(torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))


def leave_file(
    found: MemoryStep | OutOfMemory | bytes, path: Path, kept: int, *, of_all_workers: bool
) -> None:
    """Write it, whole or not at all, and keep no more than so many of its kind, of which it is the newest.

    Args:
        found: What the file is to say, or holds as it is.
        path: `<worker>.<time>` and the suffix of its kind.
        kept: Most files of that kind, unless the run is pinned.
        of_all_workers: Whether those of other workers count.

    Raises:
        OSError: It could not be written.
    """
    content = found if isinstance(found, bytes) else json.dumps(dataclasses.asdict(found)).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_whole(path, content)
    with contextlib.suppress(OSError):
        if not (path.parent / PIN_NAME).exists():
            for older in _like_it(path, of_all_workers=of_all_workers)[:-kept]:
                older.unlink(missing_ok=True)


def _like_it(path: Path, *, of_all_workers: bool) -> list[Path]:
    """The files of the same kind, the oldest first."""
    worker, _, suffix = path.name.split(".", 2)
    found = []
    for other in path.parent.iterdir():
        named, _, rest = other.name.partition(".")
        time, _, kind = rest.partition(".")
        if kind == suffix and time.isdecimal() and (of_all_workers or named == worker):
            found.append((int(time), other))
    return [other for _, other in sorted(found)]
