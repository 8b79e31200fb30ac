"""Figures of findings about precision."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures, Scope
from tbprof.records import dataclass
from tbprof.rules.base.words import duration_of
from tbprof.texts.figures.quantities import count, share


@dataclass(frozen=True, slots=True)
class PlainProducts(Figures):
    """Products in float32, and how much faster tensor cores are on paper."""

    share: float
    per_step_ns: int
    rate: float
    device: str
    autocast: str = ""
    """The type that autocast takes on this device; "" where another change is asked for."""

    @property
    def order(self) -> str:
        if not self.autocast:
            return ""
        return f'Compute in mixed precision: `torch.autocast("cuda", dtype=torch.{self.autocast})`'

    @property
    def how(self) -> str:
        if not self.autocast:
            return ""
        scales = ", and in a training scale the loss with `torch.amp.GradScaler`"
        return f"Run the forward pass under it{scales if self.autocast == 'float16' else ''}."

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.per_step_ns)} {scope.each}, {share(self.share)} of {scope.name}"
        return (
            f"Products in float32 take {spent}; on this device tensor cores "
            f"are up to {self.rate:g} times as fast."
        )


@dataclass(frozen=True, slots=True)
class AllProducts(Figures):
    """Kernels of products and convolutions, hardly any of which are plain float32."""

    products: int
    plain: int
    plain_share: float

    def sentence(self, scope: Scope, /) -> str:
        others = f"{self.products - self.plain:,} of {self.products:,} kernels"
        ran = f"{others} for products and convolutions are not plain float32"
        if not self.plain:
            return f"{ran}."
        return f"{ran}, and the others take {share(self.plain_share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class HalfProducts(Figures):
    """Kernels of products and convolutions, hardly any of which compute in float32 or TF32."""

    products: int
    full: int
    full_share: float

    def sentence(self, scope: Scope, /) -> str:
        others = f"{self.products - self.full:,} of {self.products:,} kernels"
        ran = f"{others} for products and convolutions are of half precision or less"
        if not self.full:
            return f"{ran}."
        return f"{ran}, and the others take {share(self.full_share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class OddSizes(Figures):
    """Kernels that read less than 16 bytes at once."""

    share: float
    per_step_ns: int
    inputs: str
    """The shapes that take longest; "" where none were recorded."""

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.per_step_ns)} {scope.each}, {share(self.share)} of {scope.name}"
        kernels = f"Kernels that read less than 16 bytes at once take {spent}"
        return f"{kernels}; most of it for {self.inputs}." if self.inputs else f"{kernels}."


@dataclass(frozen=True, slots=True)
class WholeReads(Figures):
    """Kernels of products, hardly any of which read less than 16 bytes at once."""

    products: int
    odd: int
    share: float

    def sentence(self, _: Scope, /) -> str:
        products = count(self.products, "kernel")
        if not self.odd:
            return f"{products} of products on tensor cores read 16 bytes at once."
        odd = f"{self.odd:,} of {products} of products read less than 16 bytes at once"
        return f"{odd}, and could hardly be faster."


@dataclass(frozen=True, slots=True)
class Reordering(Figures):
    """Kernels that reorder images."""

    share: float
    per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.per_step_ns)} {scope.each}"
        return f"Reordering takes {spent}, {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class HardlyReordered(Figures):
    """Kernels of convolutions, and the few that reorder images beside them."""

    convolutions: int
    reordering: int

    def sentence(self, _: Scope, /) -> str:
        found = f"{self.reordering:,} kernels that reorder beside {self.convolutions:,} of convolutions"
        return f"{found}: less than 1 % of the time."


@dataclass(frozen=True, slots=True)
class UntunedConvolutions(Figures):
    """Convolutions whose algorithm was not chosen by trying."""

    convolutions: int
    share: float

    def sentence(self, scope: Scope, /) -> str:
        convolutions = f"{self.convolutions:,} convolutions of the same shapes each step"
        return f"{convolutions} take {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class Convolutions(Figures):
    """Convolutions, and the setting by which their algorithm is chosen."""

    convolutions: int
    share: float
    benchmark: str

    def sentence(self, scope: Scope, /) -> str:
        found = f"{self.convolutions:,} convolutions take {share(self.share)} of {scope.name}"
        return f"{found}; cudnn.benchmark is {self.benchmark}."


@dataclass(frozen=True, slots=True)
class NeedlessBiases(Figures):
    """Convolutions before a batch norm that add a bias."""

    share: float
    per_step_ns: int
    pairs: int
    """All convolutions before a batch norm."""
    biased: int

    def sentence(self, scope: Scope, /) -> str:
        convolutions = f"{self.biased:,} of {self.pairs:,} convolutions before a batch norm"
        spent = f"{duration_of(self.per_step_ns)} {scope.each}, {share(self.share)} of {scope.name}"
        return f"{convolutions} add a bias: {spent}."


@dataclass(frozen=True, slots=True)
class BiasesLookedAt(Figures):
    """Convolutions before a batch norm, with biases that hardly cost anything."""

    pairs: int
    biased: int

    def sentence(self, _: Scope, /) -> str:
        biased = f"{self.biased:,} add a bias, in less than 1 % of the time"
        adding = biased if self.biased else "none of them adds a bias"
        return f"{self.pairs:,} convolutions before a batch norm: {adding}."


@dataclass(frozen=True, slots=True)
class Float64(Figures):
    """Kernels in float64."""

    share: float
    per_step_ns: int

    def sentence(self, scope: Scope, /) -> str:
        spent = f"{duration_of(self.per_step_ns)} {scope.each}"
        return f"Kernels in float64 take {spent}, {share(self.share)} of {scope.name}."


@dataclass(frozen=True, slots=True)
class HardlyFloat64(Figures):
    """All kernels, hardly any of which are in float64."""

    kernels: int
    found: int

    def sentence(self, _: Scope, /) -> str:
        return f"{self.found:,} of {self.kernels:,} kernels are in float64, less than 1 % of the time."


FOUND: Mapping[str, type[Figures]] = {
    "PRC01": PlainProducts,
    "PRC02": PlainProducts,
    "PRC03": OddSizes,
    "PRC04": Reordering,
    "PRC05": UntunedConvolutions,
    "PRC06": NeedlessBiases,
    "PRC07": Float64,
}

LOOKED_AT: Mapping[str, type[Figures]] = {
    "PRC01": HalfProducts,
    "PRC02": AllProducts,
    "PRC03": WholeReads,
    "PRC04": HardlyReordered,
    "PRC05": Convolutions,
    "PRC06": BiasesLookedAt,
    "PRC07": HardlyFloat64,
}
