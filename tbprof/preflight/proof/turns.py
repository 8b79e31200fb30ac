"""How often the loops around a step are to run, by what stands in their heads."""

from __future__ import annotations

import ast
import linecache
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import prod
from types import FrameType
from typing import Any

from torch.utils.data import DataLoader

from tbprof.preflight.proof.reached import value_of
from tbprof.program.caller_frame import library_of

_SIZED = (list, tuple, range, dict)
_MOST = 1 << 62


def turns_of(frames: Sequence[FrameType]) -> tuple[int, str]:
    """The product over the loops of the program's own frames, and the line of the innermost one."""
    turns, line = 1, ""
    for frame in frames:
        if library_of(frame.f_code.co_filename) is None:
            for loop in _loops_at(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name):
                turns = min(turns * prod(set(_numbers(loop, frame))), _MOST)
                line = f"{frame.f_code.co_filename.rpartition('/')[2]}:{loop.lineno}"
    return turns, line


@lru_cache(maxsize=256)
def _loops_at(file: str, line: int, function: str) -> tuple[ast.For | ast.While, ...]:
    """The loops of a function that the line is in, from the outside in."""
    try:
        scope: ast.AST = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ()
    for node in ast.walk(scope):
        if isinstance(node, ast.FunctionDef) and node.name == function and _has(node, line):
            scope = node
    return tuple(
        node for node in ast.walk(scope) if isinstance(node, ast.For | ast.While) and _has(node, line)
    )


def _has(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _numbers(loop: ast.For | ast.While, frame: FrameType) -> Iterator[int]:
    """The numbers of a head above one, with the sizes of what is iterated over."""
    stored = {
        one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    stack: list[ast.AST] = [loop.iter if isinstance(loop, ast.For) else loop.test]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and node.id in stored:
            continue
        number = _number(node, frame)
        if number is None:
            stack += ast.iter_child_nodes(node)
        elif number > 1:
            yield number


_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def _number(node: ast.AST, frame: FrameType) -> int | None:
    """The number that a part of a head stands for, without any code of the program's."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _number(node.left, frame), _number(node.right, frame)
        is_known = (
            left is not None and right is not None and not (right == 0 and isinstance(node.op, ast.FloorDiv))
        )
        return _OPERATORS[type(node.op)](left, right) if is_known else None  # type: ignore[arg-type]
    value: Any = node.value if isinstance(node, ast.Constant) else value_of(node, frame)
    if type(value) is int:
        return value
    if type(value) in _SIZED:
        return len(value)
    with suppress(TypeError, ValueError, AttributeError, NotImplementedError):
        # A data set without a length says so in one of these ways.
        return len(value) if issubclass(type(value), DataLoader) else None
    return None
