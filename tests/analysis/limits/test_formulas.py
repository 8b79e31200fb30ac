"""Formulas against `torch.utils.flop_counter`, on random shapes of tensors without data."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import flop_registry

from tbprof.analysis.limits.formulas import cost_of
from tbprof.analysis.limits.inputs import Cost

TYPES = {
    torch.float32: "float",
    torch.bfloat16: "c10::BFloat16",
    torch.int64: "long int",
    torch.float8_e4m3fn: "c10::Float8_e4m3fn",
}
SHAPES = 25
RANDOM = random.Random(0)

Arguments = list[Any]


def recorded(name: str, arguments: Arguments) -> Cost:
    """By the inputs as torch's profiler writes them; `name` is one of torch's where it names no package."""
    shapes = [list(one.shape) if isinstance(one, torch.Tensor) else [] for one in arguments]
    types = [kind_of(one) for one in arguments]
    values = ["" if one is None or isinstance(one, torch.Tensor) else str(one) for one in arguments]
    cost = cost_of(
        name if "::" in name else f"aten::{name}", json.dumps(shapes), json.dumps(types), json.dumps(values)
    )
    assert cost is not None, (name, shapes, values)
    return cost


def kind_of(argument: Any) -> str:
    if isinstance(argument, torch.Tensor):
        return TYPES[argument.dtype]
    return "ScalarList" if isinstance(argument, list) else "Scalar"


def of_torch(name: str, arguments: Arguments, result: Any = None) -> int:
    count: int = flop_registry[getattr(torch.ops.aten, name)](*arguments, out_val=result)
    return count


def empty(*shape: int, dtype: torch.dtype = torch.bfloat16) -> torch.Tensor:
    return torch.empty(shape, device="meta", dtype=dtype)


def some(most: int = 40) -> int:
    return RANDOM.randint(1, most)


def products() -> Iterator[tuple[str, Arguments]]:
    for _ in range(SHAPES):
        b, m, k, n = some(), some(), some(), some()
        yield "mm", [empty(m, k), empty(k, n)]
        yield "addmm", [empty(n), empty(m, k), empty(k, n)]
        yield "bmm", [empty(b, m, k), empty(b, k, n)]
        yield "baddbmm", [empty(b, m, n), empty(b, m, k), empty(b, k, n)]


def test_products_of_matrices_are_counted_as_torch_does() -> None:
    for name, arguments in products():
        assert recorded(name, arguments).flops == of_torch(name, arguments), (name, arguments)


def convolution(dims: int, *, is_transposed: bool, groups: int) -> Arguments:
    kernel = [some(3) for _ in range(dims)]
    inner, outer = groups * some(4), groups * some(4)
    filters = (inner, outer // groups) if is_transposed else (outer, inner // groups)
    stride = [2] * dims
    return [
        *(empty(some(4), inner, *(some(9) + 6 for _ in range(dims))), empty(*filters, *kernel), None),
        *(stride, [1] * dims, [some(2)] * dims, is_transposed, [RANDOM.randint(0, 1)] * dims, groups),
    ]


@pytest.mark.parametrize("is_transposed", [False, True])
def test_convolutions_are_counted_as_torch_does(is_transposed: bool) -> None:
    for dims in (1, 2, 3) * (SHAPES // 3):
        arguments = convolution(dims, is_transposed=is_transposed, groups=some(3))
        result = torch.ops.aten.convolution(*arguments)
        assert recorded("convolution", arguments).flops == of_torch("convolution", arguments, result)


@pytest.mark.parametrize("is_transposed", [False, True])
def test_the_backward_of_a_convolution_too_but_for_the_weight_of_groups(is_transposed: bool) -> None:
    for dims in (1, 2, 3) * (SHAPES // 3):
        groups = some(3)
        arguments = convolution(dims, is_transposed=is_transposed, groups=groups)
        x, weight, _, *settings = arguments
        gradient = torch.ops.aten.convolution(*arguments)
        for mask in ([True, False, False], [False, True, False], [True, True, False]):
            backward = [gradient, x, weight, None, *settings, mask]
            results = [empty(*x.shape) if mask[0] else None, empty(*weight.shape) if mask[1] else None, None]
            theirs = of_torch("convolution_backward", backward, results)
            of_input = recorded("convolution", arguments).flops if mask[0] else 0
            of_weight = (theirs - of_input) // groups
            assert recorded("convolution_backward", backward).flops == of_input + of_weight


def heads() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """With queries that share keys and values."""
    batch, shared, group, queries, keys = some(4), some(3), some(3), some(), some()
    width, value_width = some(), some()
    return (
        empty(batch, shared * group, queries, width),
        empty(batch, shared, keys, width),
        empty(batch, shared, keys, value_width),
    )


FORWARD: dict[str, Callable[[bool], Arguments]] = {
    "_scaled_dot_product_flash_attention": lambda causal: [0.0, causal, False],
    "_scaled_dot_product_efficient_attention": lambda causal: [None, False, 0.0, causal],
    "_scaled_dot_product_cudnn_attention": lambda causal: [None, False, 0.0, causal, False],
}
BACKWARD: dict[str, Callable[[bool], Arguments]] = {
    "_scaled_dot_product_flash_attention_backward": lambda causal: [*[None] * 6, 0.0, causal],
    "_scaled_dot_product_efficient_attention_backward": lambda causal: [*[None] * 5, 0.0, [True] * 4, causal],
    "_scaled_dot_product_cudnn_attention_backward": lambda causal: [*[None] * 9, 0.0, causal],
}


@pytest.mark.parametrize("name", [*FORWARD, *BACKWARD])
def test_attention_is_counted_as_torch_does_without_a_mask(name: str) -> None:
    for _ in range(SHAPES):
        query, key, value = heads()
        arguments = [query, key, value, *(FORWARD | BACKWARD)[name](False)]
        if name in BACKWARD:
            arguments.insert(0, empty(*query.shape[:3], value.shape[3]))
        cost = recorded(name, arguments)
        assert cost.flops == of_torch(name, arguments)
        products = 3 * query.shape[3] + 2 * value.shape[3]
        again = cost.flops * query.shape[3] // products if name in BACKWARD else 0
        assert cost.repeated_flops == again


@pytest.mark.parametrize(
    ("queries", "keys", "left"), [(64, 64, 1 / 2), (64, 128, 1 / 4), (128, 64, 3 / 4), (1, 100, 1 / 200)]
)
def test_a_causal_mask_leaves_what_is_below_the_diagonal(queries: int, keys: int, left: float) -> None:
    """Torch's attention aligns the mask with the first key."""
    name = "_scaled_dot_product_flash_attention"
    query, key = empty(2, 4, queries, 32), empty(2, 4, keys, 32)
    whole, causal = (recorded(name, [query, key, key, *FORWARD[name](mask)]) for mask in (False, True))
    assert causal.flops == left * whole.flops
    assert causal.bytes == whole.bytes == 2 * 2 * 4 * 32 * 2 * (queries + keys)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("window", [(-1, -1), (5, 0), (3, 2), (99, -1), (-1, 4)])
