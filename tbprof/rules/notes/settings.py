"""What findings about settings say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.texts.figures.places import Scope


def _setting(numbers: Numbers, _: Scope) -> str:
    """The switch as it stands."""
    return f"{numbers['place']} is {numbers['value']}."


env01 = env02 = env03 = env04 = env05 = env06 = env07 = _setting
