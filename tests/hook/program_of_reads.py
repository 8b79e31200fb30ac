"""A program with every form of waiting and copying that the line recorder knows, each on its own line.

A line that must be recorded ends in `# records:` and the call; no other line may be.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn


def plain_functions(values: Tensor, number: Tensor, whole: Tensor) -> None:
    number.item()  # records: item
    float(number)  # records: __float__
    int(number)  # records: __int__
    complex(number)  # records: __complex__
    ["a", "b", "c"][whole]  # records: __index__
    values.tolist()  # records: tolist
    values.numpy()  # records: numpy
    np.asarray(values)  # records: __array__
    torch.equal(values, values)  # records: equal
    torch.allclose(values, values)  # records: allclose
    torch.is_nonzero(number)  # records: is_nonzero
    1.0 in values  # noqa: B015  # records: __contains__
    repr(values)  # records: __repr__
    f"{number:.2f}"  # records: __format__
    values.sum()
    values * 2


def control_flow(number: Tensor, flags: Tensor) -> None:
    if number > 0:  # records: __bool__
        pass
    while not flags.all():  # records: __bool__
        break
    assert number > 0  # records: __bool__
    for _ in range(torch.tensor(2)):  # records: __index__
        pass


def shapes_that_depend_on_data(values: Tensor) -> None:
    values.nonzero()  # records: nonzero
    torch.argwhere(values)  # records: argwhere
    torch.where(values > 0.5)  # records: where
    torch.where(values > 0.5, values, 0.0)
    values.masked_select(values > 0.5)  # records: masked_select
    torch.unique(values)  # records: unique
    values.unique_consecutive()  # records: unique_consecutive
    torch.bincount(values.long())  # records: bincount
    values.repeat_interleave(values.long() + 1)  # records: repeat_interleave
    values.repeat_interleave(values.long() + 1, output_size=4)
    values.repeat_interleave(2)
    values.repeat_interleave(values.long() + 1, 0)  # records: repeat_interleave
    nn.functional.one_hot(values.long())  # records: one_hot
    nn.functional.one_hot(values.long(), 2)
    nn.functional.one_hot(values.long(), num_classes=2)
    values.histc(4)  # records: histc
    values.histc(4, 0.0, 1.0)
    torch.eye(2, device=values.device).inverse()  # records: inverse
    torch.linalg.inv_ex(torch.eye(2, device=values.device))


def copies(values: Tensor, device: torch.device) -> None:
    values.to(device)  # records: to
    values.to(device, torch.float64, True)  # records: to
    values.to(torch.float64)
    values.cpu()  # records: cpu
    values.clone().copy_(values, non_blocking=True)  # records: copy_
    torch.tensor([1.0, 2.0], device=device)  # records: tensor
    torch.tensor([1.0, 2.0])
    torch.as_tensor([1.0, 2.0], device=device)  # records: as_tensor
    nn.Linear(2, 2).to(device)  # records: to


def indexing(values: Tensor, whole: Tensor) -> None:
    values[values > 0.5]  # records: __getitem__
    values[[0, 1]]  # records: __getitem__
    values[np.array([0, 1])]  # records: __getitem__
    values[: whole.clone()]  # records: __index__
    values[0]
    values[1:3]
    values[None, ...]
    values[torch.tensor([0, 1])]
    values[whole]  # records: __index__
    values[values > 2] = 0.0
    values[values > 0.5] = values[:2].clone()  # records: __setitem__
    values[[0, 1]] = 1.0  # records: __setitem__
    values[0] = 1.0  # records: __setitem__
    values[torch.tensor([0, 1])] = 1.0  # records: __setitem__
    values[:2] = 1.0


class Metric:
    """A method, a property and a static method."""

    def __init__(self, number: Tensor) -> None:
        self.number = number

    def update(self) -> float:
        return self.number.item()  # records: item

    @property
    def value(self) -> float:
        return float(self.number)  # records: __float__

    @staticmethod
    def read(number: Tensor) -> bool:
        return bool(number)  # records: __bool__


def logged(function: Callable[[Tensor], float]) -> Callable[[Tensor], float]:
    @functools.wraps(function)
    def wrapper(number: Tensor) -> float:
        before = number.item()  # records: item
        return function(number) - before

    return wrapper


@logged
def decorated(number: Tensor) -> float:
    return number.item()  # records: item


def expressions(values: Tensor, number: Tensor) -> None:
    [row.item() for row in values.unbind()]  # records: item
    {i: float(row) for i, row in enumerate(values.unbind())}  # records: __float__
    read = lambda tensor: tensor.item()  # noqa: E731  # records: item
    read(number)
    list(map(read, values.unbind()))
    sum(
        int(row)  # records: __int__
        for row in values.unbind()
    )
    max(values.unbind())  # records: __bool__


def library_calls(weights: nn.Parameter) -> None:
    optimizer = torch.optim.Adam([weights])
    weights.sum().backward()
    # Torch's own code reads for these lines, and from version to version in other ways.
    nn.utils.clip_grad_norm_([weights], 1.0, error_if_nonfinite=True)  # records some
    optimizer.step()  # records some


def run(device: torch.device) -> None:
    """All of it, once."""
    values, number = torch.tensor([0.1, 0.9, 0.8, 0.2], device="cpu"), torch.tensor(1.5)  # records: tensor
    plain_functions(values, number, torch.tensor(2))
    control_flow(number, values > 0.5)
    shapes_that_depend_on_data(values)
    copies(values, device)
    indexing(values, torch.tensor(2))
    metric = Metric(number)
    assert metric.update() == metric.value
    metric.read(number)
    decorated(number)
    expressions(values, number)
    library_calls(nn.Parameter(torch.ones(3)))
