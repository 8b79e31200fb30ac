"""Edits of what a program sets up: optimizers, gradients, the mode of an evaluation.

What they save a run without a GPU does not count: they are offered if the result is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, TypeAlias

import libcst as cst

from tbprof.preflight.fix.source import Change, ProgramFile, calls_in, full_name, keyword, last_name

_FUSED = frozenset(("Adam", "AdamW", "SGD", "Adagrad"))
_OTHER_WAYS = ("foreach", "fused", "capturable", "differentiable")
_EVALUATES = re.compile(r"eval|valid|test|predict|infer|generate|sample")

Found: TypeAlias = "Iterator[tuple[cst.CSTNode, Change | None]]"
"""A statement that must have run, since what did not run is not proved, with the change."""


class SettingForm:
    """An edit that no line asks for by waiting."""

    rule: ClassVar[str]
    title: ClassVar[str]

    def edits(self, file: ProgramFile) -> Found:
        raise NotImplementedError


class TurnedOn(SettingForm):
    """An argument that is False as True."""

    argument: ClassVar[str]
    function: ClassVar[str] = ""
    """The only one whose argument it is; "" where any may have it."""

    def edits(self, file: ProgramFile) -> Found:
        for call in file.all(cst.Call):
            value = keyword(call, self.argument)
            is_meant = not self.function or last_name(call.func) == self.function
            if is_meant and value is not None and full_name(value) == "False":
                yield file.statement(call), file.replace(value, "True")


class GradientsDropped(TurnedOn):
    """`zero_grad(set_to_none=True)`."""

    rule = "OPT03"
    title = "drop gradients instead of filling them with zeros"
    argument, function = "set_to_none", "zero_grad"


class Many(TurnedOn):
    """`foreach=False` as `foreach=True`."""

    rule = "OPT01"
    title = "update all parameters at once"
    argument = "foreach"


class Fused(SettingForm):
    """`Adam(..., fused=True)`, where nothing else is asked for."""

    rule = "OPT02"
    title = "take the fused optimizer"

    def edits(self, file: ProgramFile) -> Found:
        for call in file.all(cst.Call):
            if last_name(call.func) in _FUSED and not any(keyword(call, each) for each in _OTHER_WAYS):
                yield file.statement(call), file.with_argument(call, "fused", "True")


class Inference(SettingForm):
    """`torch.inference_mode()` for `torch.no_grad()`, around what evaluates."""

    rule = "INF02"
    title = "evaluate in inference mode"

    def edits(self, file: ProgramFile) -> Found:
        for call in file.all(cst.Call):
            if full_name(call.func) != "torch.no_grad" or call.args:
                continue
            block = file.parent(file.parent(call) or call)
            function = block if isinstance(block, cst.FunctionDef) else file.function(call)
            body = block.body if isinstance(block, cst.FunctionDef | cst.With) else None
            is_named = isinstance(function, cst.FunctionDef) and _EVALUATES.search(function.name.value)
            is_wanted = is_named or (body and any(last_name(each.func) == "eval" for each in calls_in(body)))
            if isinstance(body, cst.IndentedBlock) and is_wanted:
                yield body.body[0], file.replace(call, "torch.inference_mode()")


SETTING_FORMS: tuple[SettingForm, ...] = (GradientsDropped(), Fused(), Many(), Inference())


def shown_only(name: str, file: ProgramFile) -> Iterator[str]:
    """What would change the result, and is no edit: a sentence each."""
    is_again = any(file.loops(each) or file.function(each) is not file.module for each in file.all(cst.For))
    for call in file.all(cst.Call):
        place, workers = f"{name}:{file.line(call)}", keyword(call, "num_workers")
        is_ended = workers is not None and file.text(workers) != "0" and is_again
        if last_name(call.func) == "DataLoader" and is_ended and not keyword(call, "persistent_workers"):
            yield f"{place}: persistent_workers=True keeps workers, and later epochs draw other numbers"
        loss = full_name(call.func.value) if isinstance(call.func, cst.Attribute) else ""
        if last_name(call.func) == "backward" and loss and file.loops(call) and b"autocast" not in file.data:
            how = 'with torch.autocast("cuda", dtype=torch.bfloat16):'
            yield f"{place}: `{how}` around what computes `{loss}` takes faster products, rounded otherwise"
