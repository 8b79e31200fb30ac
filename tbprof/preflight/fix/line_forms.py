"""Edits of lines that read from the device, copy to it, or ask it for a size.

Each has the rules that find its lines, and writes changes where the text of the line has its form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import libcst as cst

from tbprof.line_rules import SCALAR_BYTES
from tbprof.preflight.fix.log_lines import counter_of, is_seldom, only_logs
from tbprof.preflight.fix.source import (
    Change,
    Loop,
    ProgramFile,
    bound_in,
    calls_in,
    full_name,
    keyword,
    last_name,
    names_in,
    walk,
)
from tbprof.preflight.prediction import PredictedSite
from tbprof.records import dataclass

EVERY = 10
"""In how many steps what is printed is read once."""

_MADE_ANYWHERE = ("zeros", "ones", "full", "empty", "arange", "linspace", "eye")
"""Functions of torch whose result is the same wherever it is made."""
_FROM_NUMBERS = ("tensor", "as_tensor")
_PURE = frozenset(_MADE_ANYWHERE + _FROM_NUMBERS) | {"len", "range", "list", "float", "int", "to", "cuda"}
"""Calls that give the same each time."""
_NOT_PLAIN = (cst.Subscript, cst.NamedExpr, cst.Lambda, cst.BaseComp, cst.Await, cst.Yield)
_OPERATORS = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.Power)


@dataclass(frozen=True, slots=True)
class Found:
    """A line that a rule has found, in its file."""

    file: ProgramFile
    line: int
    site: PredictedSite

    def calls(self, *names: str) -> list[cst.Call]:
        """Calls of functions or methods of these names."""
        return [call for call in self.file.at(cst.Call, self.line) if last_name(call.func) in names]


class LineForm:
    """An edit of a line that a rule has found."""

    rules: ClassVar[tuple[str, ...]]
    title: ClassVar[str]

    def edit(self, at: Found) -> Sequence[Change | None]:
        """The changes, with None for one that can't be made; none at all where the line has another form."""
        raise NotImplementedError


class Pinned(LineForm):
    """`x.to(device)` of a batch as `x.to(device, non_blocking=True)`, with a DataLoader that pins it."""

    rules = ("CPY01", "CPY02", "CPY03", "CPY04")
    title = "copy from pinned memory without waiting"

    def edit(self, at: Found) -> Sequence[Change | None]:
        calls = at.calls("to", "cuda")
        options = [(call, "non_blocking") for call in calls]
        if at.site.memory != "pinned":
            loaders = {id(each): each for call in calls for each in _loaders(at.file, call)}
            options += [(call, "pin_memory") for call in loaders.values()]
            if not loaders:
                return ()
        missing = [(call, name) for call, name in options if not _is_true(call, name)]
        return [at.file.with_argument(call, name, "True") for call, name in missing]


def _is_true(call: cst.Call, name: str) -> bool:
    value = keyword(call, name)
    return value is not None and full_name(value) == "True"


def _loaders(file: ProgramFile, call: cst.Call) -> list[cst.Call]:
    """Where the DataLoader is made that a batch comes from; all of the file where it is a parameter."""
    known, names = set[str](), names_in(call.func)
    while names - known:
        known |= names
        names = names.union(*(_read_for(node, known) for node in file.nodes))
    made = [each for each in file.all(cst.Call) if last_name(each.func) == "DataLoader"]
    is_given = bool(known & {each.name.value for each in file.all(cst.Param)})
    assigns = [(each, at) for each in made for at in file.around(each) if isinstance(at, cst.Assign)]
    named = [each for each, assign in assigns if names_in(assign.targets[0].target) & known]
    return named or (made if is_given else [])


def _read_for(node: cst.CSTNode, names: set[str]) -> set[str]:
    """What one statement reads to bind one of these names."""
    if isinstance(node, cst.For | cst.CompFor):
        return names_in(node.iter) if names_in(node.target) & names else set()
    is_bound = isinstance(node, cst.Assign) and any(names_in(each.target) & names for each in node.targets)
    return names_in(node.value) if is_bound and isinstance(node, cst.Assign) else set()


class MadeThere(LineForm):
    """`torch.zeros(4).to(device)` as `torch.zeros(4, device=device)`."""

    rules = ("CPY01", "CPY03", "CPY04")
    title = "make it on the device"

    def edit(self, at: Found) -> Sequence[Change | None]:
        changes = []
        for call in at.calls("to", "cuda"):
            made = call.func.value if isinstance(call.func, cst.Attribute) else call
            device = at.file.text(call.args[0].value) if call.args else '"cuda"'
            is_plain = len(call.args) <= 1 and all(each.keyword is None for each in call.args)
            if is_plain and _is_of_torch(made, _MADE_ANYWHERE) and isinstance(made, cst.Call) and made.args:
                text = at.file.text(made)[:-1].rstrip().rstrip(",")
                changes.append(at.file.replace(call, f"{text}, device={device})"))
        return changes


