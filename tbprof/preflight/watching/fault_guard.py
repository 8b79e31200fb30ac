"""No fault of preflight's own bookkeeping reaches the program: it is said, and the program goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from tbprof.preflight.watching.recording import remark

P = ParamSpec("P")


def lost(where: str, error: Exception) -> None:
    """Say what could not be looked at, and by which fault."""
    first_line = next(iter(str(error).splitlines()), "").rstrip(". ")
    remark(
        f"{where} could not be looked at ({type(error).__name__}: {first_line}); "
        "the program went on, and lines of it may be missing here"
    )


def fault_guarded(bookkeeping: Callable[P, None]) -> Callable[P, None]:
    """The same function, which says what it lost where it would have raised.

    Only for what notes or marks: what runs the program's own call raises the program's errors.
    """
    name = bookkeeping.__name__.strip("_")

    @wraps(bookkeeping)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            bookkeeping(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the border to the program
            call = args[0] if args and isinstance(args[0], str) else name
            lost(call, error)

    return guarded
