"""Kernel names as people can read them.

The name of a kernel of C++ is its whole signature. What tells it from others is its function and what it is
a template of: the functor of an element-wise kernel, the type, the GEMM within CUTLASS' `Kernel2<...>`.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operators import find_operators
from tbprof.analysis.intervals import distinct_lines
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

MOST_LETTERS = 96
"""The most letters of a short name; the rest is cut."""

_MANGLED = re.compile(r"_ZN(?=\d)")
_NOISE = re.compile(
    r"\(anonymous namespace\)::|<unnamed>::|\{lambda\([^{}]*?\)#\d+\}|::operator\(\)\(\)( const)?|^void "
)
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


@dataclass(frozen=True, slots=True)
class Compiled:
    file: str | None
    """The file of Inductor's output; it is on the machine that recorded."""
    block_sizes: str | None
    """What autotuning chose, as `XBLOCK=2,R0_BLOCK=2048`."""


def compiled_kernels(
    facts: Facts, kernels: Int64s, length: Int64s, at: Int64s, count: int
) -> list[Compiled | None]:
    """The compiled kernel with most time in each group, any of equal ones; None where its launch says
    nothing.

    Args:
        facts: Of the window.
        kernels: Positions in `Facts.work`.
        length: How long each ran.
        at: Group of each, from 0 on.
        count: Of the groups.
    """
    found: list[Compiled | None] = [None] * count
    table = facts.trace.kernels
    if table is None or not len(table.kernel_file.rows):
        return found
    operators = facts.once(find_operators)
    calls = operators.of_work[kernels]
    rows = np.where(calls == NONE, NONE, operators.rows[calls])
    keys = np.stack([at, table.kernel_file.at(rows), table.kernel_kwargs.at(rows)], axis=1)
    distinct, which = distinct_lines(keys)
    spent = np.zeros(len(distinct), np.int64)
    np.add.at(spent, which, length)
    for group, file, block_sizes in distinct[np.argsort(spent, kind="stable")].tolist():
        if file != NONE:
            found[group] = Compiled(_text(facts, file), _text(facts, block_sizes))
    return found


def _text(facts: Facts, name: int) -> str | None:
    return None if name == NONE else facts.trace.names[name] or None