class Filled(LineForm):
    """`torch.tensor(0.5, device=device)` as `torch.full((), 0.5, device=device)`."""

    rules = ("CPY03", "CPY04", "CPY05")
    title = "fill it on the device with the number"

    def edit(self, at: Found) -> Sequence[Change | None]:
        changes: list[Change] = []
        for call in at.calls(*_FROM_NUMBERS):
            plain = [each.value for each in call.args if each.keyword is None]
            if not _is_of_torch(call, _FROM_NUMBERS) or len(plain) != 1 or keyword(call, "device") is None:
                continue
            shape, number = "()", plain[0]
            if isinstance(number, cst.List) and len(number.elements) == 1:
                shape, number = "(1,)", number.elements[0].value
            if not isinstance(number, cst.List | cst.Tuple) and at.site.most_bytes <= SCALAR_BYTES:
                text = f"{shape}, {at.file.text(number)}"
                changes += [at.file.replace(call.func, "torch.full"), at.file.replace(plain[0], text)]
        return changes


class IndexMadeOnce(LineForm):
    """`x[[2, 0]]` as `x[index]`, with a tensor on the device that is made before the loop."""

    rules = ("CPY05",)
    title = "make the index once, on the device"

    def edit(self, at: Found) -> Sequence[Change | None]:
        changes: list[Change | None] = []
        device = "device" if "device" in bound_in(at.file.module) | at.file.parameters() else '"cuda"'
        for subscript in at.file.at(cst.Subscript, at.line):
            for element in subscript.slice:
                index = element.slice.value if isinstance(element.slice, cst.Index) else None
                if isinstance(index, cst.List):
                    text = f"torch.tensor({at.file.text(index)}, device={device})"
                    changes += _hoisted(at.file, index, text, "index")
                elif isinstance(index, cst.Call) and full_name(index.func) == "range":
                    text = f"torch.arange{at.file.text(index)[len('range') : -1]}, device={device})"
                    changes += _hoisted(at.file, index, text, "index")
        return changes


class Hoisted(LineForm):
    """A tensor of constants made before the loop, once."""

    rules = ("CPY01", "CPY03", "CPY04", "CPY05")
    title = "make the constant once, before the loop"

    def edit(self, at: Found) -> Sequence[Change | None]:
        is_move = at.site.call in ("to", "cuda")
        if is_move and not at.site.is_constant:
            return ()
        for call in at.calls(*((at.site.call,) if is_move else _FROM_NUMBERS + _MADE_ANYWHERE)):
            is_made = is_move or _is_of_torch(call, _FROM_NUMBERS + _MADE_ANYWHERE)
            if is_made and (changes := _hoisted(at.file, call, at.file.text(call), "constant")):
                return changes
        return ()


def _hoisted(file: ProgramFile, made: cst.BaseExpression, text: str, name: str) -> Sequence[Change | None]:
    """What makes it before the outermost loop in which it stays the same."""
    loops = file.loops(made)
    same = next((turn for turn, loop in enumerate(loops) if not _is_same_in(loop, made)), len(loops))
    if not same:
        return ()
    loop, statement = loops[same - 1], file.statement(made)
    assign = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(assign, cst.Assign) and assign.value is made and len(assign.targets) == 1:
        target = full_name(assign.targets[0].target)
        if target and "." not in target and target not in bound_in(loop, besides=assign):
            return [file.before(loop, f"{target} = {text}"), file.removed(statement)]
    fresh = file.fresh_name(name, made)
    return [file.before(loop, f"{fresh} = {text}"), file.replace(made, fresh)]


def _is_same_in(loop: Loop, expression: cst.CSTNode) -> bool:
    """Whether it has one value in all turns of a loop, as far as its text shows."""
    is_pure = all(last_name(call.func) in _PURE for call in calls_in(expression))
    is_plain = not any(isinstance(node, _NOT_PLAIN) for node in walk(expression))
    return is_pure and is_plain and names_in(expression).isdisjoint(bound_in(loop))


class Seldom(LineForm):
    """What is only printed or tracked, in a branch that one of ten steps takes."""

    rules = ("SYN01", "SYN04", "SYN05")
    title = f"read what is only printed or tracked in every {EVERY}th step"

    def edit(self, at: Found) -> Sequence[Change | None]:
        lines = at.file.at(cst.SimpleStatementLine, at.line)
        loops = at.file.loops(lines[0]) if lines else []
        steps = [
            any(last_name(call.func) in ("backward", "step") for call in calls_in(loop)) for loop in loops
        ]
        # Of a loop inside a step each turn is wanted.
        if not loops or not all(at.site.per_step[1:]) or (any(steps) and not steps[0]):
            return ()
        if len(lines) > 1 or not only_logs(lines[0]) or is_seldom(at.file, lines[0]):
            return ()
        counter, changes = counter_of(at.file, loops[0])
        return [*changes, at.file.indented(lines[0], f"if {counter} % {EVERY} == 0:")] if counter else ()