@pytest.mark.parametrize(("queries", "keys"), [(16, 16), (7, 20), (20, 7)])
def test_of_a_sliding_window_what_lies_in_it_counts(
    queries: int, keys: int, window: tuple[int, int], *, causal: bool
) -> None:
    """flash-attention aligns both with the last key; of its third version's arguments most are left out."""
    query, key = empty(2, queries, 6, 32), empty(2, keys, 3, 32)
    before, after = (math.inf if width < 0 else width for width in window)
    after = 0 if causal else after
    seen = [(i + keys - queries, j) for i in range(queries) for j in range(keys)]
    seen = [(own, j) for own, j in seen if own - before <= j <= own + after]
    pairs = len(seen) - (sum(own == j for own, j in seen) / 2 if after == 0 else 0)
    of_2 = recorded("flash_attn::_flash_attn_forward", [query, key, key, 0.0, 1.0, causal, *window, 0.0])
    of_3 = recorded("flash_attn_3::fwd", [query, key, key, *[None] * 20, 1.0, causal, *window, 0, 0.0])
    assert of_2.flops == of_3.flops == pairs * 2 * 6 * 4 * 32


E4M3 = torch.float8_e4m3fn


@pytest.mark.parametrize(
    ("name", "arguments", "flops", "moved"),
    [
        ("_C::rms_norm", [empty(8, 16), empty(8, 16), empty(16), 1e-6], 4 * 128 + 16, 2 * (256 + 16)),
        ("_C::fused_add_rms_norm", [empty(8, 16), empty(8, 16), empty(16), 1e-6], 5 * 128 + 16, 2 * 528),
        ("aiter::add_rmsnorm", [*[empty(8, 16)] * 4, empty(16), 1e-6], 5 * 128 + 16, 2 * 528),
        ("aiter::gemm_a16w16", [empty(8, 16), empty(4, 16), None, 15], 1024, 2 * (128 + 64 + 32)),
        ("vllm::rocm_unquantized_gemm", [empty(8, 16), empty(4, 16), None], 1024, 2 * (128 + 64 + 32)),
        (
            "_C::cutlass_scaled_mm",
            [empty(8, 4), empty(8, 16, dtype=E4M3), empty(16, 4, dtype=E4M3), *[empty(1)] * 2, None],
            1024,
            2 * 32 + 128 + 64 + 2 * 2,
        ),
        ("sgl_kernel::silu_and_mul", [empty(8, 16), empty(8, 32)], 2 * 128, 2 * (128 + 256)),
        (
            "_C::rotary_embedding",
            [empty(8, dtype=torch.int64), empty(8, 64), empty(8, 32), 16, empty(99, 8), True],
            3 * 8 * 6 * 8,
            2 * 2 * 8 * 6 * 8 + 8 * 8 + 2 * 8 * 8,
        ),
        (
            "_C_cache_ops::reshape_and_cache_flash",
            [*[empty(8, 2, 4)] * 2, *[empty(99, 16, 2, 4, dtype=E4M3)] * 2, empty(8, dtype=torch.int64)],
            0,
            2 * 2 * 64 + 2 * 64 + 8 * 8,
        ),
        ("native_layer_norm_backward", [*[empty(8, 16)] * 2, [16], *[empty(8, 1)] * 2], 9 * 128, 2 * 416),
        (
            "native_layer_norm_backward",
            [*[empty(8, 16)] * 2, [16], *[empty(8, 1)] * 2, empty(16), empty(16)],
            9 * 128,
            2 * 448,
        ),
    ],
)
def test_operators_of_other_packages_and_norms_without_weights(
    name: str, arguments: Arguments, flops: int, moved: int
) -> None:
    cost = recorded(name, arguments)
    assert (cost.flops, cost.bytes) == (flops, moved)


