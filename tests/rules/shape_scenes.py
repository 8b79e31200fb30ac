"""Ops with the shapes, types and values of their inputs, as `record_shapes=True` writes them."""

from __future__ import annotations

from collections.abc import Sequence

from trace_builder import TraceBuilder


def typed_op(
    built: TraceBuilder,
    name: str,
    start: float,
    end: float,
    *,
    dims: Sequence[Sequence[int]],
    types: Sequence[str] = (),
    values: Sequence[str] = (),
) -> None:
    """An op; `values` are those of the inputs that are no tensors, as text."""
    built.op(name, start, end)
    shapes = [list(one) for one in dims]
    args = {"Input Dims": shapes, "Input type": list(types), "Concrete Inputs": list(values)}
    built.events[-1]["args"] |= {key: value for key, value in args.items() if value}


def numbered_op(
    built: TraceBuilder, name: str, start: float, end: float, number: int, *, thread: int = 0
) -> None:
    """An op that autograd saw; `thread` is that of the forward op, of what autograd itself runs."""
    built.op(name, start, end)
    built.events[-1]["args"] |= {"Sequence number": number, "Fwd thread id": thread}
