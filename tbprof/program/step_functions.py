"""Functions whose return ends a training step, where no optimizer of torch says so.

`STEP_FUNCTIONS` names those of frameworks with optimizers of their own; a user names any other one
as `package.module:Class.method`. None is imported for it: what is named is wrapped as soon as its
module has been imported by the program.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.abc
import importlib.machinery
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType, FunctionType, ModuleType
from typing import Any

from tbprof.errors import UsageError


@dataclass(frozen=True, slots=True)
class StepFunction:
    """A function or method that is called once in each step, and returns at its end."""

    module: str
    """Its full name."""
    function: str
    """The name inside the module: `train_step`, `Trainer.train_step`."""
    framework: str = ""
    """The framework whose steps these are; empty where a user named it."""

    @classmethod
    def parse(cls, name: str) -> StepFunction:
        """The step function named `package.module:Class.method`.

        Raises:
            UsageError: it is no such name.
        """
        module, _, function = name.partition(":")
        if not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
            raise UsageError(
                f"{name!r} names no function; write package.module:function or package.module:Class.method."
            )
        return cls(module, function)

    def __str__(self) -> str:
        return f"{self.module}:{self.function}"


STEP_FUNCTIONS = (
    StepFunction("fastai.optimizer", "Optimizer.step", "fastai"),
    StepFunction("keras.src.optimizers.base_optimizer", "BaseOptimizer.apply", "Keras"),
)
"""Step functions of frameworks whose optimizers are none of torch's; fastai's wrapper of torch's optimizers
needs no row."""

After = Callable[[object], None]
"""Called with the object that made the step: what the method belongs to, or the function itself."""

Undo = Callable[[], None]


def call_after(step: StepFunction, after: After, on_missing: Callable[[str], None]) -> Undo:
    """Call `after` whenever the function has returned; not when it has raised.

    Args:
        step: what to wait for; its module may be imported at any time from now on.
        after: what to call.
        on_missing: called with a sentence where the imported module has no such function.

    Returns:
        What ends it.
    """
    undos: list[Undo] = []

    def wrap(module: ModuleType) -> None:
        try:
            undos.append(_wrap(module, step, after))
        except UsageError as error:
            on_missing(str(error))

    imported = sys.modules.get(step.module)
    if imported is None:
        finder = _Import(step.module, wrap)
        sys.meta_path.insert(0, finder)
        undos.append(finder.stop)
    else:
        wrap(imported)
    return lambda: [undo() for undo in undos].clear()


def _wrap(module: ModuleType, step: StepFunction, after: After) -> Undo:
    """Put a function in place of the one that is there.

    Raises:
        UsageError: there is none, or it can't be replaced.
    """
    *inside, name = step.function.split(".")
    try:
        owner = functools.reduce(getattr, inside, module)
        found = getattr(owner, name)
    except AttributeError as error:
        raise UsageError(f"{step} can't be found ({error}): no step of it is counted.") from None
    own = vars(owner).get(name)
    wrapped = _wrapped(own if own is not None else found, after, is_method=isinstance(owner, type))
    try:
        setattr(owner, name, wrapped)
    except TypeError as error:
        raise UsageError(f"{step} can't be counted ({error}): name a function written in Python.") from None
    undo_at_home = _replace_at_home(owner, name, found, wrapped)

    def undo() -> None:
        _put_back(owner, name, own)
        undo_at_home()

    return undo


def _replace_at_home(owner: Any, name: str, found: Any, wrapped: Any) -> Undo:
    """Replace a function of a module in the namespace that it was defined in, too.

    A spawned process has a copy of its main module's namespace in `sys.modules`.
    """
    home = getattr(found, "__globals__", {})
    if not isinstance(owner, ModuleType) or home is vars(owner) or home.get(name) is not found:
        return lambda: None
    home[name] = wrapped
    return lambda: home.update({name: found})


def _wrapped(function: Any, after: After, *, is_method: bool) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        is_of_class = isinstance(function, classmethod)
        return type(function)(_wrapped(function.__func__, after, is_method=is_of_class))
    if not callable(function):
        raise UsageError(f"{function!r} is no function: no step of it is counted.")
    return counted(function, after, is_method=is_method and isinstance(function, FunctionType))


def counted(function: Any, after: After, *, is_method: bool = False) -> Any:
    """The same function, after each return of which `after` is called.

    A call on the same thread inside one that made the same step is part of it: while a function mode
    is active, torch calls `Tensor.backward` once more from inside.
    """
    running: set[tuple[int, int]] = set()

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        stepper = arguments[0] if is_method and arguments else function
        key = threading.get_ident(), id(stepper)
        if key in running:
            return function(*arguments, **named)
        running.add(key)
        try:
            result = function(*arguments, **named)
        finally:
            running.discard(key)
        after(stepper)
        return result

    return call


def _put_back(owner: Any, name: str, own: object) -> None:
    if own is None:
        delattr(owner, name)
    else:
        setattr(owner, name, own)


class _Import(importlib.abc.MetaPathFinder):
    """Finds nothing itself: of one module, it has something done after the import."""

    def __init__(self, module: str, then: Callable[[ModuleType], None]) -> None:
        self._module = module
        self._then = then
        self._is_asking = False

    def stop(self) -> None:
        """Wait no longer; harmless where it has come."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find, with a loader that tells when it has loaded."""
        # Several of us may wait for one module, and each asks all the others.
        if fullname != self._module or self._is_asking:
            return None
        self._is_asking = True
        try:
            found = (finder.find_spec(fullname, path, target) for finder in list(sys.meta_path))
            spec = next((spec for spec in found if spec is not None), None)
        finally:
            self._is_asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _TellingLoader(spec.loader, self._loaded)
        return spec

    def _loaded(self, module: ModuleType) -> None:
        self.stop()
        self._then(module)


