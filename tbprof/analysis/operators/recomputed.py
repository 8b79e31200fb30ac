"""Which calls compute again in the backward pass what the forward pass did not keep (checkpointing).

autograd records them as a forward pass, inside one of its functions. It does the same for a backward pass
that is to be differentiated again (`create_graph`), which can't be told apart here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.operators.host_tree import climbed
from tbprof.analysis.operators.operators import Operators
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Trace


def recomputed_calls(trace: Trace, operators: Operators) -> npt.NDArray[np.bool_]:
    """One entry a call; without the table `autograd` of the trace none is known."""
    if trace.autograd is None or len(operators) == 0:
        return np.zeros(len(operators), np.bool_)
    number = trace.autograd.autograd_number.at(operators.rows)
    is_backward = trace.autograd.forward_thread.at(operators.rows) > 0
    is_numbered = number >= 0
    nearest = climbed(np.where(is_numbered, np.arange(len(number)), operators.parent), is_numbered)
    known = nearest != NONE
    found = np.zeros(len(operators), np.bool_)
    inside = climbed(operators.parent, is_backward) != NONE
    found[known] = ~is_backward[nearest[known]] & inside[nearest[known]]
    return found
