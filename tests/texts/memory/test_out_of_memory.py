"""What would free memory after an allocation failed, and how much."""

from __future__ import annotations

import dataclasses

from tbprof.model import HeldTensors, OutOfMemory
from tbprof.texts.memory import asked_sentence, changes, there_sentence

GB = 10**9
FULL = OutOfMemory(
    schema=1,
    worker="w",
    step=12,
    device="GPU 0",
    message="",
    frames=(),
    asked_bytes=2 * GB,
    total_bytes=80 * GB,
    free_bytes=GB,
    allocated_bytes=70 * GB,
    reserved_bytes=75 * GB,
    is_address_limit=False,
    held=HeldTensors(10 * GB, 10 * GB, 20 * GB, 0, 0, (), is_whole=True),
)


def plain(text: str) -> str:
    """With usual spaces before units."""
    return text.replace("\u202f", " ")


def test_what_was_asked_for_and_what_was_there() -> None:
    assert plain(asked_sentence(FULL)) == "2.0 GB of GPU 0 could not be allocated, after 12 steps."
    assert plain(there_sentence(FULL)) == (
        "There were 80.0 GB in all, 1.0 GB free, 70.0 GB in tensors, 75.0 GB held by torch's allocator."
    )


def test_each_change_has_what_it_frees() -> None:
    said = plain(" ".join(changes(FULL)))
    assert "up to 5.0 GB lie in the cache" in said
    assert "up to 15.0 GB of the same" in said
    assert "up to 30.0 GB (MEM04" in said
    assert "10.0 GB of gradients" in said
    assert "state: up to 20.0 GB" in said
    assert "lists of results" not in said


def test_pieces_that_are_too_few_are_no_advice() -> None:
    assert "expandable" not in " ".join(changes(dataclasses.replace(FULL, asked_bytes=6 * GB)))


def test_more_than_there_is_is_never_enough() -> None:
    (only,) = changes(dataclasses.replace(FULL, asked_bytes=81 * GB))
    assert only.startswith("The request alone is larger")
