"""A call after a module has been imported, if it ever is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


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
    """Finds one module as Python does, to be told when it has run."""

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
                self._call()

            spec.loader.exec_module = run_and_call  # type: ignore[method-assign]
        return spec
