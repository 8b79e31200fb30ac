"""Whether the program decides by a value that it read as soon as it has it.

Such a read can't be put off: a branch, an index or a shape waits for the value, so that the saving of a
replay, which lets the host go on without it, is not won by reading later. The code is that which the hook
kept beside its recorded lines; where that does not parse, or the line is not known, nothing is said.

At once is: in the test of an `if`, a `while`, an `assert` or a comprehension, in what a `for` runs over,
in an index, in an argument of `range` or of a function of torch; or in a value whose name the very
next statement tests, runs over or indexes with.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from tbprof.model import Source, SourceText


def is_used_immediately(source: Source | None, texts: Sequence[SourceText]) -> bool:
    """Whether it is so at every line that the source can be."""
    if source is None:
        return False
    lines = (source.line,) if source.exact else source.candidates
    found = [_at_line(text, line) for line in lines if line for text in texts if _holds(text, source, line)]
    return bool(found) and len(found) >= len(lines) and all(found)


def _holds(text: SourceText, source: Source, line: int) -> bool:
    count = text.text.count("\n") + 1
    return text.file.endswith(source.file) and text.first_line <= line < text.first_line + count


def _at_line(text: SourceText, line: int) -> bool:
    tree = _parsed(text.text)
    at = line - text.first_line + 1
    if tree is None:
        lines = text.text.splitlines()
        tree, at = _header(lines[at - 1] if at <= len(lines) else ""), 1
    if tree is None:
        return False
    return any(_decides(statement, after, at) for statement, after in _statements(tree, at))


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError):
        return None


def _header(line: str) -> ast.Module | None:
    """A line by itself, also the first of a block."""
    code = line.strip().removeprefix("el") if line.strip().startswith("elif") else line.strip()
    return _parsed(code) or _parsed(f"{code} pass")


def _statements(tree: ast.AST, at: int) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """The statements that hold the line, each with the one after it in its block."""
    for node in ast.walk(tree):
        for _, block in ast.iter_fields(node):
            if not isinstance(block, list):
                continue
            statements = [each for each in block if isinstance(each, ast.stmt)]
            for number, statement in enumerate(statements):
                if statement.lineno <= at <= (statement.end_lineno or statement.lineno):
                    yield statement, statements[number + 1] if number + 1 < len(statements) else None


def _decides(statement: ast.stmt, after: ast.stmt | None, at: int) -> bool:
    tests = [test for test in _tests(statement) if _spans(test, at)]
    if tests and not _goes_on_in_line(statement, at):
        return True
    values = [*tests, *(part for part in _values(statement) if _spans(part, at))]
    if any(_reads(part) for part in values):
        return True
    names = _assigned(statement)
    if after is None or not names:
        return False
    used = (node for part in (*_tests(after), *_values(after)) for node in ast.walk(part))
    return any(isinstance(node, ast.Name) and node.id in names for node in used)


def _spans(part: ast.expr, at: int) -> bool:
    return part.lineno <= at <= (part.end_lineno or part.lineno)


def _goes_on_in_line(statement: ast.stmt, at: int) -> bool:
    """Whether there is more on the line than the test: what is read may be read there."""
    if isinstance(statement, ast.If | ast.While):
        return statement.body[0].lineno == at and not isinstance(statement.body[0], ast.Pass)
    return not isinstance(statement, ast.Assert)


def _tests(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, not those of the blocks in it, whose truth is asked for."""
    if isinstance(statement, ast.If | ast.While | ast.Assert):
        yield statement.test
    for node in _own_nodes(statement):
        if isinstance(node, ast.IfExp):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


def _values(statement: ast.stmt) -> Iterator[ast.expr]:
    """The nodes whose value says what to loop over, which element to take, or how large a tensor is."""
    if isinstance(statement, ast.For):
        yield statement.iter
    for node in _own_nodes(statement):
        if isinstance(node, ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call) and _takes_shape(node.func):
            yield from node.args


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """All below it that belong to no statement in its blocks."""
    left: list[ast.AST] = [statement]
    while left:
        node = left.pop()
        yield node
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _assigned(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    else:
        return set()
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


_READERS = frozenset({"item", "tolist", "cpu", "numpy", "float", "int", "bool"})


def _reads(part: ast.expr) -> bool:
    """Whether a value is brought to the host in it."""
    return any(isinstance(node, ast.Call) and _name(node.func) in _READERS for node in ast.walk(part))


def _takes_shape(function: ast.expr) -> bool:
    root = function
    while isinstance(root, ast.Attribute):
        root = root.value
    of_torch = isinstance(function, ast.Attribute) and isinstance(root, ast.Name) and root.id == "torch"
    return of_torch or _name(function) == "range"


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
