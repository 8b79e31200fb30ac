"""Convolutions and their backward, counted as `torch.utils.flop_counter` does: biases add no FLOPs.

But for one thing: of a grouped convolution's backward torch counts the gradient of the weight as if there
were no groups. Here each output channel is multiplied with the input channels of its group only.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import Inputs, Shape, Tensor
from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class _Places:
    """Where an operator has its arguments."""

    stride: int
    padding: int
    dilation: int
    transposed: int | None
    """None for one that never is."""
    output_padding: int | None
    groups: int
    bias: int | None = 2


def _forward(places: _Places) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        x, weight = inputs.tensor(0), inputs.tensor(1)
        is_transposed = places.transposed is not None and inputs.flag(places.transposed)
        result = x.like(_result_shape(inputs, places, x.shape, weight.shape, is_transposed=is_transposed))
        bias = 0 if places.bias is None else inputs.optional_bytes(places.bias)
        return Cost(
            flops=_multiplied(x.shape, weight.shape, result.shape, is_transposed=is_transposed),
            bytes=x.bytes + weight.bytes + bias + result.bytes,
            dtype=x.dtype,
            on_matrix_units=True,
        )

    return cost


def _multiplied(x: Shape, weight: Shape, result: Shape, *, is_transposed: bool) -> int:
    """Every place of the smaller side meets the whole filter: of the input where it is transposed."""
    places = prod((x if is_transposed else result)[2:])
    return 2 * x[0] * places * prod(weight)


def _result_shape(inputs: Inputs, places: _Places, x: Shape, weight: Shape, *, is_transposed: bool) -> Shape:
    count = len(x) - 2
    stride, dilation = inputs.numbers(places.stride, count), inputs.numbers(places.dilation, count)
    sizes = zip(x[2:], weight[2:], stride, inputs.numbers(places.padding, count), dilation, strict=True)
    if is_transposed:
        beside = (
            (0,) * count if places.output_padding is None else inputs.numbers(places.output_padding, count)
        )
        spatial = [
            (size - 1) * step - 2 * padding + apart * (kernel - 1) + 1 + extra
            for (size, kernel, step, padding, apart), extra in zip(sizes, beside, strict=True)
        ]
        return (x[0], weight[1] * int(inputs.number(places.groups)), *spatial)
    spatial = [
        (size + 2 * padding - apart * (kernel - 1) - 1) // step + 1
        for size, kernel, step, padding, apart in sizes
    ]
    return (x[0], weight[0], *spatial)


def _backward(inputs: Inputs) -> Cost:
    """`convolution_backward`: the gradients of the input and of the weight, each where it is asked for."""
    gradient, x, weight = (inputs.tensor(at) for at in range(3))
    wants_input, wants_weight, *wants_bias = inputs.flags(10)
    once = _multiplied(x.shape, weight.shape, gradient.shape, is_transposed=inputs.flag(7))
    of_each = gradient.bytes + x.bytes + weight.bytes
    products = int(wants_input) + int(wants_weight)
    bias = _bias(gradient) if any(wants_bias) and products == 0 else 0
    return Cost(products * once, products * of_each + bias, x.dtype, on_matrix_units=True)


def _bias(gradient: Tensor) -> int:
    """Only its sum; beside another product the gradient is read anyway."""
    return gradient.bytes + gradient.like((gradient.shape[1],)).bytes


_ATEN = _Places(stride=3, padding=4, dilation=5, transposed=6, output_padding=7, groups=8)
_CUDNN = _Places(padding=2, stride=3, dilation=4, groups=5, transposed=None, output_padding=None, bias=None)
_MIOPEN = _Places(padding=3, stride=4, dilation=5, groups=6, transposed=None, output_padding=None)
_USERS = _Places(stride=3, padding=4, dilation=5, groups=6, transposed=None, output_padding=None)

CONVOLUTIONS: Mapping[str, CostOf] = {
    "aten::convolution": _forward(_ATEN),
    "aten::_convolution": _forward(_ATEN),
    "aten::convolution_overrideable": _forward(_ATEN),
    "aten::cudnn_convolution": _forward(_CUDNN),
    "aten::miopen_convolution": _forward(_MIOPEN),
    "aten::conv1d": _forward(_USERS),
    "aten::conv2d": _forward(_USERS),
    "aten::conv3d": _forward(_USERS),
    "aten::convolution_backward": _backward,
}
