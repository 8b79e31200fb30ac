"""Runs a script or a module as Python's own command line would."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.machinery
import os
import random
import runpy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError

Decorated = tuple[str, Callable[[Any], Any]]
"""The name of a function of the program, such as `Trainer.step`, and what decorates its definition."""

_DECORATOR = "__tbprof_decorator__"


_SEED = 20_411


def seed_all() -> None:
    """Start all generators from the same state, those of torch's workers with them."""
    import torch

    random.seed(_SEED)
    torch.manual_seed(_SEED)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(_SEED)


def run_program(
    program: str,
    arguments: Sequence[str],
    *,
    is_module: bool,
    decorate: Decorated | None = None,
    argv: Callable[[list[str]], list[str]] = list,
) -> None:
    """Run it in this process as `__main__`; what it raises passes.

    Args:
        program: the path of a script, or the name of a module.
        arguments: what it finds in `sys.argv`.
        is_module: which of the two it is.
        decorate: a function of the script that is watched.
        argv: makes `sys.argv` of its name and its arguments.
    """
    sys.argv = argv([program, *arguments])
    main_module = _new_main_module()
    sys.modules["__main__"] = main_module
    if is_module:
        sys.path[0] = str(Path.cwd())
        _run_module(program)
        return
    sys.path[0] = str(Path(program).resolve().parent)
    path = os.path.abspath(program)  # noqa: PTH100 - as Python spells it
    main_module.__file__, main_module.__cached__ = path, None
    main_module.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    source: Any = Path(program).read_bytes()
    if decorate is not None:
        name, vars(main_module)[_DECORATOR] = decorate
        source = _decorated(source, path, name)
    exec(compile(source, path, "exec", dont_inherit=True), vars(main_module))


def check_script(program: str, *, is_module: bool) -> None:
    """Refuse a script that is not there; a module is looked for when it is run.

    Raises:
        UsageError: there is no such file.
    """
    if not is_module and not Path(program).is_file():
        raise UsageError(f"{program} is no file; give a script, or a module with -m")


def check_function(program: str, name: str, *, is_module: bool) -> None:
    """Refuse a function `__main__:name` that can't be watched.

    Raises:
        UsageError: the script defines none of this name, or the program is a module.
    """
    if is_module:
        raise UsageError(f"--step-on __main__:{name} is for scripts; with -m, name the function's module")
    # A script that is no Python says so itself when it is run.
    with contextlib.suppress(SyntaxError, ValueError, OSError):
        if not _definitions(ast.parse(Path(program).read_bytes()), name):
            raise UsageError(f"{program} defines no {name}")


def _new_main_module() -> Any:
    """`__main__` as Python makes it before it knows what to run."""
    made: Any = types.ModuleType("__main__")
    # Only some versions of Python give it annotations, and then ours has them too.
    if "__annotations__" in vars(sys.modules["__main__"]):
        made.__annotations__ = {}
    # `exec` would put the module's dictionary here; programs set `__builtins__.print`.
    made.__builtins__ = builtins
    return made


class NoSuchModule(SystemExit):
    """Ends as Python does where there is no module to run: with one line on stderr, and exit code 1."""


def _run_module(name: str) -> None:
    run_as_main: Callable[[str], object] = vars(runpy)["_run_module_as_main"]
    try:
        # What `python -m` itself calls; the public function leaves `__main__` again when the program ends.
        run_as_main(name)
    except SystemExit as ending:
        last = ending.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        # Where runpy itself can't find the module, Python prints one line.
        if last is None or last.tb_frame.f_globals.get("__name__") != runpy.__name__:
            raise
        raise NoSuchModule(ending.code) from None


def _decorated(source: bytes, path: str, name: str) -> ast.Module:
    tree = ast.parse(source, path)
    for definition in _definitions(tree, name):
        decorator = ast.copy_location(ast.Name(_DECORATOR, ast.Load()), definition)
        # Nearest to the function, so that others find what they would find.
        definition.decorator_list.append(decorator)
    return tree


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _definitions(tree: ast.AST, name: str) -> list[Definition]:
    """Where `Class.method` or `function.inner` is defined, whichever branches that is in."""
    first, _, rest = name.partition(".")
    found = [definition for definition in _definitions_in(tree) if definition.name == first]
    if rest:
        return [inner for definition in found for inner in _definitions(definition, rest)]
    return [definition for definition in found if not isinstance(definition, ast.ClassDef)]


def _definitions_in(tree: ast.AST) -> Iterator[Definition]:
    """The definitions of one scope."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node
        else:
            yield from _definitions_in(node)


def program_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """What is left of a traceback without the frames that led to the program.

    The whole of it where no program had been started.
    """
    entry = traceback
    while entry is not None:
        if entry.tb_frame.f_code is run_program.__code__:
            inner = entry.tb_next
            is_module = inner is not None and inner.tb_frame.f_code is _run_module.__code__
            return inner.tb_next if inner is not None and is_module else inner
        entry = entry.tb_next
    return traceback
