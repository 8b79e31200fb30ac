"""The demo's data: generated, the same in every run, ready for a GPU."""

from __future__ import annotations

import torch

from tbprof.demo.patches import CLASSES, PatchDataset, patch_loader
from tbprof.demo.torchvision_import import import_torchvision


def test_torchvision_works_beside_this_torch() -> None:
    torchvision = import_torchvision()
    assert import_torchvision() is torchvision
    resized = torchvision.transforms.v2.functional.resize(torch.zeros(3, 8, 8), [4, 4])
    assert resized.shape == (3, 4, 4)


def test_a_patch_is_a_normalised_crop_with_a_label() -> None:
    dataset = PatchDataset(10)
    patch, label = dataset[3]
    assert len(dataset) == 10
    assert (patch.shape, patch.dtype) == ((3, 32, 32), torch.float32)
    assert patch.min() >= -2
    assert patch.max() <= 2
    assert 0 <= label < CLASSES


def test_every_run_sees_the_same_batches() -> None:
    first, second = (list(patch_loader(4, 3, pin_memory=False)) for _ in range(2))
    assert [labels.shape for _, labels in first] == [(4,)] * 3
    for (patches, labels), (patches_again, labels_again) in zip(first, second, strict=True):
        assert torch.equal(patches, patches_again)
        assert torch.equal(labels, labels_again)
