"""Reads that a program needs where they are: nobody can take them away, and they are mentioned, no more.

A read is needed if what it says ends a loop inside a step, or if it is handed to code of the host whose
answer the program goes on with. One that comes in few of the steps costs next to nothing, whatever it is for.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import torch

from tbprof.preflight.prediction import PredictedSite

_READS = ("scalar_read", "control_flow", "host_read", "dynamic_shape")

_GUARDS = frozenset(("isnan", "isinf", "isfinite"))
"""What asks for a fault: that can wait until somebody looks."""

_METHODS = frozenset(("item", "tolist", "numpy", "cpu", "float", "double", "long", "int"))
_NUMBERS = frozenset(("float", "int", "bool"))
_PASSING_ON = frozenset(("map", "filter", "zip", "enumerate", "list", "tuple", "set", "reversed"))
_HOLDING = frozenset(
    (*dir(list), *dir(dict), *dir(set), *dir(str), "log", "add_scalar", "write", "info", "debug", "warning")
)
"""Methods that keep or print what they get: a later time is as good."""
_OF_TENSORS = frozenset(("torch", "nn", "F", "functional", "logging", "logger", "wandb", "writer"))
_REDUCTIONS = frozenset(
    (
        *("mean", "sum", "max", "min", "std", "var", "average", "prod", "array", "asarray", "stack"),
        "concatenate",
    )
)
"""Functions of NumPy's that the device has, too."""

_Place: TypeAlias = tuple[ast.AST, ...]
"""A node after those around it, from the outside in."""


def why_needed(site: PredictedSite, file: str, warm_steps: int) -> str:
    """A sentence on why a read may stay; "" where it may not, or where nothing is known."""
    if site.kind not in _READS or site.library is not None or not site.source.line:
        return ""
    in_all = sum(site.per_step[-warm_steps:]) if warm_steps else 0
    if 0 < in_all < warm_steps and 2 * site.ran_in <= warm_steps:
        return "It comes in few of the steps: leave it, or read there what the steps have added up."
    for around in _places(file, site.source.line):
        if _ends_loop(around) or _steers_loop(around):
            return "The loop cannot know otherwise when to end: leave it, or ask in every few turns."
        if _is_handed_over(around, _modules(file)):
            return "Code of the host needs it before the program can go on: leave it."
    return ""


@cache
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def _places(file: str, line: int) -> Iterator[_Place]:
    tree = _tree(file)
    waiting: list[_Place] = [] if tree is None else [(tree,)]
    while waiting:
        around = waiting.pop()
        yield around
        waiting += [(*around, child) for child in ast.iter_child_nodes(around[-1]) if _has(child, line)]


def _has(node: ast.AST, line: int) -> bool:
    return bool(getattr(node, "lineno", line) <= line <= (getattr(node, "end_lineno", line) or line))


def _ends_loop(around: _Place) -> bool:
    """Whether the last node is the condition of a loop, or of leaving one inside a function."""
    if len(around) < 2 or not isinstance(around[-1], ast.expr):
        return False
    test, owner = around[-1], around[-2]
    if not isinstance(owner, ast.While | ast.If) or owner.test is not test:
        return False
    if isinstance(owner, ast.While):
        return True
    inner = next((at for at in range(len(around) - 1, -1, -1) if isinstance(around[at], ast.FunctionDef)), 0)
    is_in_loop = any(isinstance(node, ast.For | ast.While) for node in around[inner:-2])
    leaves = isinstance(owner.body[-1], ast.Break | ast.Return)
    return is_in_loop and leaves and inner > 0 and not _asks(test) & _GUARDS


def _steers_loop(around: _Place) -> bool:
    """Whether the last node is a read that a loop's condition depends on, by way of names in its body."""
    kept = next((node for node in around if isinstance(node, ast.Assign)), None)
    if kept is None or not _is_read(around[-1]) or _asks(around[-1]) & _GUARDS:
        return False
    return any(
        isinstance(loop, ast.While) and _names(loop.test) & _reached(loop, _stored(kept)) for loop in around
    )


def _reached(loop: ast.While, names: set[str]) -> set[str]:
    """These names, and those that are given a value by them, or only where they say so."""
    while True:
        found = set(names)
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign | ast.AugAssign) and _names(node.value) & names:
                found |= _stored(node)
            elif isinstance(node, ast.If) and _names(node.test) & names:
                found.update(*map(_stored, (*node.body, *node.orelse)))
        if found == names:
            return names
        names = found


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _stored(node: ast.AST) -> set[str]:
    return {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _asks(node: ast.AST) -> set[str]:
    return {getattr(each, "attr", "") for each in ast.walk(node)}


@cache
def _modules(file: str) -> frozenset[str]:
    """The names of modules that a file imports, without torch's."""
    tree = _tree(file)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)] if tree else []
    return frozenset(
        (each.asname or each.name).partition(".")[0]
        for node in imports
        for each in node.names
        if not each.name.startswith("torch")
    )


def _is_handed_over(around: _Place, modules: frozenset[str]) -> bool:
    """Whether the last node is a read that a call of other code gets, whose answer is used."""
    if not _is_read(around[-1]):
        return False
    outer = [node for node in around[:-1] if not isinstance(node, ast.Starred)]
    while isinstance(outer[-1], ast.Call) and getattr(outer[-1].func, "id", "") in _PASSING_ON:
        outer.pop()
    call, owner = outer[-1], outer[-2] if len(outer) > 1 else outer[-1]
    if not isinstance(call, ast.Call) or around[-1] in ast.walk(call.func) or isinstance(owner, ast.Expr):
        return False
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    root = call.func
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    if isinstance(call.func, ast.Name):
        return name == "sorted" or not hasattr(builtins, name)
    owned_by = getattr(root, "id", "torch")
    if owned_by in _OF_TENSORS or name in _HOLDING | _REDUCTIONS:
        return False
    return owned_by in modules or not hasattr(torch.Tensor, name)


def _is_read(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _NUMBERS
    return isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not node.args
