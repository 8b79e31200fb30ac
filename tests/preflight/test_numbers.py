"""Training under preflight gives, bit by bit, the losses of the same training on the CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.preflight.session import Preflight  # noqa: E402

STEPS = 5

KEPT: list[Any] = []
"""Groups of gloo that outlive their training: torch can hang where one ends right after a collective."""


def convolution(device: str) -> list[float]:
    """Convolutions, batch norm, dropout and clipped gradients, by AdamW."""
    torch.manual_seed(0)
    nn = torch.nn
    body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3))
    model = nn.Sequential(body, nn.Linear(8 * 36, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True)
    losses = []
    for _ in range(STEPS):
        x = torch.randn(4, 3, 8, 8, device=device)
        loss = nn.functional.cross_entropy(model(x), torch.arange(4, device=device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def mixed_precision(device: str) -> list[float]:
    """Attention under autocast, with a scaler."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).to(device)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    scaler = torch.amp.GradScaler(device)
    losses = []
    for _ in range(STEPS):
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = model(torch.randn(2, 5, 16, device=device)).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def recomputed(device: str) -> list[float]:
    """Dropout in a segment that is computed a second time."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(STEPS):
        x = torch.randn(4, 8, device=device)
        loss = torch.utils.checkpoint.checkpoint(model, x, use_reentrant=False).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def data_parallel(device: str) -> list[float]:
    """The reducer's buckets, with one process."""
    torch.manual_seed(0)
    dist = torch.distributed
    dist.init_process_group(
        "nccl" if device == "cuda" else "gloo", store=dist.HashStore(), rank=0, world_size=1
    )
    KEPT.append(dist.group.WORLD)
    try:
        plain = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)).to(device)
        model = torch.nn.parallel.DistributedDataParallel(plain)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for _ in range(STEPS):
            loss = model(torch.randn(4, 8, device=device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    finally:
        dist.destroy_process_group()
    return losses


@pytest.mark.parametrize("training", [convolution, mixed_precision, recomputed, data_parallel])
def test_losses_are_those_of_the_cpu(training: Callable[[str], list[float]]) -> None:
    plain = training("cpu")
    with Preflight(steps=None) as preflight:
        watched = training("cuda")
    assert watched == plain
    assert any(site.kind == "scalar_read" for site in preflight.sites)


def test_worker_processes_give_the_same_batches() -> None:
    assert batches(Preflight(steps=None)) == batches(contextlib.nullcontext())


def batches(around: Any) -> list[list[float]]:
    """What two forked workers load, with random numbers of their own."""
    with around:
        generator = torch.Generator().manual_seed(1)
        loader = torch.utils.data.DataLoader(
            Noise(), batch_size=2, num_workers=2, generator=generator, multiprocessing_context="fork"
        )
        return [batch.tolist() for batch in loader]


class Noise(torch.utils.data.Dataset):  # type: ignore[type-arg, misc]
    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> float:
        return float(torch.rand(()) + index)
