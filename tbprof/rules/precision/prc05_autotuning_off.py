"""Convolutions are not tuned for their shapes.

What
    The shapes of the convolutions are the same in each step, and cuDNN takes the algorithm that it
    expects to be fast instead of the one that it measured.

Why
    With `cudnn.benchmark` cuDNN tries its algorithms once for each shape and keeps the fastest. With
    fixed shapes that costs a few seconds at the start.

Example
    before:
        model = ResNet().cuda()
    after:
        torch.backends.cudnn.benchmark = True
        model = ResNet().cuda()

Action
    Set torch.backends.cudnn.benchmark = True.

Fix
    Set the switch before the first step.
    caveat: with shapes that change it tries again for each new one; results differ in the last digit from
    run to run.

Silent
    Not reported without shapes, if shapes of convolutions change from step to step, for a single step, or
    if convolutions take less than 5 % of the steps. Only a trial shows how fast another algorithm is: no
    saving is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.model import BOUND_SHARE, Finding
from tbprof.rules.base.computing import device_ns, in_main_steps
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import launched_inside
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.precision.words import Convolutions, UntunedConvolutions
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

_CODE = "PRC05"

_CONVOLUTION = r"aten::cudnn_convolution|aten::miopen_convolution|aten::convolution_backward"


def find(facts: Facts) -> Iterator[Finding]:
    rows, share = _convolutions(facts)
    if _benchmark(facts) == "False" and share >= BOUND_SHARE and _is_steady(facts, rows):
        yield window_finding(
            _CODE,
            place="",
            severity="low",
            count=len(rows),
            removal="rewrite",
            saving=None,
            confidence="medium",
            evidence=row_evidence(facts, "op", rows),
            figures=UntunedConvolutions(len(rows), share),
        )


def _benchmark(facts: Facts) -> str:
    return "" if facts.trace.facts is None else facts.trace.facts.settings.get("cudnn.benchmark", "")


def _convolutions(facts: Facts) -> tuple[Int64s, float]:
    """The convolutions in the steps, and the part of the steps that their kernels take."""
    rows = matching_rows(facts.trace, _CONVOLUTION, Category.CPU_OP)
    rows = rows[facts.steps.index_of(facts.trace.slices.start_ns[rows]) != NONE]
    spent_ns = device_ns(facts, in_main_steps(facts, launched_inside(facts, rows)))
    return rows, spent_ns / max(facts.steps.total_ns, 1)


def _is_steady(facts: Facts, rows: Int64s) -> bool:
    """Whether each step has the same shapes."""
    step = facts.steps.index_of(facts.trace.slices.start_ns[rows])
    shapes = facts.trace.input_shapes.at(rows)
    sets = {tuple(distinct(shapes[step == number]).tolist()) for number in distinct(step).tolist()}
    return len(facts.steps) > 1 and len(sets) == 1


def _looked_at(facts: Facts) -> Convolutions | None:
    rows, share = _convolutions(facts)
    return Convolutions(len(rows), share, benchmark=_benchmark(facts)) if len(rows) else None


RULE = Rule(
    code=_CODE,
    answers=("busy",),
    find=find,
    passing=_looked_at,
    needs=(
        GPU_WORK,
        Need("shapes", lambda facts: len(facts.trace.input_shapes.rows) > 0),
        Need("facts of the hook", lambda facts: _benchmark(facts) != ""),
    ),
    no_saving="how fast another algorithm is only trying tells",
)
