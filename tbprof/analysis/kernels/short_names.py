"""Kernel names as people can read them.

The name of a kernel of C++ is its whole signature. What tells it from others is its function and what it is
a template of: the functor of an element-wise kernel, the type, the GEMM within CUTLASS' `Kernel2<...>`.
"""

from __future__ import annotations

import re
from functools import lru_cache

MOST_LETTERS = 96
"""Of a short name; the rest is cut."""

_MANGLED = re.compile(r"_ZN(?=\d)")
_NOISE = re.compile(r"\(anonymous namespace\)::|\{lambda\([^{}]*?\)#\d+\}|::operator\(\)\(\)( const)?|^void ")
_RETURNS = re.compile(r"^std::enable_if<.*?>::type ")
_TENSILE = re.compile(r"(Cijk_\w+?_(?:MI|MFMA)\d+(?:x\d+)*)_.*")
_CUTLASS = re.compile(r"cutlass\w*::Kernel\d?<(\w*cutlass_\w+)>")
_TELLS_NOTHING = re.compile(
    r"-?\d+u?l*|true|false|unsigned int|\(.*\)-?\d+"
    r"|.*(?:OffsetCalculator|std::array|detail::Array|Load(?:er|WithoutCast)|Stor(?:er|eWithoutCast)"
    r"|memory::|Policy).*",
    re.DOTALL,
)
_MOST_ARGUMENTS = 2
_GENERIC = ("kernel", "Kernel", "globalKernel")
"""Function names that need the namespace before them."""


@lru_cache(maxsize=16384)
def short_name(name: str) -> str:
    """The function without namespaces and parameters, with what its template says of it."""
    if _MANGLED.match(name):
        return _cut(_demangled(name))
    if tensile := _TENSILE.match(name):
        return _cut(tensile[1])
    if cutlass := _CUTLASS.search(name):
        return cutlass[1]
    text = _NOISE.sub("", _RETURNS.sub("", name))
    return _cut(_readable(text))


def _readable(text: str) -> str:
    function, arguments = _parts(text)
    kept = dict.fromkeys(_readable(one) for one in arguments if _TELLS_NOTHING.fullmatch(one.strip()) is None)
    shown = ", ".join(list(kept)[:_MOST_ARGUMENTS])
    return f"{function}<{shown}>" if shown else function


def _parts(text: str) -> tuple[str, list[str]]:
    """A function or type without its namespaces, and the arguments of its template; parameters go."""
    depth, begin, arguments = 0, 0, list[str]()
    for at, letter in enumerate(text):
        if letter in "<(":
            if depth == 0 and (letter == "(" or arguments):
                return _last(text[: at if not arguments else text.index("<")]), arguments
            depth += 1
            begin = at + 1 if depth == 1 else begin
        elif letter in ">)":
            depth -= 1
            if depth == 0:
                arguments.append(text[begin:at])
        elif letter == "," and depth == 1:
            arguments.append(text[begin:at])
            begin = at + 1
    return _last(text.partition("<")[0]), arguments


def _last(name: str) -> str:
    *outer, last = name.strip().removesuffix("const").rstrip(" *&:").split("::")
    return f"{outer[-1]}::{last}" if outer and last in _GENERIC else last.strip()


def _demangled(name: str) -> str:
    """The nested name of a mangled one: enough to read, no parameters."""
    at, parts = _MANGLED.match(name).end(), list[str]()  # type: ignore[union-attr]
    while length := re.match(r"\d+", name[at:]):
        begin = at + length.end()
        at = begin + int(length[0])
        parts.append(name[begin:at])
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N_"))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
