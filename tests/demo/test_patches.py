"""The demo's data: generated, the same in every run, ready for a GPU."""

from __future__ import annotations

import torch

from tbprof.demo.patches import CLASSES, PatchDataset, patch_batch, patch_loader
from tbprof.demo.torchvision_import import import_torchvision


def test_torchvision_works_beside_this_torch() -> None:
    torchvision = import_torchvision()
    assert import_torchvision() is torchvision
    resized = torchvision.transforms.v2.functional.resize(torch.zeros(3, 8, 8), [4, 4])
    assert resized.shape == (3, 4, 4)


def test_an_image_has_a_label() -> None:
    dataset = PatchDataset(10)
    image, label = dataset[3]
    assert len(dataset) == 10
    assert (image.shape, image.dtype) == ((3, 40, 40), torch.uint8)
    assert 0 <= label < CLASSES


def test_a_batch_holds_normalized_crops() -> None:
    dataset = PatchDataset(4)
    patches, labels = patch_batch([dataset[0], dataset[1]])
    assert (patches.shape, patches.dtype) == ((2, 3, 32, 32), torch.float32)
    assert patches.min() >= -2
    assert patches.max() <= 2
    assert labels.tolist() == [dataset[0][1], dataset[1][1]]


def test_every_run_sees_the_same_batches() -> None:
    first, second = (list(patch_loader(4, 3, processes=1, pin_memory=False)) for _ in range(2))
    assert [labels.shape for _, labels in first] == [(4,)] * 3
    for (patches, labels), (patches_again, labels_again) in zip(first, second, strict=True):
        assert torch.equal(patches, patches_again)
        assert torch.equal(labels, labels_again)