class AddedUp(LineForm):
    """`total += loss.item()` as `total += loss.detach()`: it is read where it is printed."""

    rules = ("SYN01", "SYN05")
    title = "add it up on the device"
    way = ".detach()"

    def edit(self, at: Found) -> Sequence[Change | None]:
        sums = [
            each for each in at.file.at(cst.AugAssign, at.line) if isinstance(each.operator, cst.AddAssign)
        ]
        reads = [call for each in sums if full_name(each.target) for call in calls_in(each.value)]
        return [
            at.file.replace(call, f"{at.file.text(call.func.value)}{self.way}")
            for call in reads
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "item"
        ]


class AddedUpAsPython(AddedUp):
    """The same with the precision of Python's numbers."""

    way = ".detach().double()"


class Counted(LineForm):
    """`torch.bincount(y, minlength=4)` as a `scatter_add_` into four zeros."""

    rules = ("SYN03",)
    title = "count by scatter_add_ into the classes that are known"

    def edit(self, at: Found) -> Sequence[Change | None]:
        changes = []
        for call in at.calls("bincount"):
            number, values = keyword(call, "minlength"), call.args[0].value if len(call.args) == 2 else call
            if _is_of_torch(call, ("bincount",)) and number is not None and full_name(values):
                name = at.file.text(values)
                zeros = f"torch.zeros({at.file.text(number)}, dtype=torch.long, device={name}.device)"
                text = f"{zeros}.scatter_add_(0, {name}, torch.ones_like({name}))"
                changes.append(at.file.replace(call, text))
        return changes


class Chosen(LineForm):
    """`x[mask] = x[mask] * 2` as `x = torch.where(mask, x * 2, x)`, and sums of `x[mask]` likewise."""

    rules = ("SYN03",)
    title = "choose by the mask without its size"

    def edit(self, at: Found) -> Sequence[Change | None]:
        for assign in at.file.at(cst.Assign, at.line):
            target = assign.targets[0].target
            if isinstance(target, cst.Subscript) and full_name(target.value) and len(assign.targets) == 1:
                whole, mask = at.file.text(target.value), _mask(at.file, target)
                text = mask and _without_mask(at.file, assign.value, mask)
                return (
                    [at.file.replace(assign, f"{whole} = torch.where({mask}, {text}, {whole})")]
                    if text
                    else ()
                )
        found = [_added_up(at.file, call) for call in at.calls("sum", "mean")]
        return [change for change in found if change is not None]


def _added_up(file: ProgramFile, call: cst.Call) -> Change | None:
    """`x[mask].sum()` or `.mean()`, with zeros in place of what the mask leaves out."""
    chosen = call.func.value if isinstance(call.func, cst.Attribute) else call
    if call.args or not isinstance(chosen, cst.Subscript) or not full_name(chosen.value):
        return None
    mask = _mask(file, chosen)
    text = f"torch.where({mask}, {file.text(chosen.value)}, 0).sum()"
    if last_name(call.func) == "mean":
        count = mask if mask.isidentifier() else f"({mask})"
        is_alone = isinstance(file.parent(call), cst.Assign | cst.Arg)
        text = f"{text} / {count}.sum()" if is_alone else f"({text} / {count}.sum())"
    return file.replace(call, text) if mask else None


def _mask(file: ProgramFile, subscript: cst.Subscript) -> str:
    """The text of an index that is one name or comparison; "" for others."""
    element = subscript.slice[0].slice if len(subscript.slice) == 1 else None
    index = element.value if isinstance(element, cst.Index) else None
    if index is None or calls_in(index):
        return ""
    inner = index.expression if isinstance(index, cst.UnaryOperation) else index
    return file.text(index) if isinstance(inner, cst.Comparison) or full_name(inner) else ""


def _without_mask(file: ProgramFile, value: cst.BaseExpression, mask: str) -> str:
    """The text of what is computed value by value, of whole tensors; "" for anything else."""
    if isinstance(value, cst.Subscript):
        return file.text(value.value) if _mask(file, value) == mask and full_name(value.value) else ""
    if isinstance(value, cst.Integer | cst.Float):
        return file.text(value)
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        inner = _without_mask(file, value.expression, mask)
        return inner and f"-{inner}"
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _OPERATORS):
        left, right = (_without_mask(file, each, mask) for each in (value.left, value.right))
        text = f"{left} {file.text(value.operator).strip()} {right}"
        return (f"({text})" if value.lpar else text) if left and right else ""
    return ""


def _is_of_torch(call: cst.CSTNode, names: Sequence[str]) -> bool:
    """Whether it calls one of these functions of torch's, as `torch.zeros(4)`."""
    name = full_name(call.func) if isinstance(call, cst.Call) else ""
    return name.startswith("torch.") and name.rpartition(".")[2] in names


LINE_FORMS: tuple[LineForm, ...] = (
    *(MadeThere(), Filled(), IndexMadeOnce(), Hoisted(), Pinned()),
    *(Seldom(), AddedUp(), AddedUpAsPython(), Counted(), Chosen()),
)
"""In the order in which they are tried."""
