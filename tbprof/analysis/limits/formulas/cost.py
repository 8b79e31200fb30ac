"""What a formula says of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from tbprof.analysis.limits.formulas.inputs import Inputs
from tbprof.records import dataclass

Family: TypeAlias = Literal[
    "matmul", "convolution", "attention", "normalization", "embedding", "reduction", "element-wise"
]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True, slots=True)
class Cost:
    flops: int
    """A multiplication and an addition are two."""
    bytes: int
    """What has to be read and written at the least: every input and every result once."""
    dtype: str
    """Of what is computed with: torch's name of it."""
    on_matrix_units: bool = False
    """Whether tensor or matrix cores can do it."""
    repeated_flops: int = 0
    """The part of `flops` that computes again what was not kept: the scores in the backward of attention."""


CostOf: TypeAlias = Callable[[Inputs], Cost]
"""Raises LookupError, TypeError or ValueError where the inputs do not tell it."""
