"""How a rule says the figures of its findings in a sentence, and those figures as people read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tbprof.model import Numbers
from tbprof.texts.figures.quantities import duration, share
from tbprof.texts.figures.scopes import Scope

Note: TypeAlias = Callable[[Numbers, Scope], str]
"""From the numbers of a finding, and what they are figures of, to whole sentences; "" for nothing to say.

Raises KeyError where a number is missing, as in a report of another version.
"""

_NS_PER_US = 1000


def duration_of(numbers: Numbers, name: str) -> str:
    """That of the number called so, which is in ns."""
    return duration(float(numbers[name]) / _NS_PER_US)


def number_of(numbers: Numbers, name: str) -> str:
    return f"{float(numbers[name]):g}"


def about_of(numbers: Numbers, name: str) -> str:
    """A mean of counts as a whole number, which is said to be one only where it is."""
    value = float(numbers[name])
    if value < 1:
        return f"{value:g}"
    return f"{value:,.0f}" if value.is_integer() else f"about {value:,.0f}"


def share_of(numbers: Numbers, name: str) -> str:
    """In percent, of a number from 0 to 1."""
    return share(float(numbers[name]))
