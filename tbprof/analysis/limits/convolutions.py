"""Convolutions and their backward, counted as `torch.utils.flop_counter` does: biases add no FLOPs.

But for one thing: of a grouped convolution's backward torch counts the gradient of the weight as if there
were no groups. Here each output channel is multiplied with the input channels of its group only.

Normalizations, softmax among them, forward and backward.

Conventions, as no one's count is the true one: five operations an element forward (three of them for mean
and variance), nine backward, and six a channel. Of each channel, mean, variance, their updates, weight and
bias are moved once. Next to the elements none of this matters: memory is the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from tbprof.analysis.limits.inputs import Cost, CostOf, Inputs, NotRecorded, Shape, Tensor
from tbprof.records import dataclass

_FORWARD, _OF_STATISTICS, _BACKWARD = 2, 3, 9
_OF_CHANNEL = 6
_STATISTICS = 2
"""Mean and variance."""
_OF_WEIGHT = 2
_RMS_FORWARD, _RMS_BACKWARD, _RMS_WEIGHT = 4, 7, 3
"""The last one for the gradient of the weight."""
_SOFTMAX_FORWARD, _SOFTMAX_BACKWARD = 5, 4
_FLOAT32_BYTES = 4


def _normalization_forward(
    channels_of: Callable[[Inputs], int], *weights: int, training_at: int | None = None
) -> CostOf:
    def cost(inputs: Inputs) -> Cost:
        x, channels = inputs.tensor(0), channels_of(inputs)
        if not x.shape:
            raise NotRecorded(0)
        is_training = training_at is None or inputs.flag(training_at)
        values = _STATISTICS * (1 + is_training) + sum(map(inputs.has_tensor, weights))
        return Cost(
            flops=(_FORWARD + _OF_STATISTICS * is_training) * x.elements + _OF_CHANNEL * channels,
            bytes=2 * x.bytes + values * channels * x.item_bytes,
            dtype=x.dtype,
        )

    return cost


def _normalization_backward(
    channels_of: Callable[[Inputs], int], weight_at: int, *, x_at: int = 1, gradient_at: int = 0
) -> CostOf:
    """Where there is a weight it is read, and its gradient and that of the bias are written."""

    def cost(inputs: Inputs) -> Cost:
        x, gradient = inputs.tensor(x_at), inputs.tensor(gradient_at)
        values = _STATISTICS + _OF_WEIGHT * inputs.has_tensor(weight_at)
        return Cost(
            flops=_BACKWARD * x.elements,
            bytes=gradient.bytes + 2 * x.bytes + values * channels_of(inputs) * x.item_bytes,
            dtype=x.dtype,
        )

    return cost


def rms_flops(x: Tensor, normalized: Tensor) -> int:
    """The operations of a root mean square over as many elements as the second one has."""
    return _RMS_FORWARD * x.elements + 2 * (x.elements // normalized.elements)


def _rms(inputs: Inputs) -> Cost:
    x, weight = inputs.tensor(0), inputs.optional_bytes(2)
    return Cost(rms_flops(x, x.like(_widths(inputs, 1))), 2 * x.bytes + weight, x.dtype)


def _rms_backward(inputs: Inputs) -> Cost:
    gradient, x, weight = inputs.tensor(0), inputs.tensor(1), inputs.optional_bytes(4)
    flops = _RMS_BACKWARD + (_RMS_WEIGHT if weight else 0)
    return Cost(flops * x.elements, gradient.bytes + 2 * x.bytes + 2 * weight, x.dtype)


def _softmax(inputs: Inputs) -> Cost:
    x = inputs.tensor(0)
    written = _FLOAT32_BYTES * x.elements if inputs.flag(2) else x.bytes
    return Cost(_SOFTMAX_FORWARD * x.elements, x.bytes + written, x.dtype)


def _softmax_backward(inputs: Inputs) -> Cost:
    gradient, output = inputs.tensor(0), inputs.tensor(1)
    return Cost(_SOFTMAX_BACKWARD * output.elements, gradient.bytes + 2 * output.bytes, output.dtype)


def _widths(inputs: Inputs, at: int) -> Shape:
    return inputs.numbers(at, 1)


def _layer(at: int) -> Callable[[Inputs], int]:
    """The channels of a layer norm are all that it normalizes over."""
    return lambda inputs: prod(_widths(inputs, at))


def _second(at: int) -> Callable[[Inputs], int]:
    """The channels are the second dimension of the input."""
    return lambda inputs: inputs.tensor(at).shape[1]


GROUP_NORM = _normalization_forward(_second(0), 2, 3)
_BATCH = _normalization_forward(_second(0), 1, 2, training_at=5)

NORMALIZATIONS: Mapping[str, CostOf] = {
    "aten::layer_norm": _normalization_forward(_layer(1), 2, 3),
    "aten::native_layer_norm": _normalization_forward(_layer(1), 2, 3),
    "aten::native_layer_norm_backward": _normalization_backward(_layer(2), 5),
    "aten::group_norm": GROUP_NORM,
    "aten::native_group_norm": _normalization_forward(_second(0), 1, 2),
    "aten::native_group_norm_backward": _normalization_backward(_second(1), 4),
    "aten::batch_norm": _BATCH,
    "aten::_batch_norm_impl_index": _BATCH,
    "aten::native_batch_norm": _BATCH,
    "aten::cudnn_batch_norm": _BATCH,
    "aten::miopen_batch_norm": _BATCH,
    "aten::_native_batch_norm_legit": _BATCH,
    "aten::_batch_norm_with_update": _normalization_forward(_second(0), 1, 2),
    "aten::native_batch_norm_backward": _normalization_backward(_second(1), 2),
    "aten::batch_norm_backward": _normalization_backward(_second(1), 2),
    "aten::cudnn_batch_norm_backward": _normalization_backward(_second(0), 2, x_at=0, gradient_at=1),
    "aten::miopen_batch_norm_backward": _normalization_backward(_second(0), 2, x_at=0, gradient_at=1),
    "aten::_fused_rms_norm": _rms,
    "aten::_fused_rms_norm_backward": _rms_backward,
    "aten::_softmax": _softmax,
    "aten::_log_softmax": _softmax,
    "aten::_softmax_backward_data": _softmax_backward,
    "aten::_log_softmax_backward_data": _softmax_backward,
}


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