class _TellingLoader(importlib.abc.Loader):
    """Another loader, and a call when the module is there."""

    def __init__(self, loader: importlib.abc.Loader, loaded: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._loaded = loaded

    def __getattr__(self, name: str) -> Any:
        """Code, source and resources are those of the loader itself."""
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Create the module as the loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load it, and leave no trace of the detour."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._loaded(module)


SILENT_STEPS = 4
"""Steps of one other optimizer, without one of the leader, after which that one leads.

Optimizers that step in turn, such as a generator's and a discriminator's, come nowhere near it.
"""


class StepLeader:
    """Sees every step of every optimizer, and says which of them end a step of the training.

    The first one to step leads: two that step in turn make one step. Where it is gone, or silent
    while another one steps several times (a learning-rate finder, the next fold, the next phase),
    the other one leads. Optimizers are held by weak references: an id is given away again.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` gets the optimizer that counts, and the first time that another one takes over."""
        self._say = say
        self._leader: Callable[[], object | None] = _nobody
        self._others: list[tuple[Callable[[], object | None], int]] = []
        self._has_changed = False

    def is_step(self, optimizer: object) -> bool:
        """Whether this step of an optimizer ends a step of the training."""
        if _is_of_base_class(optimizer):
            return False
        leader = self._leader()
        if leader is optimizer:
            self._others.clear()
            return True
        if leader is None:
            self._lead(optimizer, "is gone")
            return True
        steps = self._steps_without_leader(optimizer)
        if steps < SILENT_STEPS:
            return False
        self._lead(optimizer, f"has not stepped while this one stepped {steps} times")
        return True

    def _steps_without_leader(self, optimizer: object) -> int:
        others = [(other, steps) for other, steps in self._others if other() is not None]
        steps = 1 + next((steps for other, steps in others if other() is optimizer), 0)
        self._others = [(other, steps) for other, steps in others if other() is not optimizer]
        self._others.append((_weak(optimizer), steps))
        return steps

    def _lead(self, optimizer: object, why: str) -> None:
        name = type(optimizer).__name__
        if self._leader is _nobody:
            self._say(f"Steps are those of {name}, the first optimizer that stepped.")
        elif not self._has_changed:
            self._has_changed = True
            self._say(f"From here on steps are those of another optimizer, {name}: the one before {why}.")
        self._leader = _weak(optimizer)
        self._others.clear()


def _is_of_base_class(optimizer: object) -> bool:
    """Whether its class has a step of its own around this one, which calls `super().step()`.

    Torch reports both where another optimizer is of the base class itself: each is a call of a wrapper.
    """
    frame: FrameType | None = sys._getframe(1)
    steps = 0
    while frame is not None and steps < 2:
        code = frame.f_code
        if code.co_name == "wrapper" and code.co_filename.replace("\\", "/").endswith(_WRAPPERS):
            steps += frame.f_locals.get("args", (None,))[0] is optimizer
        frame = frame.f_back
    return steps > 1


_WRAPPERS = "torch/optim/optimizer.py"


def _nobody() -> None:
    """Before the first step."""


def _weak(optimizer: object) -> Callable[[], object | None]:
    try:
        return weakref.ref(optimizer)
    except TypeError:
        # A class with slots and without a place for weak references.
        return lambda: optimizer