def test_the_first_input_of_a_sum_is_not_read_where_it_does_not_count() -> None:
    matrices = [empty(4, 8), empty(8, 16)]
    read, unread = (recorded("addmm", [empty(4, 16), *matrices, beta, 1]) for beta in (1, 0))
    assert read.bytes - unread.bytes == 4 * 16 * 2
    assert unread == recorded("mm", matrices)


@pytest.mark.parametrize(
    ("name", "arguments", "moved"),
    [
        ("copy_", [empty(8, 3), empty(3, dtype=torch.float32), False], 8 * 3 * 2 + 3 * 4),
        ("add", [empty(8, 3), empty(3, dtype=torch.float32), 1], 8 * 3 * (2 + 4) + 3 * 4),
        ("add_", [empty(8, 3), empty(3, dtype=torch.float32), 1], 8 * 3 * (2 + 2) + 3 * 4),
        ("eq", [empty(8), empty(8)], 8 * (2 + 2 + 1)),
        ("zero_", [empty(8)], 8 * 2),
        ("where", [empty(8, dtype=torch.int64), empty(8), empty(1)], 8 * (8 + 2 + 2) + 2),
        ("amax", [empty(4, 6, 5), [-1], False], 2 * 4 * 6 * 6),
        ("argmax", [empty(4, 6), 1, False], 4 * 6 * 2 + 4 * 8),
        ("max", [empty(4, 6), 1, False], 4 * 6 * 2 + 4 * (2 + 8)),
        ("max", [empty(4, 6)], 4 * 6 * 2 + 2),
        ("embedding", [empty(1000, 16), empty(3, 4, dtype=torch.int64), -1, False, False], 12 * (8 + 2 * 32)),
        (
            "embedding_dense_backward",
            [empty(3, 16), empty(3, dtype=torch.int64), 99, -1, False],
            3 * 40 + 99 * 32,
        ),
        ("index_select", [empty(9, 16), 0, empty(4, dtype=torch.int64)], 4 * (8 + 2 * 32)),
        ("replication_pad2d", [empty(2, 3, 4), [1, 1, 2, 0]], 2 * (24 + 2 * 5 * 6)),
        ("_fused_rms_norm", [empty(8, 16), [16], empty(16), 1e-6], 2 * (2 * 8 * 16 + 16)),
        ("_softmax", [empty(8, 16), -1, True], 8 * 16 * (2 + 4)),
    ],
)
def test_every_input_and_every_result_is_moved_once(name: str, arguments: Arguments, moved: int) -> None:
    assert recorded(name, arguments).bytes == moved


