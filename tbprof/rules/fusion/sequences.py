"""Ops that follow one another as in the formula of something that torch has as one op.

A step's ops are read as a text with one letter an op, and a formula is a pattern of such letters. Ops that
launch no kernel, such as views, are left out; what is no part of any formula is a dot.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import intersect, total_ns, union
from tbprof.framework_options import written_out_option
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import computing_finding, in_main_steps, is_worth_a_word, spent_on
from tbprof.rules.base.findings import with_remedy
from tbprof.rules.base.launching import gaps_ns, unbroken_ops
from tbprof.rules.base.rule import LooksAt
from tbprof.rules.fusion.words import HardlyWrittenOut, WrittenOut
from tbprof.trace.columns.arrays import Int64s, is_among

_LETTERS = {
    "P": "pow square",
    "M": "mean",
    "A": "add add_",
    "R": "rsqrt rsqrt_",
    "X": "mul mul_",
    "D": "div div_",
    "S": "sub sub_",
    "T": "to type_as float half bfloat16 _to_copy",
    "V": "var std var_mean",
    "Q": "sqrt",
    "E": "exp exp_",
    "U": "sum",
    "H": "tanh",
    "F": "erf",
    "G": "sigmoid",
    "O": "softmax _softmax",
    "B": "bmm baddbmm matmul",
    "L": "log",
    "N": "neg",
    "K": "masked_fill masked_fill_ where",
    "Y": "max amax",
    "C": "dropout dropout_",
    "Z": "log_softmax _log_softmax",
    "I": "gather",
    "W": "contiguous clone",
}
_LETTER_OF = {f"aten::{name}": letter for letter, names in _LETTERS.items() for name in names.split()}


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Where a formula was written out."""

    count: int
    work: Int64s
    """Positions of what it launched."""
    seen_ns: int
    """What it took less one pass over the data, the shortest kernel of each, and the idle of launching it."""
    won_ns: int
    """At most so much is won: with the host's time for it, and what the device needs between its kernels."""
    ops: int
    place: str
    """The function or label that most of them are in; "" where none is known."""


def finder(code: str, pattern: str) -> Callable[[Facts], Iterator[Finding]]:
    """The search of a rule for its formula; silent where it is hardly worth a word."""

    def find(facts: Facts) -> Iterator[Finding]:
        found = _find(facts, pattern)
        if not is_worth_a_word(facts, found.seen_ns):
            return
        share, per_step_ns = spent_on(facts, found.work)
        finding = computing_finding(
            facts,
            code,
            found.work,
            ceiling_ns=found.won_ns,
            figures=WrittenOut(
                share=share,
                per_step_ns=per_step_ns,
                written_out=found.count,
                ops=found.ops,
                kernels=len(found.work),
                per_time_ops=round(found.ops / found.count, 1),
                place=found.place,
            ),
        )
        frame = parse_frame(found.place, exact=False)
        option = None if frame is None else written_out_option(code, frame.file, frame.function)
        yield with_remedy(finding, hint="" if option is None else option.code)

    return find


def _find(facts: Facts, pattern: str) -> _Found:
    ops = facts.top_ops
    members = _members(facts, pattern)
    held = np.concatenate(members) if members else np.empty(0, np.int64)
    begins = np.cumsum([0, *map(len, members)])
    first, last = held[begins[:-1]], held[begins[1:] - 1]
    shortest_ns = np.minimum.reduceat(ops.shortest_ns[held], begins[:-1])
    shorter_ns = int(ops.device_ns[held].sum() - shortest_ns.sum())
    spans = union(*_reach(facts, first, last))
    late_ns = total_ns(intersect(facts.idle_of("launch"), spans))
    work = in_main_steps(facts, np.flatnonzero(is_among(ops.of_work, held) & facts.work.is_kernel))
    return _Found(
        count=len(members),
        work=work,
        seen_ns=shorter_ns + late_ns,
        won_ns=shorter_ns + gaps_ns(facts, work) + max(late_ns, earlier_host_ns(facts, spans)),
        ops=len(held),
        place=_commonest(facts.places.functions_within(*_reach(facts, first, last))),
    )


def _reach(facts: Facts, first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
    """The start of each first op, and the end of each last one."""
    rows, slices = facts.top_ops.rows, facts.trace.slices
    return slices.start_ns[rows[first]], slices.end_of(rows[last])


def _commonest(places: Sequence[str]) -> str:
    """The place of at least half of them, else ""."""
    place, count = max(Counter(places).items(), key=lambda one: one[1], default=("", 0))
    return place if 2 * count >= len(places) else ""


def _members(facts: Facts, pattern: str) -> list[Int64s]:
    """The ops of each time that the formula is written out."""
    launching, text = np.flatnonzero(facts.top_ops.kernels > 0), facts.once(_text)
    return [
        launching[found.start() : found.end()]
        for piece in facts.once(_unbroken)
        for found in re.compile(pattern).finditer(text, *piece)
    ]


def _unbroken(facts: Facts) -> list[tuple[int, int]]:
    return unbroken_ops(facts, np.flatnonzero(facts.top_ops.kernels > 0))


def _text(facts: Facts) -> str:
    """A letter for each op that launches kernels."""
    names = facts.trace.slices.name[facts.top_ops.rows[facts.top_ops.kernels > 0]]
    letters = "".join(_LETTER_OF.get(name, ".") for name in facts.trace.names).encode()
    return np.frombuffer(letters, np.uint8)[names].tobytes().decode()


def looked_for(pattern: str) -> LooksAt:
    """The ops that were looked at, and how many times the formula is there at no cost worth a word."""

    def looked_at(facts: Facts) -> HardlyWrittenOut | None:
        ops = int((facts.top_ops.kernels > 0).sum())
        return HardlyWrittenOut(ops, written_out=len(_members(facts, pattern))) if ops else None

    return looked_at
