"""What a command says beside its output, on stderr."""

from __future__ import annotations

import sys

from tbprof.harmless import plain
from tbprof.records import dataclass
from tbprof.remote.stand_ins import addressed
from tbprof.standard_streams import discard

__all__ = ["Problem", "tell"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file gave nothing, or what a run lacks: said on stderr, and a part of what is printed as JSON."""

    path: str
    """Of the file, or of the run's folder."""
    sentence: str


def tell(sentence: str) -> None:
    """Say one sentence, as one line. Where stderr can't be written to, nothing is said."""
    try:
        sys.stderr.write(f"tbprof: {plain(addressed(sentence))}\n")
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
