"""One row of the table of patches, and how a row is put in place and taken out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import BuiltinFunctionType, FrameType, MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

from tbprof.program.caller_frame import called_from

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Patch:
    """An attribute that is another while preflight runs."""

    owner: str
    """A module, or a class of one after a colon: `torch`, `torch:Tensor`."""
    name: Any
    make: Callable[[Any], Any]
    """What to put there, from what is there."""
    is_new: bool = False
    """Whether it is put there even where this build of torch has none of that name."""
    is_item: bool = False
    """Whether the owner is a dictionary, and the name a key of it."""
    only_loaded: bool = False
    """Whether a module that the program did not import is left alone."""
    once_loaded: bool = False
    """Whether it waits for the program to import the module, which takes long."""

    @property
    def module(self) -> str:
        return self.owner.partition(":")[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a row is in place, and what its owner itself had there."""

    owner: Any
    name: str
    own: Any

    def put(self, value: Any) -> None:
        if value is _ABSENT:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, value)


_IN_PLACE: list[_Place] = []
"""In the order in which they were put in place."""


def instead(replacement: Any) -> Callable[[Any], Any]:
    """For rows whose replacement does not need what was there."""
    return lambda _original: replacement


@contextmanager
def applied(patch: Patch) -> Iterator[None]:
    """Put a row in place; afterwards the attribute is what it was, or is gone where there was none."""
    if patch.once_loaded and patch.module not in sys.modules:
        with ExitStack() as stack:
            put = partial(stack.enter_context, _put(patch))
            with called_after_import(patch.module, put):
                yield
    else:
        with _put(patch):
            yield


@contextmanager
def _put(patch: Patch) -> Iterator[None]:
    owner = _owner(patch)
    if patch.is_item:
        with _item_in_place(owner, patch):
            yield
        return
    original = getattr(owner, patch.name, _ABSENT)
    if owner is None or (original is _ABSENT and not patch.is_new):
        yield
        return
    place = _Place(owner, patch.name, vars(owner).get(patch.name, _ABSENT))
    setattr(owner, patch.name, patch.make(as_called_by_program(original)))
    _IN_PLACE.append(place)
    try:
        yield
    finally:
        _IN_PLACE.remove(place)
        place.put(place.own)


@contextmanager
def suspended() -> Iterator[None]:
    """All attributes as they were before any row; afterwards the rows are in place again."""
    places = _IN_PLACE[:]
    replacements = [vars(place.owner).get(place.name, _ABSENT) for place in places]
    for place in reversed(places):
        place.put(place.own)
    try:
        yield
    finally:
        for place, replacement in zip(places, replacements, strict=True):
            place.put(replacement)


@contextmanager
def _item_in_place(owner: dict[Any, Any], patch: Patch) -> Iterator[None]:
    original = owner.get(patch.name, _ABSENT)
    owner[patch.name] = patch.make(original)
    try:
        yield
    finally:
        if original is _ABSENT:
            del owner[patch.name]
        else:
            owner[patch.name] = original


def _owner(patch: Patch) -> Any:
    module, inside = patch.module, patch.owner.partition(":")[2]
    if patch.only_loaded and module not in sys.modules:
        return None
    try:
        owner: Any = import_module(module)
    except ImportError:
        return None
    for name in inside.split(".") if inside else ():
        owner = getattr(owner, name, None)
    return owner


@contextmanager
def called_after_import(module: str, call: Callable[[], object]) -> Iterator[None]:
    """Inside it, `call` once `module`, which is not imported yet, has been."""
    finder = _Finder(module, call)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finds one module as Python does, to learn when it has run."""

    def __init__(self, module: str, call: Callable[[], object]) -> None:
        self._module = module
        self._call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._module else None
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_call(module: ModuleType) -> None:
                run(module)
                # The first that is asked finds it for all that wait for it.
                for finder in sys.meta_path[:]:
                    if isinstance(finder, _Finder) and finder._module == self._module:
                        finder._call()

            spec.loader.exec_module = run_and_call  # type: ignore[method-assign]
        return spec


_IN_C = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)
"""What warns in the name of the Python code that called it."""

_OWN = __name__.partition(".")[0] + "."


def as_called_by_program(original: Any) -> Any:
    """A function written in C whose warnings are filed under the program's line; others as they are."""
    if not isinstance(original, _IN_C):
        return original

    @wraps(original)
    def call(*args: Any, **options: Any) -> Any:
        return called_from(_first_other(sys._getframe(1)))(original, args, options)

    return call


def _first_other(frame: FrameType) -> FrameType:
    """The first frame from `frame` outwards that is not ours."""
    outer: FrameType | None = frame
    while outer is not None and str(outer.f_globals.get("__name__")).startswith(_OWN):
        outer = outer.f_back
    return outer or frame
