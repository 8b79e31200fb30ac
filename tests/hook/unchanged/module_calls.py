"""How each module of torch.nn is made, and what it is called with."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

Call = Callable[[], tuple[nn.Module, tuple[Any, ...]]]
"""Makes a module, and what it is called with."""


def modules_of_torch() -> set[str]:
    """The names of all modules that torch.nn has anywhere, those of no use by themselves among them."""
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in pkgutil.walk_packages(nn.__path__, "torch.nn."):
            module = importlib.import_module(info.name)
            for name, kind in vars(module).items():
                if inspect.isclass(kind) and issubclass(kind, nn.Module) and kind.__module__ == info.name:
                    found.add(name)
    return found


def _x(*shape: int) -> Tensor:
    return torch.randn(*shape, requires_grad=True)


def _on(
    shape: tuple[int, ...], kind: str, *made_of: Any, **options: Any
) -> tuple[nn.Module, tuple[Any, ...]]:
    return getattr(nn, kind)(*made_of, **options), (_x(*shape),)


def _lines(shape: tuple[int, ...], *rows: tuple[Any, ...]) -> dict[str, Call]:
    """Modules that are made of what follows their name, and called with one tensor of this shape."""
    return {row[0]: partial(_on, shape, *row) for row in rows}


_1D, _2D, _3D = (2, 4, 8), (2, 4, 8, 8), (2, 4, 6, 6, 6)


def _by_dimension(name: str, *made_of: Any, **options: Any) -> dict[str, Call]:
    """The three modules of a name."""
    return {
        f"{name}{size}d": partial(_on, shape, f"{name}{size}d", *made_of, **options)
        for size, shape in enumerate((_1D, _2D, _3D), 1)
    }


def _pairs(*shape: int) -> tuple[Tensor, Tensor]:
    return _x(*shape), torch.rand(*shape)


def _signs(count: int) -> Tensor:
    return torch.randint(0, 2, (count,)) * 2.0 - 1


def _classes(rows: int, count: int) -> Tensor:
    return torch.randint(0, count, (rows,))


def _unpooled(size: int) -> tuple[nn.Module, tuple[Any, ...]]:
    pool = getattr(nn, f"MaxPool{size}d")(2, return_indices=True)
    with torch.no_grad():
        values, places = pool(torch.randn((_1D, _2D, _3D)[size - 1]))
    return getattr(nn, f"MaxUnpool{size}d")(2), (values.requires_grad_(), places)


class _Parameters(nn.Module):
    """Computes with the parameters that a container holds."""

    def __init__(self, held: nn.ParameterList | nn.ParameterDict) -> None:
        super().__init__()
        self.held = held

    def forward(self, x: Tensor) -> Tensor:
        held = self.held.values() if isinstance(self.held, nn.ParameterDict) else self.held
        for weights in held:
            x = x * weights
        return x


class _Modules(nn.Module):
    """Calls what a container holds."""

    def __init__(self, held: nn.ModuleList | nn.ModuleDict) -> None:
        super().__init__()
        self.held = held

    def forward(self, x: Tensor) -> Tensor:
        for module in self.held.values() if isinstance(self.held, nn.ModuleDict) else self.held:
            x = module(x)
        return x


def _vector() -> nn.Parameter:
    return nn.Parameter(torch.randn(3))


def _padding() -> Tensor:
    return torch.tensor([[False] * 5, [False] * 3 + [True] * 2])


class _Padded(nn.Module):
    """An encoder of sequences that are not all as long as the longest."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        result: Tensor = self.encoder(x, src_key_padding_mask=padding)
        return result


