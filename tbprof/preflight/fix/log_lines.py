"""Lines that only print or track, and what counts the turns of the loop that they are in."""

from __future__ import annotations

import libcst as cst

from tbprof.preflight.fix.source import (
    Change,
    Loop,
    ProgramFile,
    calls_in,
    full_name,
    keyword,
    last_name,
    walk,
)

_LOGGING = frozenset(
    ("print", "debug", "info", "warning", "add_scalar", "add_scalars", "log_metric", "log_metrics")
) | {"set_postfix", "set_postfix_str", "set_description"}
"""They print or track; what goes to a file of the program's own is not compared, and stays."""
_READING = frozenset(
    ("item", "detach", "cpu", "tolist", "numpy", "float", "double", "long", "int", "mean")
) | {
    *(
        "sum",
        "std",
        "max",
        "min",
        "amax",
        "amin",
        "norm",
        "abs",
        "argmax",
        "sqrt",
        "exp",
        "square",
        "all",
        "any",
    ),
    *(
        "size",
        "len",
        "str",
        "round",
        "format",
        "join",
        "list",
        "tuple",
        "get_last_lr",
        "get_scale",
        "t",
        "eq",
    ),
    *("keys", "values", "items", "flatten", "view", "reshape", "squeeze", "topk", "count_nonzero", "clamp"),
}
"""What may be called on the way to a printed value: it changes nothing."""


def only_logs(line: cst.SimpleStatementLine) -> bool:
    """Whether it prints or tracks, and calls nothing that could change something on the way."""
    value = line.body[0].value if len(line.body) == 1 and isinstance(line.body[0], cst.Expr) else None
    if not isinstance(value, cst.Call) or keyword(value, "file") is not None:
        return False
    if last_name(value.func) not in _LOGGING and full_name(value.func) != "wandb.log":
        return False
    inner = [call.func for argument in value.args for call in calls_in(argument)]
    is_bound = any(isinstance(node, cst.NamedExpr | cst.Await) for node in walk(value))
    return not is_bound and all(last_name(each) in _READING or _is_of_library(each) for each in inner)


def _is_of_library(function: cst.CSTNode) -> bool:
    first, _, rest = full_name(function).partition(".")
    return first in ("torch", "math", "time", "F") and "rand" not in rest


def is_seldom(file: ProgramFile, line: cst.CSTNode) -> bool:
    """Whether it is in a branch of its loop that a remainder decides."""
    for each in file.around(line):
        if isinstance(each, cst.For | cst.While):
            return False
        if isinstance(each, cst.If) and any(isinstance(node, cst.Modulo) for node in walk(each.test)):
            return True
    return False


def counter_of(file: ProgramFile, loop: Loop) -> tuple[str, list[Change]]:
    """The name of what counts the turns of a loop, and what makes it count them."""
    if not isinstance(loop, cst.For):
        return "", []
    called = full_name(loop.iter.func) if isinstance(loop.iter, cst.Call) else ""
    if called == "range":
        return full_name(loop.target), []
    if called == "enumerate" and isinstance(loop.target, cst.Tuple):
        return full_name(loop.target.elements[0].value), []
    name, target = file.fresh_name("step", loop), file.text(loop.target)
    inner = f"({target})" if isinstance(loop.target, cst.Tuple) and target[0] != "(" else target
    iterated = file.replace(loop.iter, f"enumerate({file.text(loop.iter)})")
    return name, [file.replace(loop.target, f"{name}, {inner}"), iterated]
