"""What the names of recorded ranges say of a program's parts."""

from __future__ import annotations

import re

from tbprof.model import ProgramPartKind
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class PartLabel:
    """One part of a program."""

    kind: ProgramPartKind
    name: str
    """Unique: `Linear_3`, or the path `GPT.layers.3.up` where the hook marked the modules."""
    class_name: str
    """"" of a part that has none."""


LOSS = PartLabel("loss", "loss", "")
"""Operators behind the modules of a step for which autograd runs something: the loss as a function.

With what lies between these, the modules and `backward()`: masks, targets.
"""
COMMUNICATION = PartLabel("communication", "communication", "")
"""Collectives that no module's own forward pass launched, such as the buckets of DistributedDataParallel."""
BEFORE = PartLabel("before", "before the modules", "")
"""From the begin of a step, a backward pass or the optimizer to the next module: the batch is prepared."""
BETWEEN = PartLabel("between", "between the modules", "")
"""From one module that lies in no other to the next: what several models, or their calls, hand on."""
GRADIENTS = PartLabel("gradients", "between backward and optimizer", "")
"""Gradients are clipped."""
AFTER = PartLabel("after", "behind the modules", "")
"""From the last part of a step to its end: metrics, averages of weights, what inference does with results."""

_MARK = re.compile(r"nn\.Module: (?P<name>.+) \((?P<type>[^()]+)\)")
_FRAME = re.compile(r"nn\.Module: (?P<name>(?P<type>.+?)(?:_\d+)?)")
_OPTIMIZER = re.compile(r"Optimizer\.\w+#(?P<name>.+)")
_GRAPH = re.compile(r"## Call CompiledFxGraph (?P<hash>\w{8})\w* ##")
_LOSS = re.compile(r"loss|criterion", re.IGNORECASE)


def part_label(text: str) -> PartLabel:
    """Of the name of a range that `part_ranges` finds."""
    module = _MARK.fullmatch(text) or _FRAME.fullmatch(text)
    if module is not None:
        return PartLabel("module", module["name"], module["type"])
    optimizer = _OPTIMIZER.fullmatch(text)
    if optimizer is not None:
        return PartLabel("optimizer", optimizer["name"], "")
    graph = _GRAPH.fullmatch(text)
    return PartLabel("compiled", text if graph is None else f"compiled graph {graph['hash']}", "")


def is_loss(label: PartLabel) -> bool:
    """Whether a module that lies in no other one computes the loss, by the name of its class."""
    return label.kind == "module" and _LOSS.search(label.class_name) is not None
