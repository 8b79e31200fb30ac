"""What a training step in float16 costs under preflight, as a ratio to the same step in float32.

    python tests/bench/preflight_half.py

On one thread; each figure is the best of several steps. At most 3 times float32 was wanted: without
preflight the CPU's own kernels for float16 take up to 50 times as long.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from datetime import date

import torch
from torch import Tensor, nn

from tbprof.preflight.session import Preflight

STEPS = 6


class LastOutput(nn.Module):  # type: ignore[misc]
    """A recurrent network as a module of one result."""

    def __init__(self) -> None:
        super().__init__()
        self.network = nn.LSTM(128, 256, 2, batch_first=True)

    def forward(self, rows: Tensor) -> Tensor:
        outputs: Tensor = self.network(rows)[0]
        return outputs


def convolutions(norm: Callable[[int], nn.Module]) -> nn.Module:
    first = [nn.Conv2d(3, 32, 3, padding=1), norm(32), nn.SiLU()]
    middle = [nn.Conv2d(32, 64, 3, 2, 1), norm(64), nn.SiLU(), nn.Upsample(scale_factor=2)]
    return nn.Sequential(*first, *middle, nn.ConvTranspose2d(64, 32, 3, 1, 1), nn.Conv2d(32, 3, 1))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "transformer": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(128, 4, 512, batch_first=True), 4),
        (4, 128, 128),
    ),
    "convolutions, batch norm": (lambda: convolutions(nn.BatchNorm2d), (8, 3, 64, 64)),
    "convolutions, group norm": (lambda: convolutions(lambda size: nn.GroupNorm(8, size)), (8, 3, 64, 64)),
    "LSTM": (LastOutput, (8, 32, 128)),
}


def milliseconds(name: str, form: str) -> float:
    """The fastest step of a small training: `float32`, `autocast` or `half`."""
    torch.manual_seed(0)
    make, shape = MODELS[name]
    steps = []
    with Preflight(steps=None):
        model, given = make().to("cuda"), torch.randn(shape, device="cuda")
        if form == "half":
            model, given = model.half(), given.half()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(STEPS):
            began = time.perf_counter()
            with torch.autocast("cuda", enabled=form == "autocast"):
                result = model(given)
            result.float().square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            steps.append(time.perf_counter() - began)
    return min(steps) * 1e3


def main() -> None:
    torch.set_num_threads(1)
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, torch {torch.__version__}\n")
    print("| model | float32, ms | autocast, ms | .half(), ms | autocast / float32 | .half() / float32 |")
    print("|---|---|---|---|---|---|")
    for name in MODELS:
        plain, autocast, half = (milliseconds(name, form) for form in ("float32", "autocast", "half"))
        ratios = f"{autocast / plain:.1f} | {half / plain:.1f}"
        print(f"| {name} | {plain:.0f} | {autocast:.0f} | {half:.0f} | {ratios} |")


if __name__ == "__main__":
    main()
