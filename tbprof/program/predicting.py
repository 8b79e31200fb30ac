"""Whether a program runs under preflight, and so takes no real steps: a hook in it records nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLE = "TBPROF_PREFLIGHT"
"""A variable of the environment, since processes that the program starts are under preflight, too."""


def is_predicted() -> bool:
    """Whether this process, or one that it was started by, is under preflight."""
    return os.environ.get(_VARIABLE) == "1"


@contextmanager
def predicting() -> Iterator[None]:
    """What runs inside is under preflight; within another preflight, it stays so."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = before
