"""A tensor that is created again in each turn of a loop, moved in front of it where nothing else changes.

Only `name = torch.tensor(...)` is moved, and only if nothing that it is made of is bound in the loop,
and nothing else in the loop binds or changes its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_LOOPS = (ast.For, ast.While)
_MAKERS = frozenset({"tensor", "as_tensor"})


def hoisted_lines(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Lines to move, and the lines of the loops that they go in front of; both within the tree's own code."""
    for loop in (node for node in ast.walk(tree) if isinstance(node, _LOOPS)):
        bound = list(_bound(loop))
        for statement in loop.body:
            if isinstance(statement, ast.Assign) and _is_constant(statement, loop, bound):
                yield statement.lineno, loop.lineno


def _is_constant(statement: ast.Assign, loop: ast.AST, bound: Sequence[str]) -> bool:
    if len(statement.targets) != 1 or statement.lineno != statement.end_lineno:
        return False
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not _is_made(value) or bound.count(target.id) != 1:
        return False
    used = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    # A call among its parts can give something else each time.
    calls = sum(isinstance(node, ast.Call) for node in ast.walk(value))
    return calls == 1 and used.isdisjoint(bound) and not _is_changed(target.id, loop)


def _is_made(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    module = value.func.value
    return value.func.attr in _MAKERS and isinstance(module, ast.Name) and module.id == "torch"


def _bound(loop: ast.AST) -> Iterator[str]:
    """Names that the loop gives a value, each time that it does."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id


def _is_changed(name: str, loop: ast.AST) -> bool:
    """Whether it is written into: `name[...] = x`, or a method whose name ends with an underscore."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and _is_name(node.value, name):
            return True
        is_method = isinstance(node, ast.Attribute) and _is_name(node.value, name)
        if is_method and isinstance(node, ast.Attribute) and node.attr.endswith("_"):
            return True
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
