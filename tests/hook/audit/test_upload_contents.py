"""Whether a step uploads the same bytes as the one before it."""

from __future__ import annotations

import array

import pytest
import torch

from tbprof.hook.audit.upload_contents import MOST_BYTES, UploadContents, content_of


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]), True),
        (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]), False),
        (torch.tensor([]), torch.tensor([]), True),
        ([0.485, [0.456]], [0.485, [0.456]], True),
        ([0.485, [0.456]], [0.485, [0.457]], False),
        (3, 3, True),
    ],
)
def test_the_same_content_has_the_same_hash(one: object, other: object, are_same: bool) -> None:
    assert content_of(one) is not None
    assert (content_of(one) == content_of(other)) is are_same


@pytest.mark.parametrize(
    "source",
    [
        torch.zeros(MOST_BYTES + 1, dtype=torch.uint8),
        torch.zeros(4, 4).t()[::2],
        torch.zeros(2, device="meta"),
        [torch.zeros(2)],
        list(range(10_000)),
        array.array("f", [1.0]),
    ],
    ids=["large", "with gaps", "not on the host", "tensors", "many", "anything else"],
)
def test_what_can_t_be_read_at_once_has_none(source: object) -> None:
    assert content_of(source) is None


def test_two_steps_are_compared_call_by_call_in_their_order() -> None:
    contents = UploadContents()
    assert not contents.wants_second_step
    for content in (b"a", b"b"):
        contents.note("mean", content)
        contents.note("mask", content)
    contents.note("gone", b"a")
    assert contents.are_same("mean") is None
    assert contents.wants_second_step
    contents.begin_second_step()
    for mean, mask in ((b"a", b"b"), (b"b", b"a")):
        contents.note("mean", mean)
        contents.note("mask", mask)
    assert [contents.are_same(key) for key in ("mean", "mask", "gone", "other")] == [True, False, None, None]
