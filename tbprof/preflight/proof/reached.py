"""The changed code of a program that was run, and its branches that went one way only.

What was not run, no comparison has seen. A branch that always went one way shows nothing of the other where
what it asks is not the same each time: a count of steps, a value of a tensor.
"""

from __future__ import annotations

import ast
import builtins
import dis
import os
import re
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, wraps
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeAlias

from tbprof.preflight.proof.changes import (
    Change,
    ChangedFile,
    changed_and_unread,
    changed_file,
    started_by_others,
    suspicions,
)
from tbprof.preflight.proof.record import Fault, Task

_Position: TypeAlias = tuple[int, int, int, int]
"""First line, last line, first column, last column."""


_MOST_FOLLOWED = 200_000
"""Instructions of a code object: what runs more often has shown its ways."""


class Reached:
    """Follows the changed files of a side in this process, and in forks of it."""

    def __init__(self, task: Task) -> None:
        self.files: dict[str, ChangedFile | None] = {}
        self._task = task
        self._before = Path(task.changed_from[0])
        self._children = Path(task.record).with_suffix(".reached")
        """Where forks write what they run."""
        self._process = os.getpid()
        self._run: dict[str, set[_Position]] = defaultdict(set)
        self._ways: dict[tuple[str, _Position], set[bool]] = defaultdict(set)
        self._asked: dict[tuple[str, _Position], set[str]] = defaultdict(set)
        self._codes: dict[int, _Code] = {}

    @contextmanager
    def following(self) -> Iterator[None]:
        if not self._task.changed_from[0]:
            yield
            return
        load = builtins.__import__
        builtins.__import__ = self._importing(load)
        sys.settrace(self._enter)
        threading.settrace(self._enter)
        try:
            yield
        finally:
            builtins.__import__ = load
            sys.settrace(None)
            threading.settrace(None)
            self._read_children()

    def _importing(self, load: Callable[..., Any]) -> Callable[..., Any]:
        """The import of a library, which has no changed code, would take twice as long."""

        @wraps(load)
        def load_module(name: str, *args: Any, **options: Any) -> Any:
            if name in sys.modules or sys.gettrace() is None or not name or self._may_be_own(name):
                return load(name, *args, **options)
            sys.settrace(None)
            try:
                return load(name, *args, **options)
            finally:
                sys.settrace(self._enter)

        return load_module

    def _may_be_own(self, name: str) -> bool:
        first = name.partition(".")[0]
        own = (Path(folder) for folder in sys.path if folder.startswith(self._task.root))
        return any((folder / first).exists() or (folder / f"{first}.py").exists() for folder in own)

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in self.files:
            before = self._counterpart(name)
            self.files[name] = None if before is None else changed_file(Path(name), before)
        file = self.files[name]
        code = None if file is None else self._code(frame.f_code, file)
        if code is None or code.left < 0:
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return _Follower(self, code)

    def _code(self, code: CodeType, file: ChangedFile) -> _Code:
        if id(code) not in self._codes:
            self._codes[id(code)] = _Code(code, file)
        return self._codes[id(code)]

    def note_run(self, code: _Code, position: _Position) -> None:
        """An instruction there was run."""
        if position not in self._run[code.file.path]:
            self._run[code.file.path].add(position)
            self._tell_parent("run", code.file.path, position)

    def note_asked(self, code: _Code, at: int, frame: FrameType) -> None:
        """A jump is about to be decided."""
        known = self._asked[code.file.path, code.positions[at]]
        if len(known) < 2:
            known.add(_asked(code.asking[at], frame))

    def note_way(self, code: _Code, at: int, *, is_next: bool) -> None:
        """A jump was taken, or not."""
        key = code.file.path, code.positions[at]
        if is_next not in self._ways[key]:
            self._ways[key].add(is_next)
            self._tell_parent(str(is_next), *key)

    def _counterpart(self, file: str) -> Path | None:
        """The file before the change, of one that is the side's own."""
        root, folder = Path(self._task.root), Path(self._task.folder)
        if not file.startswith(f"{root}{os.sep}"):
            return None
        if not self._task.is_module and Path(file) == folder / self._task.program:
            return self._before / folder.relative_to(root) / self._task.changed_from[1]
        return self._before / Path(file).relative_to(root)

    def faults(self) -> Iterator[Fault]:
        """What looks wrong in the text of the changed code."""
        if self._task.changed_from[0]:
            yield from started_by_others(self._before, Path(self._task.root))
        for file in self.files.values():
            if file is not None:
                yield from suspicions(file)

    def _tell_parent(self, what: str, name: str, position: _Position) -> None:
        if os.getpid() != self._process:
            with suppress(OSError), self._children.open("a", encoding="utf-8") as file:
                file.write(f"{what} {' '.join(map(str, position))} {name}\n")

    def _read_children(self) -> None:
        if not self._children.is_file() or os.getpid() != self._process:
            return
        for line in self._children.read_text(encoding="utf-8").splitlines():
            what, *numbers, name = line.split(" ", 5)
            first, last, start, end = map(int, numbers)
            position = first, last, start, end
            if what == "run":
                self._run[name].add(position)
            else:
                self._ways[name, position].add(what == "True")

    def unproved(self) -> Iterator[str]:
        """Sentences on what the run has not shown of the changed code."""
        for name, file in self.files.items():
            if file is not None:
                for change in file.changes:
                    yield from self._unproved(name, file, change)
        if self._task.changed_from[0]:
            own = [name for name in (*self.files, *self._run) if self._counterpart(name) is not None]
            yield from changed_and_unread(self._before, Path(self._task.root), dict.fromkeys(own))

    def _unproved(self, name: str, file: ChangedFile, change: Change) -> Iterator[str]:
        for arm in _arms(change):
            inside = [one for one in _all_positions(file) if _is_within(one, arm)]
            if inside and not any(_is_within(one, arm) for one in self._run[name]):
                if not self._is_unused(file, change):
                    yield f"{file.said(arm)} is changed, and was not run"
                return
        # An assertion that fails ends the program, as it says.
        ways_by_place = {} if isinstance(change.node, ast.Assert) else self._ways
        for (of, position), ways in ways_by_place.items():
            is_one_way = of == name and len(ways) == 1 and len(self._asked[of, position]) > 1
            if is_one_way and any(_is_within(position, part) for part in change.parts):
                yield (
                    f"{file.said(change.node)} is changed, asks for what changes from step to step, and "
                    "always went the same way"
                )
                return

    def _is_unused(self, file: ChangedFile, change: Change) -> bool:
        """Whether it stands in a function that nothing names."""
        texts = [each.text for each in self.files.values() if each is not None]
        for node in ast.walk(file.tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and change.node in ast.walk(node):
                is_named = sum(len(re.findall(rf"\b{node.name}\b", text)) for text in texts) > 1
                if not is_named and not node.decorator_list and not node.name.startswith("__"):
                    return True
        return False


class _Follower:
    """The trace function of one frame."""

    __slots__ = ("_asked_at", "_code", "_reached")

    def __init__(self, reached: Reached, code: _Code) -> None:
        self._reached, self._code, self._asked_at = reached, code, -1

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event != "opcode":
            return self
        code, at = self._code, frame.f_lasti
        code.left -= 1
        if self._asked_at >= 0:
            is_next = at == self._asked_at + code.sizes[self._asked_at]
            self._reached.note_way(code, self._asked_at, is_next=is_next)
        self._reached.note_run(code, code.positions[at])
        self._asked_at = at if at in code.asking else -1
        if self._asked_at >= 0:
            self._reached.note_asked(code, at, frame)
        return self if code.left >= 0 else None


class _Code:
    """What is known of a code object: where its instructions are, and which of them ask for something."""

    def __init__(self, code: CodeType, file: ChangedFile) -> None:
        self.file, self.code = file, code
        self.left = _MOST_FOLLOWED
        self.positions: dict[int, _Position] = {}
        self.sizes: dict[int, int] = {}
        self.asking: dict[int, ast.expr | None] = {}
        instructions = list(dis.get_instructions(code))
        for at, each in enumerate(instructions):
            position = _position(code, each)
            self.positions[each.offset] = position
            following = instructions[at + 1].offset if at + 1 < len(instructions) else each.offset
            self.sizes[each.offset] = following - each.offset
            if "JUMP" in each.opname and "_IF_" in each.opname:
                changed = any(_is_within(position, part) for one in file.changes for part in one.parts)
                if changed:
                    self.asking[each.offset] = _expression_at(file.tree, position)


def _position(code: CodeType, instruction: dis.Instruction) -> _Position:
    found = getattr(instruction, "positions", None)
    if found is None or found.lineno is None or found.col_offset is None:
        line = (found.lineno if found is not None else instruction.starts_line) or code.co_firstlineno
        return line, line, 0, 0
    return found.lineno, found.end_lineno, found.col_offset, found.end_col_offset


def _is_within(position: _Position, node: Any) -> bool:
    if not hasattr(node, "lineno"):
        return False
    first, last, start, end = position
    begins, ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    if start == end == 0:
        return bool(node.lineno <= first <= node.end_lineno)
    return bool(begins <= (first, start) and (last, end) <= ends)


@lru_cache(maxsize=64)
def _all_positions(file: ChangedFile) -> list[_Position]:
    found, codes = [], [compile(file.text, file.path, "exec", dont_inherit=True)]
    for code in codes:
        found += [_position(code, each) for each in dis.get_instructions(code)]
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


_ENDING = re.compile(r"raise (?:\w+\.)*\w+(?:Error|Exception|Warning)\b|assert |pass$|import |from ")


def _arms(change: Change) -> Iterator[ast.AST]:
    """The statement, and each part of it that may be left out when it runs."""
    if _ENDING.match(ast.unparse(change.node)) or isinstance(change.node, ast.ExceptHandler | ast.match_case):
        return
    if not any(hasattr(change.node, name) for name in ("body", "handlers", "cases")):
        yield change.node
    elif not isinstance(change.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from (each for each in change.parts if isinstance(each, ast.expr))
    for part in change.parts:
        for node in ast.walk(part):
            if isinstance(node, ast.IfExp):
                yield from (node.body, node.orelse)
            elif isinstance(node, ast.BoolOp):
                yield from node.values[1:]
            elif isinstance(node, ast.Lambda):
                yield node.body
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                yield node.elt


def _expression_at(tree: ast.Module, position: _Position) -> ast.expr | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            place = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            if place == position:
                return node
    return None


_OF_SHAPES = ("is_cuda", "device", "dtype", "shape", "ndim", "requires_grad", "training", "is_available")
_ASKING = (
    "isinstance",
    "hasattr",
    "callable",
    "issubclass",
    "dim",
    "numel",
    "size",
    "is_pinned",
    *_OF_SHAPES,
)
_COUNTER = [0]


def _asked(expression: ast.expr | None, frame: FrameType) -> str:
    """What an expression depends on, as text: the same text, the same answer."""
    if expression is None:
        return ""
    return " ".join(_leaves(expression, frame))


def _leaves(node: ast.AST, frame: FrameType) -> Iterator[str]:
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in _ASKING:
            return
        if name != "len":
            _COUNTER[0] += 1
            yield f"call {_COUNTER[0]}"
            return
        held: Any = value_of(node.args[0], frame) if node.args else None
        yield f"len {len(held)}" if type(held) in (list, tuple, dict, set, str) else ""
    elif isinstance(node, ast.Attribute | ast.Name):
        if getattr(node, "attr", "") not in _OF_SHAPES:
            value = value_of(node, frame)
            is_plain = value is None or type(value) in (bool, int, float, str)
            yield repr(value) if is_plain else type(value).__name__
            if type(value).__name__ in ("Tensor", "Parameter"):
                _COUNTER[0] += 1
                yield f"tensor {_COUNTER[0]}"
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        yield str(value_of(node.left, frame) is None)
    else:
        for each in ast.iter_child_nodes(node):
            yield from _leaves(each, frame)


def value_of(node: ast.AST, frame: FrameType) -> Any:
    """The value of a name or of an attribute, without any code of the program's."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        with suppress(AttributeError, TypeError):
            return object.__getattribute__(value_of(node.value, frame), "__dict__").get(node.attr)
    return None
