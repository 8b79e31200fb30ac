"""Normalizations, softmax among them, forward and backward.

Conventions, as no one's count is the true one: five operations an element forward (three of them for mean
and variance), nine backward, and six a channel. Of each channel, mean, variance, their updates, weight and
bias are moved once. Next to the elements none of this matters: memory is the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from tbprof.analysis.limits.formulas.cost import Cost, CostOf
from tbprof.analysis.limits.formulas.inputs import Inputs, NotRecorded, Shape, Tensor

_FORWARD, _OF_STATISTICS, _BACKWARD = 2, 3, 9
_OF_CHANNEL = 6
_STATISTICS = 2
"""Mean and variance."""
_OF_WEIGHT = 2
_RMS_FORWARD, _RMS_BACKWARD, _RMS_WEIGHT = 4, 7, 3
"""The last one for the gradient of the weight."""
_SOFTMAX_FORWARD, _SOFTMAX_BACKWARD = 5, 4
_FLOAT32_BYTES = 4


def _forward(channels_of: Callable[[Inputs], int], *weights: int, training_at: int | None = None) -> CostOf:
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


def _backward(
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
    """Of a root mean square over as many elements as the second one has."""
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


GROUP_NORM = _forward(_second(0), 2, 3)
_BATCH = _forward(_second(0), 1, 2, training_at=5)

NORMALIZATIONS: Mapping[str, CostOf] = {
    "aten::layer_norm": _forward(_layer(1), 2, 3),
    "aten::native_layer_norm": _forward(_layer(1), 2, 3),
    "aten::native_layer_norm_backward": _backward(_layer(2), 5),
    "aten::group_norm": GROUP_NORM,
    "aten::native_group_norm": _forward(_second(0), 1, 2),
    "aten::native_group_norm_backward": _backward(_second(1), 4),
    "aten::batch_norm": _BATCH,
    "aten::_batch_norm_impl_index": _BATCH,
    "aten::native_batch_norm": _BATCH,
    "aten::cudnn_batch_norm": _BATCH,
    "aten::miopen_batch_norm": _BATCH,
    "aten::_native_batch_norm_legit": _BATCH,
    "aten::_batch_norm_with_update": _forward(_second(0), 1, 2),
    "aten::native_batch_norm_backward": _backward(_second(1), 2),
    "aten::batch_norm_backward": _backward(_second(1), 2),
    "aten::cudnn_batch_norm_backward": _backward(_second(0), 2, x_at=0, gradient_at=1),
    "aten::miopen_batch_norm_backward": _backward(_second(0), 2, x_at=0, gradient_at=1),
    "aten::_fused_rms_norm": _rms,
    "aten::_fused_rms_norm_backward": _rms_backward,
    "aten::_softmax": _softmax,
    "aten::_log_softmax": _softmax,
    "aten::_softmax_backward_data": _softmax_backward,
    "aten::_log_softmax_backward_data": _softmax_backward,
}
