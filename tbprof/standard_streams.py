"""What a command prints, on whatever stdout and stderr it was given.

A sign that the stream's encoding lacks (Windows redirects in cp1252 or gbk, a C locale in ASCII)
is written another way; a closed or full stdout is one sentence; a lost stderr costs nothing.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator

from tbprof.errors import OutputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

SUBSTITUTES = {
    "\u202f": " ",
    "\u00b5": "u",
    "\u02cb": "'",
    "\u2217": "*",
    "\u00b1": "+/-",
    "\u00d7": "x",
    "\u2014": "-",
    "\u2212": "-",
    "\u2039": "<",
    "\u203a": ">",
    "\u201c": '"',
    "\u201d": '"',
    "\u2026": "...",
    "\u2192": "->",
    "\ufffd": "?",
}
"""Each sign beyond ASCII that tbprof itself writes, in ASCII."""

_SUBSTITUTING = "tbprof.substituting"
_RAISING = ("strict", "surrogateescape")
"""Handlers of which the second makes bytes of surrogates alone; of all other signs it makes an error, too."""


def substitute_unencodable(stream: TextIO) -> None:
    """Write from now on what the encoding of `stream` lacks by `SUBSTITUTES`, else as an escape.

    A handler of errors that somebody chose (`PYTHONIOENCODING=ascii:replace`) stays.
    """
    if isinstance(stream, io.TextIOWrapper) and (stream.errors in _RAISING or stream is sys.stderr):
        codecs.register_error(_SUBSTITUTING, _substituted)
        stream.reconfigure(errors=_SUBSTITUTING)


def _substituted(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(SUBSTITUTES.get(sign) or _escaped(sign, error.encoding) for sign in signs), error.end


def _escaped(sign: str, encoding: str) -> str:
    """The spelling of a Python literal; a question mark where the encoding has no backslash."""
    escape = sign.encode("ascii", "backslashreplace").decode()
    try:
        escape.encode(encoding)
    except UnicodeEncodeError:
        return "?"
    return escape


def prepare_streams() -> None:
    """Make stdout and stderr fit to be written to, for a command that ends with its process."""
    open_closed_streams()
    substitute_unencodable(sys.stdout)
    substitute_unencodable(sys.stderr)


def open_closed_streams() -> None:
    """Have a stdout and a stderr where there is none: a write to the first then says so."""
    # Where a number is free, the next file that is opened would get it, and what is printed.
    for name, number, flags in (("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, _stand_in(number, flags))


def _stand_in(number: int, flags: int) -> TextIO:
    """The null device in the place of a closed stream; for reading only, a write to it is an error.

    Child processes find the stream closed, as they would have.
    """
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number, inheritable=False)
        os.close(opened)
    return open(number, "w", encoding="utf-8", closefd=False)


def with_plain_spaces(text: str) -> str:
    """The same with ordinary spaces between figures and units, as `grep` and `awk` expect them."""
    return text.replace("\u202f", " ")


def put(text: str) -> None:
    """Print to stdout; what is no terminal gets plain spaces.

    Raises:
        OutputError: It is closed, or its disk is full.
        BrokenPipeError: Its reader has seen enough.
    """
    with _saying_why():
        sys.stdout.write(text if sys.stdout.isatty() else with_plain_spaces(text))


def flush_output() -> None:
    """Print what waits in the buffers; what stderr does not take is lost.

    Raises:
        OutputError: as `put` does.
        BrokenPipeError: as `put` does.
    """
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
    with _saying_why():
        sys.stdout.flush()


@contextlib.contextmanager
def _saying_why() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise OutputError(f"the output can't be written ({error.strerror}): redirect it elsewhere") from error


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """For output that an exit code follows: the code counts, whether or not all was read."""
    try:
        yield
        flush_output()
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: TextIO) -> None:
    """Let what waits in the buffer of a stream go nowhere: Python would fail on it at its end."""
    with contextlib.suppress(OSError, ValueError), io.FileIO(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
