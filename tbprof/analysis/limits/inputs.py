"""The recorded inputs of one call: `Input Dims`, `Input type` and `Concrete Inputs`, parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, Literal, TypeAlias, get_args

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import dtype_name, item_bytes, listed

Shape: TypeAlias = tuple[int, ...]

INDEX_BYTES = 8
"""The size of the number of an element, an int64."""
TRUTH_BYTES = 1


class NotRecorded(LookupError):
    """An input that a formula needs is not there, or is something else."""


@dataclass(frozen=True, slots=True)
class Tensor:
    shape: Shape
    dtype: str
    """Torch's name of it."""
    item_bytes: int

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * self.item_bytes

    def like(self, shape: Shape) -> Tensor:
        """Another one of its type."""
        return Tensor(shape, self.dtype, self.item_bytes)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs by position. What is no tensor has an empty shape; lists of tensors have no recorded
    types.
    """

    shapes: tuple[Any, ...]
    types: tuple[str, ...]
    values: tuple[str, ...]
    """The values that are no tensors, as text; empty where the file has none."""

    @classmethod
    def parse(cls, shapes: str, types: str, values: str) -> Inputs:
        """The inputs from the JSON of each, "" where not recorded.

        Raises:
            ValueError: A text is no list.
        """
        return cls(listed(shapes), listed(types), listed(values))

    def tensor(self, at: int) -> Tensor:
        """The one at this position.

        Raises:
            NotRecorded: None is there, or one of an unknown type.
        """
        size = item_bytes(self.types[at])
        if size is None:
            raise NotRecorded(at)
        return Tensor(_whole(self.shapes[at]), dtype_name(self.types[at]), size)

    def has_tensor(self, at: int) -> bool:
        return at < min(len(self.shapes), len(self.types)) and item_bytes(self.types[at]) is not None

    def optional_bytes(self, *places: int) -> int:
        """The bytes of the tensors at these positions that are there."""
        return sum(self.tensor(at).bytes for at in places if self.has_tensor(at))

    def flag(self, at: int) -> bool:
        """A truth value.

        Raises:
            NotRecorded: It is none.
        """
        value = self._value(at)
        if value not in ("True", "False"):
            raise NotRecorded(at)
        return value == "True"

    def number(self, at: int) -> float:
        return float(self._value(at))

    def numbers(self, at: int, count: int) -> Shape:
        """A list of whole numbers; one number stands for all."""
        text = self._value(at)
        found = listed(text) if text.startswith("[") else (int(text),)
        return _whole(found * count if len(found) == 1 else found)

    def flags(self, at: int) -> tuple[bool, ...]:
        """The flags of a list such as `[True, False]`."""
        return listed(self._value(at).lower())

    def _value(self, at: int) -> str:
        if at >= len(self.values) or self.values[at] == "":
            raise NotRecorded(at)
        return self.values[at]


def _whole(numbers: Iterable[Any]) -> Shape:
    """Checked: of a damaged file they may be anything."""
    found = tuple(numbers)
    if not all(type(number) is int for number in found):
        raise NotRecorded(found)
    return found


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
    """The type that is computed with: torch's name of it."""
    on_matrix_units: bool = False
    """Whether tensor or matrix cores can do it."""
    repeated_flops: int = 0
    """The part of `flops` that computes again what was not kept: the scores in the backward of attention."""


CostOf: TypeAlias = Callable[[Inputs], Cost]
"""Raises LookupError, TypeError or ValueError where the inputs do not tell it."""
