"""What a program's own ranges are: steps, operators, or labels."""

from __future__ import annotations

import re

_STEP = re.compile(
    r"(?:ProfilerStep#|(?:train(?:ing)?[ _]?)?(?:step|iteration|iter|batch)[ _:#=]*)(\d{1,18})", re.IGNORECASE
)
_OPERATOR = re.compile(r"(?:aten|autograd|c10d|prims)::")
_NUMBERS = re.compile(r", (?:seq|op_id|sizes|input_op_ids|seq_id) = ")
"""What `torch.autograd.profiler.emit_nvtx` puts behind a name: `aten::add, seq = 3, op_id = 7`."""


def category_and_name(text: str) -> tuple[str, str]:
    """The category and the name of the slice that a range becomes.

    >>> category_and_name("iteration 12")
    ('user_annotation', 'ProfilerStep#12')
    >>> category_and_name("aten::add, seq = 3")
    ('cpu_op', 'aten::add')
    """
    step = _STEP.fullmatch(text.strip())
    if step is not None:
        return "user_annotation", f"ProfilerStep#{int(step[1])}"
    name = _NUMBERS.split(text, maxsplit=1)[0]
    return ("cpu_op" if _OPERATOR.match(name) else "user_annotation"), name
