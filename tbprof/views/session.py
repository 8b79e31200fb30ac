"""The session of a project in the tab: what was asked, proposed, proved, measured and decided."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.records import dataclass
from tbprof.session_file import Note
from tbprof.texts.figures.quantities import count

_MOST_NOTES = 500


@dataclass(frozen=True, slots=True)
class SessionView:
    verdict: str
    detail: str
    notes: tuple[Note, ...]
    """The newest first."""


def session_view(notes: Sequence[Note]) -> SessionView:
    """The newest notes, and how many proposals were decided on."""
    kinds = [note.kind for note in notes]
    accepted, rejected = kinds.count("accept"), kinds.count("reject")
    proposals = count(kinds.count("proposal"), "proposal")
    left_out = len(notes) - _MOST_NOTES
    return SessionView(
        verdict=f"{proposals}, {accepted} accepted and {rejected} rejected.",
        detail=f"{count(left_out, 'older note')} not shown." if left_out > 0 else "",
        notes=tuple(reversed(notes[-_MOST_NOTES:])),
    )
