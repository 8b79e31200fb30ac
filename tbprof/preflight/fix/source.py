"""A file of the program as a concrete syntax tree; an edit replaces spans of its bytes and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

import libcst as cst
from libcst.helpers import get_full_name_for_node
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider, PositionProvider

from tbprof.errors import UsageError
from tbprof.records import dataclass

_FUNCTIONS = (cst.FunctionDef, cst.Lambda, cst.ClassDef)
_BINDING = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.CompFor)

Loop: TypeAlias = "cst.For | cst.While"
Kind = TypeVar("Kind", bound=cst.CSTNode)


@dataclass(frozen=True, slots=True)
class Change:
    """Bytes of a file that a text takes the place of."""

    file: Path
    start: int
    end: int
    text: str


class ProgramFile:
    """Its nodes, where they are, and what surrounds them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = path.read_bytes()
        try:
            self.module = cst.parse_module(self.data)
        except (cst.ParserSyntaxError, UnicodeDecodeError, LookupError) as error:
            raise UsageError(f"{path.name} can't be parsed: {error}") from error
        if self.module.bytes != self.data or self.module.encoding.lower() not in ("utf-8", "utf8"):
            raise UsageError(f"{path.name} can't be edited: write it in UTF-8, without a byte order mark")
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._positions = wrapper.resolve(PositionProvider)
        self._parents = wrapper.resolve(ParentNodeProvider)
        self.nodes = list(walk(self.module))
        self._taken = names_in(self.module)
        self._fresh: dict[int, str] = {}

    def all(self, kind: type[Kind]) -> Iterator[Kind]:
        return (node for node in self.nodes if isinstance(node, kind))

    def at(self, kind: type[Kind], line: int) -> list[Kind]:
        """Nodes that have a part on a line."""
        at = self._positions
        return [node for node in self.all(kind) if at[node].start.line <= line <= at[node].end.line]

    def parameters(self) -> set[str]:
        return {each.name.value for each in self.all(cst.Param)}

    def line(self, node: cst.CSTNode) -> int:
        return int(self._positions[node].start.line)

    def text(self, node: cst.CSTNode) -> str:
        start, end = self._span(node)
        return self.data[start:end].decode()

    def replace(self, node: cst.CSTNode, text: str) -> Change:
        return Change(self.path, *self._span(node), text)

    def with_argument(self, call: cst.Call, name: str, value: str) -> Change:
        """The call with a keyword argument, given or changed."""
        if (given := keyword(call, name)) is not None:
            return self.replace(given, value)
        end = self._span(call.args[-1].value)[1] if call.args else self._span(call)[1] - 1
        return Change(self.path, end, end, f"{', ' * bool(call.args)}{name}={value}")

    def before(self, statement: cst.CSTNode, code: str) -> Change | None:
        """A line of code before a statement and the comment above it; None where that begins no line."""
        start, indent = self._line_of(statement)
        if indent is None:
            return None
        while (above := self.data.rfind(b"\n", 0, max(start - 1, 0)) + 1) < start:
            if not self.data[above:start].decode().startswith(f"{indent}#"):
                break
            start = above
        return Change(self.path, start, start, f"{indent}{code}{self.module.default_newline}")

    def removed(self, statement: cst.CSTNode) -> Change | None:
        """Without the line of a statement; None where it is not alone on it, or alone in its block."""
        start, indent = self._line_of(statement)
        block, end = self._parents[statement], self.data.find(b"\n", self._span(statement)[1]) + 1
        is_one_of_many = isinstance(block, cst.IndentedBlock | cst.Module) and len(block.body) > 1
        return Change(self.path, start, end, "") if indent is not None and is_one_of_many and end else None

    def indented(self, statement: cst.CSTNode, head: str) -> Change | None:
        """The lines of a statement as the body of one that begins with `head`."""
        (start, indent), text = self._line_of(statement), self.text(statement)
        if indent is None or '"""' in text or "'''" in text:
            return None
        step, newline = self.module.default_indent, self.module.default_newline
        lines = [f"{step}{line}" if line.strip() else line for line in f"{indent}{text}".split(newline)]
        return Change(self.path, start, self._span(statement)[1], newline.join((f"{indent}{head}", *lines)))

    def marked(self, statement: cst.CSTNode, code: str) -> Change | None:
        """Code that runs before a statement, on its line where that can be."""
        if isinstance(statement, cst.SimpleStatementLine):
            start, _ = self._span(statement)
            return Change(self.path, start, start, f"{code}; ")
        return self.before(statement, code)

    def _line_of(self, statement: cst.CSTNode) -> tuple[int, str | None]:
        """Where its line begins, and its indent; None where something else stands before it."""
        begin, _ = self._span(statement)
        start = self.data.rfind(b"\n", 0, begin) + 1
        indent = self.data[start:begin].decode()
        return start, indent if not indent.strip() else None

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where it begins and ends, with its parentheses."""
        span = self._spans[node]
        start, end = span.start, span.start + span.length
        for _ in getattr(node, "lpar", ()):
            start, end = self.data.rfind(b"(", 0, start), self.data.find(b")", end) + 1
        return start, end

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self._parents.get(node)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What a node is in, from the inside out."""
        at = self._parents.get(node)
        while at is not None:
            yield at
            at = self._parents.get(at)

    def statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The line, or the compound statement, that a node is in."""
        kinds = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
        return next((each for each in (node, *self.around(node)) if isinstance(each, kinds)), self.module)

    def function(self, node: cst.CSTNode) -> cst.CSTNode:
        """The innermost function or class around; the module where there is none."""
        return next((each for each in self.around(node) if isinstance(each, _FUNCTIONS)), self.module)

    def loops(self, node: cst.CSTNode) -> list[Loop]:
        """The loops of its function whose bodies it is in, from the inside out."""
        found: list[Loop] = []
        inner = node
        for each in self.around(node):
            if isinstance(each, _FUNCTIONS):
                break
            if isinstance(each, cst.For | cst.While) and inner is each.body:
                found.append(each)
            inner = each
        return found

    def fresh_name(self, name: str, use: cst.CSTNode) -> str:
        """A name that the file does not have; another one for each use."""
        if id(use) not in self._fresh:
            numbered = (f"{name}_{number}" for number in range(2, len(self._taken) + 3))
            self._fresh[id(use)] = next(each for each in (name, *numbered) if each not in self._taken)
            self._taken.add(self._fresh[id(use)])
        return self._fresh[id(use)]


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from walk(child)


def calls_in(node: cst.CSTNode) -> list[cst.Call]:
    return [each for each in walk(node) if isinstance(each, cst.Call)]


def names_in(node: cst.CSTNode) -> set[str]:
    """Names that are read; of `model.device` that is `model`."""
    if isinstance(node, cst.Attribute | cst.Arg):
        return names_in(node.value)
    own = {node.value} if isinstance(node, cst.Name) else set()
    return own.union(*(names_in(child) for child in node.children))


def bound_in(node: cst.CSTNode, besides: cst.CSTNode | None = None) -> set[str]:
    """Names that something is given to, or to an attribute or an item; one statement may be left out."""
    own = names_in(node.target) if isinstance(node, _BINDING) else set()
    own |= names_in(node.name) if isinstance(node, cst.AsName) else set()
    return own.union(*(bound_in(child, besides) for child in node.children if child is not besides))


def full_name(node: cst.CSTNode) -> str:
    """The name, such as `torch.optim.Adam`; "" for what is no name."""
    is_name = isinstance(node, cst.Name) or (isinstance(node, cst.Attribute) and full_name(node.value))
    return (get_full_name_for_node(node) or "") if is_name else ""


def last_name(node: cst.CSTNode) -> str:
    """The name of a function or a method, whatever that is called on."""
    return node.attr.value if isinstance(node, cst.Attribute) else full_name(node)


def keyword(call: cst.Call, name: str) -> cst.BaseExpression | None:
    return next((each.value for each in call.args if each.keyword and each.keyword.value == name), None)


def applied(data: bytes, changes: Sequence[Change]) -> bytes:
    """The bytes of a file with its changes, of which none overlaps another."""
    for change in sorted(set(changes), key=lambda each: (each.start, each.end), reverse=True):
        data = data[: change.start] + change.text.encode() + data[change.end :]
    return data


def overlap(one: Sequence[Change], other: Sequence[Change]) -> bool:
    """Whether two edits change the same bytes otherwise."""
    pairs = ((a, b) for a in one for b in other if a != b and a.file == b.file)
    return any(a.start < b.end and b.start < a.end for a, b in pairs)
