"""The family of errors: one root, the tree of its docstring, nothing beside it."""

from __future__ import annotations

import re

from tbprof import errors


def drawn_parents() -> dict[str, str]:
    """Each error of the docstring's drawing, with the one it hangs from."""
    parents: dict[str, str] = {}
    above = {0: "Exception"}
    for line in (errors.__doc__ or "").splitlines():
        drawn = re.match(r"    (?P<branches>(?:\|   |\|-- |`-- |    )*)(?P<name>[A-Z]\w+)  ", line)
        if drawn:
            depth = len(drawn["branches"]) // 4
            parents[drawn["name"]] = above[depth]
            above[depth + 1] = drawn["name"]
    return parents


def test_the_drawing_is_the_family() -> None:
    family = {name: getattr(errors, name).__base__.__name__ for name in errors.__all__}
    assert drawn_parents() == family


def test_every_error_is_one_of_tbprofs_and_says_what_it_means() -> None:
    for name in errors.__all__:
        error = getattr(errors, name)
        assert issubclass(error, errors.TbprofError), name
        assert error.__doc__, name
        assert str(error("a sentence")) == "a sentence", name
