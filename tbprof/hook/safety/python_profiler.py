"""The function that the program gave to `sys.setprofile`: torch's call stacks take its place."""

from __future__ import annotations

import sys
from typing import Any


class PythonProfiler:
    """Keeps it while call stacks are recorded; both calls come from the thread that is recorded."""

    def __init__(self) -> None:
        self._function: Any = None

    def keep(self) -> None:
        """A recording may begin."""
        self._function = sys.getprofile()

    def give_back(self) -> None:
        """The recording is over. One that is written in C, as cProfile's is, can't be given back."""
        if callable(self._function) and sys.getprofile() is None:
            sys.setprofile(self._function)
        self._function = None
