"""Torch's questions about modes, where the program holds them and no module names them.

A default argument, a local or an attribute of a class can be given no other function, so that who calls it
learns of a mode of ours.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter

from tbprof.hook.safety.modes import ANSWERS, asking_modules, hidden

_QUESTIONS = tuple(torch_s for torch_s, _ in ANSWERS)
_LEAST_OF_A_TABLE = 100
"""Torch has tables of all of its functions, which it makes when it is first asked for them."""


def are_questions_held() -> bool:
    """Whether the program holds one, taken before any mode of ours was there."""
    held = _held()
    if hidden or all(now <= known for now, known in zip(held, _known, strict=True)):
        return False
    tables = _in_tables()
    if any(now > known + tables[id(one)] for now, known, one in zip(held, _first, _QUESTIONS, strict=True)):
        return True
    _known[:] = held
    return False


def _held() -> list[int]:
    """How many references there are to each, but for names in modules; it matters only how many more."""
    spaces = {id(namespace): namespace for _, namespace in asking_modules()}
    named = Counter(id(one) for space in spaces.values() for one in tuple(space.values()))
    return [sys.getrefcount(one) - named[id(one)] for one in _QUESTIONS]


def _in_tables() -> Counter[int]:
    spaces = {id(namespace) for _, namespace in asking_modules()}
    return Counter(
        id(one)
        for table in gc.get_referrers(*_QUESTIONS)
        if type(table) in (dict, set) and len(table) >= _LEAST_OF_A_TABLE and id(table) not in spaces
        for one in _QUESTIONS
        if one in table
    )


_first = _held()
_known = list(_first)
