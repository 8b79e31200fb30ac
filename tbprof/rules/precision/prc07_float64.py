"""The device computes in float64.

What
    Kernels work on tensors of float64.

Why
    Most devices compute float64 at a small part of their rate, and every such tensor takes twice the
    memory. It is mostly there by accident: an array of NumPy, a Python float in a tensor, a default that
    was changed.

Example
    before:
        targets = torch.from_numpy(array).cuda()
    after:
        targets = torch.from_numpy(array).float().cuda()

Action
    Convert these tensors to float32.

Fix
    Give arrays of NumPy `.astype(numpy.float32)` or their tensors `.float()` before they go to the
    device.
    caveat: sums over very many numbers, and solvers, may need float64.

Silent
    Not reported if such kernels take less than 1 % of the steps. Only a ceiling is known: the class is at
    most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.rules.base.computing import computing_finding, device_ns, is_worth_a_word, kernels_named, spent_on
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.words import Float64, HardlyFloat64

_CODE = "PRC07"

_FLOAT64 = r"dgemm|dgemv|<double[,>]|double(?: const)?\*|\(double, double\)#"
"""Element types in the names of kernels; a number that is only handed over says nothing."""


def find(facts: Facts) -> Iterator[Finding]:
    work = kernels_named(facts, _FLOAT64)
    spent_ns = device_ns(facts, work)
    if is_worth_a_word(facts, spent_ns):
        yield computing_finding(
            facts,
            _CODE,
            work,
            ceiling_ns=spent_ns,
            figures=Float64(*spent_on(facts, work)),
            keeps_launches=True,
        )


def _looked_at(facts: Facts) -> HardlyFloat64 | None:
    kernels = len(facts.kernels_in_steps)
    return HardlyFloat64(kernels, found=len(kernels_named(facts, _FLOAT64))) if kernels else None


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    answers=("busy",),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK,),
    is_of_device=True,
)
