"""Images change their layout again and again.

What
    Kernels that reorder a tensor between channels-first and channels-last run in each step, before and
    after convolutions.

Why
    Convolutions on tensor cores want the channels last. A model that keeps them first has each
    convolution's input, weight and output reordered, which computes nothing.

Example
    before:
        model = model.cuda()
        out = model(images)
    after:
        model = model.cuda().to(memory_format=torch.channels_last)
        out = model(images.to(memory_format=torch.channels_last))

Action
    Keep images and model in channels_last.

Fix
    Convert the model once and the images as they come with `memory_format=torch.channels_last`.
    caveat: an op without a channels-last form converts back; then the reordering only moves.

Silent
    Not reported if these kernels take less than 1 % of the steps. Only a ceiling is known: the class is at
    most medium.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import LONG_PAUSE_NS
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.model import Finding
from tbprof.rules.base.computing import computing_finding, device_ns, is_worth_a_word, kernels_named, spent_on
from tbprof.rules.base.launching import gaps_ns, launching
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.precision.words import HardlyReordered, Reordering

_CODE = "PRC04"

_REORDERING = r"nchwToNhwc|nhwcToNchw|^batched_transpose_|^transpose_(?:NCHW|CNHW)"
"""The kernels of cuDNN and MIOpen that reorder, as in public traces of both."""


def find(facts: Facts) -> Iterator[Finding]:
    work = kernels_named(facts, _REORDERING)
    spent_ns = device_ns(facts, work)
    if is_worth_a_word(facts, spent_ns):
        host_ns = earlier_host_ns(facts, launching(facts, work, LONG_PAUSE_NS))
        won_ns = spent_ns + gaps_ns(facts, work) + host_ns
        yield computing_finding(
            facts,
            _CODE,
            work,
            ceiling_ns=won_ns,
            figures=Reordering(*spent_on(facts, work)),
            confidence="high",
        )


def _looked_at(facts: Facts) -> HardlyReordered | None:
    convolutions = kernels_named(facts, r"conv|cudnn|wgrad|dgrad|fprop|winograd|igemm")
    if not len(convolutions):
        return None
    return HardlyReordered(len(convolutions), reordering=len(kernels_named(facts, _REORDERING)))


RULE = Rule(code=_CODE, answers=("busy",), find=find, passing=_looked_at, needs=(GPU_WORK,))
