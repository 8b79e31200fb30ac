"""What goes on at the moment, on stderr: one line that is rewritten; on no terminal a line now and then."""

from __future__ import annotations

import sys
import time

from tbprof.escaping import plain

_EVERY_S = 2.0
"""Between lines of a log."""


class Progress:
    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty()
        self._told = -_EVERY_S
        self._width = 0

    def show(self, text: str) -> None:
        """In place of what was shown last."""
        text = plain(text)
        if self._rewrites:
            sys.stderr.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        elif time.monotonic() - self._told >= _EVERY_S:
            sys.stderr.write(f"{text}\n")
            self._told = time.monotonic()
        sys.stderr.flush()

    def clear(self) -> None:
        """Before something is printed."""
        if self._rewrites and self._width:
            sys.stderr.write(f"\r{'':<{self._width}}\r")
            sys.stderr.flush()
            self._width = 0
