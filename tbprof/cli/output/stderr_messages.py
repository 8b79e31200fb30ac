"""What a command says beside its output, on stderr."""

from __future__ import annotations

import sys

from tbprof.escaping import plain
from tbprof.records import dataclass
from tbprof.remote.placeholders import addressed
from tbprof.standard_streams import discard


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file gave nothing, or what a run lacks: said on stderr, and a part of what is printed as JSON."""

    path: str
    """Of the file, or of the run's folder."""
    sentence: str
    names_path: bool = False
    """Whether the sentence does so itself, as those of errors do."""

    @property
    def told(self) -> str:
        """As one sentence for people."""
        return self.sentence if self.names_path else f"{self.path}: {self.sentence}"

    def document(self) -> dict[str, str]:
        """As JSON has it."""
        return {"path": self.path, "sentence": self.sentence}


def tell(sentence: str) -> None:
    """Say one sentence, as one line. Where stderr can't be written to, nothing is said."""
    try:
        sys.stderr.write(f"tbprof: {plain(addressed(sentence))}\n")
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
