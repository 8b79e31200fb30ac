"""Changes of a program's own lines, where they are mechanical: an argument more, or a line moved.

Whether a line is one of these is read off its syntax; what is not surely one of them has none, and
its rule's example stands in.

A tensor that is created again in each turn of a loop, moved in front of it where nothing else changes.

Only `name = torch.tensor(...)` is moved, and only if nothing that it is made of is bound in the loop,
and nothing else in the loop binds or changes its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING

from tbprof.records import dataclass

if TYPE_CHECKING:
    from tbprof.rules.base.rule import Edit

_MOVES = frozenset({"to", "cuda"})
_FACTORIES = frozenset(
    ["arange", "empty", "eye", "full", "linspace", "ones", "rand", "randint", "randn", "randperm", "zeros"]
)


@dataclass(frozen=True, slots=True)
class EditRow:
    line: int
    before: str
    """"" where `after` is a new line in front of it."""
    after: str
    """"" where the line goes."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Text that replaces that between two columns of a line, in bytes of UTF-8 as `ast` counts."""

    line: int
    start: int
    end: int
    text: str


def mechanical_edits(
    edit: Edit | None, first_line: int, code: Sequence[str], marked: frozenset[int]
) -> tuple[EditRow, ...]:
    """The edits that fix a finding on the lines `marked`, ascending.

    Args:
        edit: What its rule says of its fix.
        first_line: Number of the first line of `code`.
        code: Neighboring lines of the program.
        marked: Numbers of the lines that the finding is at.
    """
    if edit is None:
        return ()
    tree = _parsed(code)
    if tree is None:
        return _of_single_lines(edit, first_line, code, marked)
    if edit == "hoist":
        return tuple(_hoisted(tree, first_line, code, marked))
    changes: list[_Change] = []
    for call in _calls(tree):
        if first_line + call.lineno - 1 in marked:
            changes += _made_on_device(call) if edit == "make_on_device" else _without_blocking(call)
    if edit == "pin" and changes:
        changes += [change for call in _calls(tree) for change in _pinned(call)]
    return _applied(changes, first_line, code)


def _hoisted(
    tree: ast.Module, first_line: int, code: Sequence[str], marked: frozenset[int]
) -> Iterator[EditRow]:
    """A new line in front of the loop, and none where it was."""
    for line, loop in hoisted_lines(tree):
        if first_line + line - 1 in marked:
            text, above = code[line - 1], code[loop - 1]
            indent = above[: len(above) - len(above.lstrip())]
            yield EditRow(first_line + loop - 1, "", indent + text.lstrip())
            yield EditRow(first_line + line - 1, text, "")


def _of_single_lines(
    edit: Edit, first_line: int, code: Sequence[str], marked: frozenset[int]
) -> tuple[EditRow, ...]:
    """The edits of those marked lines that are statements by themselves."""
    if len(code) == 1:
        return ()
    there = (line for line in sorted(marked) if first_line <= line < first_line + len(code))
    lines = ((line, code[line - first_line]) for line in there)
    return tuple(row for line, text in lines for row in mechanical_edits(edit, line, (text,), marked))


def _parsed(code: Sequence[str]) -> ast.Module | None:
    """None where the lines are no whole statements, as in the middle of a long function."""
    try:
        return ast.parse(dedent("\n".join(code)))
    except (SyntaxError, ValueError):
        return None


def _indent(code: Sequence[str]) -> int:
    """Columns that `dedent` takes away."""
    return min((len(line) - len(line.lstrip()) for line in code if line.strip()), default=0)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _without_blocking(call: ast.Call) -> list[_Change]:
    is_move = isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES
    return _with_argument(call, "non_blocking=True") if is_move else []


def _pinned(call: ast.Call) -> list[_Change]:
    return _with_argument(call, "pin_memory=True") if _name(call.func) == "DataLoader" else []


def _with_argument(call: ast.Call, argument: str) -> list[_Change]:
    """One argument more before the closing bracket, where the call does not name it yet."""
    name = argument.partition("=")[0]
    given = {keyword.arg for keyword in call.keywords}
    is_open = None in given or any(isinstance(part, ast.Starred) for part in call.args)
    if name in given or is_open or call.end_lineno is None or call.end_col_offset is None:
        return []
    # `.to(device, dtype, True)` may name it by its place.
    if name == "non_blocking" and len(call.args) > 1:
        return []
    separator = ", " if call.args or call.keywords else ""
    end = call.end_col_offset - 1
    return [_Change(call.end_lineno, end, end, separator + argument)]


def _made_on_device(call: ast.Call) -> list[_Change]:
    """`torch.zeros(n).to(device)` to `torch.zeros(n, device=device)`."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in _MOVES:
        return []
    made, target = function.value, _target(call, function.attr)
    if target is None or not isinstance(made, ast.Call) or made.end_lineno != call.end_lineno:
        return []
    is_factory = isinstance(made.func, ast.Attribute) and made.func.attr in _FACTORIES
    given = {keyword.arg for keyword in made.keywords}
    if not is_factory or _name(getattr(made.func, "value", made)) != "torch" or {"device", None} & given:
        return []
    if made.end_lineno is None or made.end_col_offset is None or call.end_col_offset is None:
        return []
    separator = ", " if made.args or made.keywords else ""
    text = f"{separator}device={target})"
    return [_Change(made.end_lineno, made.end_col_offset - 1, call.end_col_offset, text)]


def _target(call: ast.Call, move: str) -> str | None:
    """What is moved to, as code; None where the move does something else too."""
    if move == "cuda":
        return None if call.args or call.keywords else '"cuda"'
    if len(call.args) != 1 or any(keyword.arg != "non_blocking" for keyword in call.keywords):
        return None
    # A bare `.to(x)` can name a type, or another tensor.
    target = call.args[0]
    is_device = isinstance(target, ast.Constant) or _name(target).endswith("device")
    return ast.unparse(target) if is_device else None


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _applied(changes: list[_Change], first_line: int, code: Sequence[str]) -> tuple[EditRow, ...]:
    edited: dict[int, str] = {}
    indent = _indent(code)
    # From the right, so that the columns to the left stay true.
    added: list[EditRow] = []
    for change in sorted(changes, key=lambda change: (change.line, change.start), reverse=True):
        line = edited.get(change.line, code[change.line - 1]).encode()
        before, after = line[: change.start + indent], line[change.end + indent :]
        argument = change.text.removeprefix(", ")
        if before.strip():
            text = argument if before.rstrip().endswith(b",") else change.text
            edited[change.line] = (before + text.encode() + after).decode()
        elif code[change.line - 2].rstrip().endswith(","):
            above = code[change.line - 2]
            new = above[: len(above) - len(above.lstrip())] + argument + ","
            added.append(EditRow(first_line + change.line - 1, "", new))
    changed = [EditRow(first_line + at - 1, code[at - 1], text) for at, text in edited.items()]
    return tuple(sorted((*changed, *added), key=lambda edit: edit.line))


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