class _Attention(nn.Module):
    """Attends in each of the ways that attention is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, dropout=0.1, batch_first=True)

    def forward(self, x: Tensor, padding: Tensor) -> list[Any]:
        attend = partial(self.attention, x, x, x)
        return [
            attend(),
            attend(need_weights=False),
            attend(key_padding_mask=padding),
            attend(key_padding_mask=padding, need_weights=False),
            self.attention(x, x + 1, x - 1, average_attn_weights=False),
        ]


def _layer(kind: type[nn.Module] = nn.TransformerEncoderLayer, **options: Any) -> Any:
    return kind(16, 4, 32, 0.1, batch_first=True, **options)


def _orthogonal() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.utils.parametrizations.orthogonal(nn.Linear(4, 4)), (_x(3, 4),)


def _weight_norm() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), (_x(3, 4),)


def _spectral_norm() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), (_x(3, 4),)


def _distance(a: Tensor, b: Tensor) -> Tensor:
    return (a - b).abs().sum(-1)


_ELEMENTWISE = (
    *("CELU", "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU"),
    *("LogSigmoid", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus"),
    *("Softshrink", "Softsign", "Tanh", "Tanhshrink"),
)

CALLS: dict[str, Call] = {
    **_lines((4, 6), *((name,) for name in _ELEMENTWISE)),
    **_lines(
        (4, 6),
        *(
            ("GLU",),
            ("LogSoftmax", -1),
            ("Softmax", -1),
            ("Softmin", -1),
            ("Threshold", 0.1, 2.0),
            ("Flatten",),
        ),
        *(("Dropout",), ("AlphaDropout",), ("FeatureAlphaDropout",), ("Linear", 6, 3), ("LazyLinear", 3)),
        *(
            ("NonDynamicallyQuantizableLinear", 6, 3),
            ("LayerNorm", 6),
            ("RMSNorm", 6),
            ("Unflatten", 1, (2, 3)),
        ),
        ("RNNCell", 6, 3),
        *(("LSTMCell", 6, 3), ("GRUCell", 6, 3)),
    ),
    "NonDynamicallyQuantizableLinear": lambda: (
        nn.modules.linear.NonDynamicallyQuantizableLinear(6, 3),
        (_x(4, 6),),
    ),
    "Bilinear": lambda: (nn.Bilinear(4, 5, 3), (_x(2, 4), _x(2, 5))),
    **_by_dimension("Conv", 4, 3, 3) | _by_dimension("ConvTranspose", 4, 3, 3),
    **_by_dimension("LazyConv", 3, 3) | _by_dimension("LazyConvTranspose", 3, 3),
    **_by_dimension("BatchNorm", 4) | _by_dimension("LazyBatchNorm"),
    **_by_dimension("InstanceNorm", 4, affine=True, track_running_stats=True),
    **_by_dimension("LazyInstanceNorm", affine=True) | _by_dimension("Dropout"),
    **_by_dimension("AvgPool", 2) | _by_dimension("MaxPool", 2) | _by_dimension("LPPool", 2, 2),
    **_by_dimension("AdaptiveAvgPool", 3) | _by_dimension("AdaptiveMaxPool", 3),
    **_by_dimension("CircularPad", 1)
    | _by_dimension("ConstantPad", 1, 2.0)
    | _by_dimension("ReflectionPad", 1),
    **_by_dimension("ReplicationPad", 1) | _by_dimension("ZeroPad", 1),
    **{f"MaxUnpool{size}d": partial(_unpooled, size) for size in (1, 2, 3)},
    **_lines(
        _2D,
        *(("ChannelShuffle", 2), ("CrossMapLRN2d", 3), ("FractionalMaxPool2d", 2, 4), ("GroupNorm", 2, 4)),
        *(
            ("LocalResponseNorm", 2),
            ("PixelShuffle", 2),
            ("PixelUnshuffle", 2),
            ("Softmax2d",),
            ("Unfold", 3),
        ),
        *(("SyncBatchNorm", 4), ("Upsample", None, 2), ("UpsamplingBilinear2d", None, 2)),
        ("UpsamplingNearest2d", None, 2),
    ),
    "CrossMapLRN2d": lambda: (nn.CrossMapLRN2d(3), (_x(*_2D),)),
    "FractionalMaxPool2d": lambda: (nn.FractionalMaxPool2d(2, 4), (_x(*_2D),)),
    "FractionalMaxPool3d": lambda: (nn.FractionalMaxPool3d(2, 3), (_x(*_3D),)),
    "Fold": lambda: (nn.Fold((4, 4), 2), (_x(2, 12, 9),)),
    "CosineSimilarity": lambda: (nn.CosineSimilarity(), (_x(3, 4), _x(3, 4))),
    "PairwiseDistance": lambda: (nn.PairwiseDistance(), (_x(3, 4), _x(3, 4))),
    "Embedding": lambda: (nn.Embedding(9, 4, max_norm=0.5), (torch.randint(0, 9, (3, 5)),)),
    "EmbeddingBag": lambda: (
        nn.EmbeddingBag(9, 4, mode="sum"),
        (torch.randint(0, 9, (7,)), torch.tensor([0, 3]), torch.rand(7)),
    ),
    "RNN": lambda: (nn.RNN(4, 3, 2, dropout=0.2, bidirectional=True), (_x(5, 2, 4),)),
    "LSTM": lambda: (nn.LSTM(4, 3, 2, dropout=0.2, proj_size=2), (_x(5, 2, 4),)),
    "GRU": lambda: (nn.GRU(4, 3, 2, dropout=0.2, batch_first=True), (_x(2, 5, 4),)),
    "MultiheadAttention": lambda: (_Attention(), (_x(2, 5, 16), _padding())),
    "TransformerEncoderLayer": lambda: (_Padded(_layer(norm_first=True)), (_x(2, 5, 16), _padding())),
    "TransformerEncoder": lambda: (
        _Padded(nn.TransformerEncoder(_layer(activation="gelu"), 2)),
        (_x(2, 5, 16), _padding()),
    ),
    "TransformerDecoderLayer": lambda: (_layer(nn.TransformerDecoderLayer), (_x(2, 5, 16), _x(2, 3, 16))),
    "TransformerDecoder": lambda: (
        nn.TransformerDecoder(_layer(nn.TransformerDecoderLayer), 2),
        (_x(2, 5, 16), _x(2, 3, 16)),
    ),
    "Transformer": lambda: (
        nn.Transformer(16, 4, 1, 1, 32, batch_first=True),
        (_x(2, 5, 16), _x(2, 3, 16), None, nn.Transformer.generate_square_subsequent_mask(3)),
    ),
    "Sequential": lambda: (nn.Sequential(nn.Linear(3, 3), nn.ReLU()), (_x(2, 3),)),
    "ModuleList": lambda: (_Modules(nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])), (_x(2, 3),)),
    "ModuleDict": lambda: (_Modules(nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Tanh()})), (_x(2, 3),)),
    "ParameterList": lambda: (_Parameters(nn.ParameterList([_vector(), _vector()])), (_x(2, 3),)),
    "ParameterDict": lambda: (_Parameters(nn.ParameterDict({"a": _vector(), "b": _vector()})), (_x(2, 3),)),
    "DataParallel": lambda: (nn.DataParallel(nn.Linear(3, 3)), (_x(2, 3),)),
    "_Orthogonal": _orthogonal,
    "_WeightNorm": _weight_norm,
    "_SpectralNorm": _spectral_norm,
    "ParametrizationList": _weight_norm,
    "AdaptiveLogSoftmaxWithLoss": lambda: (
        nn.AdaptiveLogSoftmaxWithLoss(6, 10, [3, 6]),
        (_x(4, 6), _classes(4, 10)),
    ),
    "LinearCrossEntropyLoss": lambda: (nn.LinearCrossEntropyLoss(6, 4), (_x(3, 6), _classes(3, 4))),
    "BCELoss": lambda: (nn.BCELoss(), (torch.rand(3, 4, requires_grad=True), torch.rand(3, 4))),
    "BCEWithLogitsLoss": lambda: (nn.BCEWithLogitsLoss(), _pairs(3, 4)),
    "CTCLoss": lambda: (
        nn.CTCLoss(),
        (_x(8, 2, 5), torch.randint(1, 5, (2, 3)), torch.tensor([8, 7]), torch.tensor([3, 2])),
    ),
    "CosineEmbeddingLoss": lambda: (nn.CosineEmbeddingLoss(), (_x(3, 4), _x(3, 4), _signs(3))),
    "CrossEntropyLoss": lambda: (nn.CrossEntropyLoss(label_smoothing=0.1), (_x(3, 4), _classes(3, 4))),
    "GaussianNLLLoss": lambda: (nn.GaussianNLLLoss(), (*_pairs(3, 4), torch.rand(3, 4))),
    "HingeEmbeddingLoss": lambda: (nn.HingeEmbeddingLoss(), (_x(3), _signs(3))),
    "HuberLoss": lambda: (nn.HuberLoss(), _pairs(3, 4)),
    "KLDivLoss": lambda: (nn.KLDivLoss(reduction="batchmean"), _pairs(3, 4)),
    "L1Loss": lambda: (nn.L1Loss(), _pairs(3, 4)),
    "MSELoss": lambda: (nn.MSELoss(), _pairs(3, 4)),
    "MarginRankingLoss": lambda: (nn.MarginRankingLoss(), (_x(3), _x(3), _signs(3))),
    "MultiLabelMarginLoss": lambda: (nn.MultiLabelMarginLoss(), (_x(2, 4), torch.randint(0, 4, (2, 4)))),
    "MultiLabelSoftMarginLoss": lambda: (nn.MultiLabelSoftMarginLoss(), _pairs(3, 4)),
    "MultiMarginLoss": lambda: (nn.MultiMarginLoss(), (_x(3, 4), _classes(3, 4))),
    "NLLLoss": lambda: (nn.NLLLoss(), (_x(3, 4), _classes(3, 4))),
    "NLLLoss2d": lambda: (nn.NLLLoss(), (_x(3, 4, 2, 2), torch.randint(0, 4, (3, 2, 2)))),
    "PoissonNLLLoss": lambda: (nn.PoissonNLLLoss(), _pairs(3, 4)),
    "SmoothL1Loss": lambda: (nn.SmoothL1Loss(), _pairs(3, 4)),
    "SoftMarginLoss": lambda: (nn.SoftMarginLoss(), (_x(3), _signs(3))),
    "TripletMarginLoss": lambda: (nn.TripletMarginLoss(), (_x(3, 4), _x(3, 4), _x(3, 4))),
    "TripletMarginWithDistanceLoss": lambda: (
        nn.TripletMarginWithDistanceLoss(distance_function=_distance),
        (_x(3, 4), _x(3, 4), _x(3, 4)),
    ),
}

NOT_CALLED = {
    "Module": "has no forward",
    "Container": "has no forward",
    "RNNBase": "has no forward of its own that can be called",
    "RNNCellBase": "has no forward",
    "ModuleWrapper": "stands for a module that is written in C++",
    "DistributedDataParallel": "needs a process group",
    "DistributedDataParallelCPU": "needs a process group",
}
"""Those whose name begins with an underscore and that have no entry are the bases of others."""
