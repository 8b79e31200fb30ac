"""The data: generated image patches, transformed by torchvision in loader processes."""

from __future__ import annotations

import multiprocessing

import torch
from torch.utils.data import DataLoader, Dataset

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()

# After the import above, which makes this one possible beside every torch.
from torchvision.transforms import v2  # noqa: E402

CLASSES = 8192
PATCH_PIXELS = 32
IMAGE_PIXELS = 40
KEPT_IMAGES = 512

TRANSFORM = v2.Compose(
    [
        v2.RandomCrop(PATCH_PIXELS),
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(mean=[0.5] * 3, std=[0.25] * 3),
    ]
)


class PatchDataset(Dataset[tuple[torch.Tensor, int]]):  # type: ignore[misc]
    """Generated images of 40 x 40 pixels, each with a label."""

    def __init__(self, length: int) -> None:
        self._length = length
        generator = torch.Generator().manual_seed(0)
        shape = (KEPT_IMAGES, 3, IMAGE_PIXELS, IMAGE_PIXELS)
        self._images = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
        self._labels = torch.randint(0, CLASSES, (length,), generator=generator)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self._images[index % KEPT_IMAGES], int(self._labels[index])


def patch_batch(samples: list[tuple[torch.Tensor, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Patches of shape (batch, 3, 32, 32) and their labels; a batch is cropped as one, which is quick."""
    images, labels = zip(*samples, strict=True)
    return TRANSFORM(torch.stack(images)), torch.tensor(labels)


def patch_loader(
    batch_size: int, steps: int, *, processes: int, pin_memory: bool
) -> DataLoader[tuple[torch.Tensor, int]]:
    """Batches for `steps` steps, the same ones in every run."""
    return DataLoader(
        PatchDataset(batch_size * steps),
        batch_size=batch_size,
        num_workers=processes,
        collate_fn=patch_batch,
        pin_memory=pin_memory,
        multiprocessing_context=_start_method() if processes else None,
        generator=torch.Generator().manual_seed(0),
    )


def _start_method() -> str:
    """How loader processes start: not as forks of this one, whose torch threads they would lack."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    # The server imports torch once, before it has threads, and each loader process is its fork.
    multiprocessing.set_forkserver_preload([__name__])
    return "forkserver"
