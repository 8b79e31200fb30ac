"""Embeddings and other reads and writes by index, which move elements and compute next to nothing.

Each index reads its row anew: which rows were asked for twice is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import Inputs, Tensor


def _embedding(inputs: Inputs) -> Cost:
    """Rows of a table `[n, width]`."""
    table, indices = inputs.tensor(0), inputs.tensor(1)
    rows = table.like((indices.elements, table.shape[1]))
    return Cost(0, indices.bytes + 2 * rows.bytes, table.dtype)


def _embedding_backward(inputs: Inputs) -> Cost:
    """Every row of the table's gradient is written, those that nobody asked for with zeros."""
    gradient, indices = inputs.tensor(0), inputs.tensor(1)
    table = gradient.like((int(inputs.number(2)), gradient.shape[-1]))
    return Cost(gradient.elements, gradient.bytes + indices.bytes + table.bytes, gradient.dtype)


def _embedding_bag(inputs: Inputs) -> Cost:
    """A sum of rows for each offset."""
    table, indices, offsets = (inputs.tensor(at) for at in range(3))
    rows = table.like((indices.elements, table.shape[1]))
    sums = table.like((offsets.elements, table.shape[1]))
    moved = indices.bytes + offsets.bytes + rows.bytes + sums.bytes
    return Cost(rows.elements, moved, table.dtype)


def _index_select(inputs: Inputs) -> Cost:
    x, index = inputs.tensor(0), inputs.tensor(2)
    dim = inputs.numbers(1, 1)[0] % len(x.shape)
    chosen = x.like((*x.shape[:dim], index.elements, *x.shape[dim + 1 :]))
    return Cost(0, index.bytes + 2 * chosen.bytes, x.dtype)


def _gather(inputs: Inputs) -> Cost:
    x, index = inputs.tensor(0), inputs.tensor(2)
    return Cost(0, index.bytes + 2 * x.like(index.shape).bytes, x.dtype)


def _added_by_index(inputs: Inputs) -> Cost:
    """`index_add_`, `scatter_add_`: what is met is read and written."""
    x, index, source = inputs.tensor(0), inputs.tensor(2), inputs.tensor(3)
    met: Tensor = x.like(source.shape)
    return Cost(source.elements, index.bytes + source.bytes + 2 * met.bytes, x.dtype)


def _chosen_loss(inputs: Inputs) -> Cost:
    """`nll_loss_forward`: one value of each row."""
    x, target = inputs.tensor(0), inputs.tensor(1)
    return Cost(target.elements, target.bytes + x.like(target.shape).bytes, x.dtype)


def _chosen_loss_backward(inputs: Inputs) -> Cost:
    """All of the gradient is written, most of it with zeros."""
    x, target = inputs.tensor(1), inputs.tensor(2)
    return Cost(target.elements, target.bytes + x.bytes, x.dtype)


LOOKUPS: Mapping[str, CostOf] = {
    "aten::embedding": _embedding,
    "aten::embedding_dense_backward": _embedding_backward,
    "aten::_embedding_bag": _embedding_bag,
    "aten::index_select": _index_select,
    "aten::gather": _gather,
    "aten::index_add_": _added_by_index,
    "aten::scatter_add_": _added_by_index,
    "aten::nll_loss_forward": _chosen_loss,
    "aten::nll_loss_backward": _chosen_loss_backward,
}
