"""Names that a recording holds, as they stand within a sentence."""

from __future__ import annotations

from tbprof.model import Numbers

_LONGEST = 160
"""Letters of a name; a longer one would bury the sentence."""


def name_words(name: str) -> str:
    """Short enough for a sentence, and without the marks by which one sets words apart."""
    shown = name.replace("`", "\u02cb").replace("**", "\u2217\u2217")
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\u2026"


def numbers_in_words(numbers: Numbers) -> Numbers:
    """The same of all names among the numbers of a sentence."""
    return {key: name_words(value) if isinstance(value, str) else value for key, value in numbers.items()}
