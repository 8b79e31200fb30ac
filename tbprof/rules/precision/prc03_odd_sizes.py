"""Sizes of products are not multiples of 8.

What
    Products of matrices run on tensor cores by kernels that read one, two or four numbers at once, since the
    rows of a matrix do not begin at multiples of 16 bytes.

Why
    The fastest kernels read 16 bytes at once: 8 numbers of 16 bits, or 4 of 32. A row of 50257 or 577
    numbers lets only every eighth row begin there, and the library takes kernels of an older kind, which
    reach a part of the rate.

Example
    before:
        head = nn.Linear(768, 50257)
    after:
        head = nn.Linear(768, 50304)

Action
    Pad these sizes to multiples of 8; 64 is better still.

Fix
    Choose vocabularies, hidden sizes and numbers of classes as multiples of 64, and pad sequences to
    multiples of 8. A mask, or leaving out what was padded, keeps the results the same. Where attention is
    written out, `scaled_dot_product_attention` takes any length.
    caveat: padding computes more: by 1 % for 577 to 584, and by half for 5 to 8.

Silent
    Not reported if these kernels exceed the rates of the data sheet by less than 1 % of the steps; without
    shapes those rates are not known, and all of their time counts. Kernels whose names do not say how they
    read, such as those of cuBLAS itself, are not judged. Only a ceiling is known: the class is at most
    medium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_limits import find_limits
from tbprof.analysis.figures.operators import find_operators
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import computing_finding, device_ns, in_main_steps, is_worth_a_word, spent_on
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.words import OddSizes, WholeReads
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, distinct_places

_CODE = "PRC03"

_ALIGNED = re.compile(
    r"cutlass.*tensorop(?P<type>\w*?)_[a-z]?\d+(?:gemm|fprop|dgrad|wgrad)\w*_align(?P<numbers>\d+)"
)
"""CUTLASS names its kernels after what one read takes."""

_BYTES = {"_bf16": 2, "_f16": 2, "_fp16": 2, "_h": 2, "": 4, "_tf32": 4, "_f32": 4}
"""The bytes of a number, by the type in the name; float32 has none there."""

_WHOLE_READ_BYTES = 16

_LONGEST_INPUTS = 80


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    judged: Int64s
    """Kernels of the steps whose names say how they read, by their positions."""
    odd: Int64s
    """The products that read less than 16 bytes at once."""


def find(facts: Facts) -> Iterator[Finding]:
    odd = facts.once(_products).odd
    took_ns = device_ns(facts, odd)
    if not is_worth_a_word(facts, took_ns):
        return
    won_ns, inputs = _above_limit(facts, odd)
    if is_worth_a_word(facts, won_ns):
        figures = OddSizes(*spent_on(facts, odd), inputs=inputs)
        yield computing_finding(facts, _CODE, odd, ceiling_ns=won_ns, figures=figures, keeps_launches=True)


def _products(facts: Facts) -> _Products:
    kernels = np.flatnonzero(facts.work.is_kernel)
    names, of = distinct_places(facts.trace.slices.name[facts.work.rows[kernels]])
    reads = np.array([_read_bytes(facts.trace.names[name]) for name in names.tolist()], np.int64)[of]
    judged = in_main_steps(facts, kernels[reads > 0])
    odd = in_main_steps(facts, kernels[(reads > 0) & (reads < _WHOLE_READ_BYTES)])
    return _Products(judged, odd)


def _read_bytes(name: str) -> int:
    """How many bytes a kernel reads at once; 0 where its name does not say."""
    found = _ALIGNED.search(name)
    return int(found["numbers"]) * _BYTES.get(found["type"], 0) if found else 0


def _above_limit(facts: Facts, odd: Int64s) -> tuple[int, str]:
    """What these kernels take above the limit of their products, and the inputs that take longest."""
    took_ns = device_ns(facts, odd)
    if not len(facts.trace.input_shapes.rows):
        return took_ns, ""
    operators = facts.once(find_operators)
    limits = facts.once(find_limits)
    call = operators.of_work[odd]
    covering = limits.covering[call[call != NONE]]
    products = distinct(covering[covering != NONE])
    if not len(products):
        return took_ns, ""
    longest = operators.rows[products[np.argmax(operators.device_total_ns[products])]]
    shapes = int(facts.trace.input_shapes.at(np.array([longest]))[0])
    inputs = "" if shapes == NONE else facts.trace.names[shapes][:_LONGEST_INPUTS]
    return took_ns - min(int(limits.limit_ns[products].sum()), took_ns), inputs


def _looked_at(facts: Facts) -> WholeReads | None:
    products = facts.once(_products)
    if not len(products.judged):
        return None
    share = device_ns(facts, products.odd) / max(facts.steps.total_ns, 1)
    return WholeReads(len(products.judged), odd=len(products.odd), share=share)


RULE = Rule(
    code=_CODE, effect="shorter_kernels", answers=("busy",), find=find, passing=_looked_at, needs=(GPU_WORK,)
)