@pytest.mark.parametrize(
    ("name", "shapes", "types", "values"),
    [
        ("aiter::gemm_a16w16", "[[8,4],[8,4],[],[]]", '["float","float","",""]', '["","","","15"]'),
        (
            "flash_attn_3::fwd",
            json.dumps([[64, 6, 8]] * 3 + [[]] * 4 + [[9]] * 2),
            json.dumps(["c10::Half"] * 3 + [""] * 4 + ["int"] * 2),
            json.dumps([""] * 24 + ["True", "-1", "-1", "0"]),
        ),
        ("aten::unheard_of", "[[2,3]]", '["float"]', ""),
        ("aten::mm", "", "", ""),
        ("aten::mm", "[[2,3],[3,4]]", "", ""),
        ("aten::mm", "[[2,3],[5,4]]", '["float","float"]', ""),
        ("aten::mm", "[[2,3]]", '["float"]', ""),
        ("aten::mm", "{", '["float"]', ""),
        ("aten::mm", '[["x",3],[3,4]]', '["float","float"]', ""),
        ("aten::mm", "[[2,3],[3,4]]", "[5,null]", ""),
        ("aten::mm", "[" * 100_000, '["float"]', ""),
        ("aten::mm", "[[99999999999,99999999999],[99999999999,1]]", '["float","float"]', ""),
        ("aten::mm", "[[-2,3],[3,4]]", '["float","float"]', ""),
        ("aten::mm", "[[0,3],[3,0]]", '["float","float"]', "[{}]"),
        ("aten::relu", "[[0,3]]", '["float"]', ""),
        ("aten::add", "[[],[],[]]", '["float","float","Scalar"]', '["","","1"]'),
        ("aten::convolution", "[[1,3,8,8],[4,3,3,3]]", '["float","float"]', ""),
        (
            "aten::_scaled_dot_product_flash_attention",
            "[[1,2,3,4],[1,2,3,4],[1,2,3,4]]",
            '["float","float","float"]',
            "",
        ),
    ],
)
def test_what_the_inputs_do_not_tell_has_no_cost(name: str, shapes: str, types: str, values: str) -> None:
    assert cost_of(name, shapes, types, values) is None
