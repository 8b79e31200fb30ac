"""The JSON that other programs read: its keys, and which of them only a GPU could fill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.preflight.document import document  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402

SAMPLE = Path(__file__).parents[2] / "data" / "preflight.json"


def keys(value: Any) -> Any:
    """The shape of a document: its keys, of lists those of the first item."""
    if isinstance(value, dict):
        return {key: keys(member) for key, member in value.items() if key not in ("source", "via", "callers")}
    return [keys(item) for item in value[:1]] if isinstance(value, list) else None


def test_the_sample_has_the_keys_of_a_real_one() -> None:
    with Preflight(steps=None) as preflight:
        torch.compile(torch.nn.Linear(1, 1))
        torch.ones(2).to("cuda")
    made = keys(json.loads(json.dumps(document(preflight.prediction))))
    sample = keys(json.loads(SAMPLE.read_text(encoding="utf-8")))
    for unordered in ("ops", "notes"):
        assert made.pop(unordered, None) == sample.pop(unordered, None)
    assert made == sample


def test_nothing_in_it_is_a_time() -> None:
    with Preflight(steps=None) as preflight:
        torch.ones(2, device="cuda").sum().item()
    told = document(preflight.prediction)
    times = [*told["sites"], *told["steps"], told["sync_points"]]
    measured = [value for row in times for key, value in row.items() if key.endswith("_us") and value]
    assert measured == []
    assert (told["savings"], told["idle"], told["findings"][0]["saving"]) == (None, None, None)
    assert told["label"] == "predicted, no GPU was used"


def test_an_upload_says_what_decides_its_cost() -> None:
    with Preflight(steps=None) as preflight:
        for _ in range(3):
            torch.ones(3).pin_memory().to("cuda")
            preflight.step()
    (site,) = document(preflight.prediction)["sites"]
    assert (site["bytes"], site["count"], site["per_step"]) == (36, 3, [1, 1, 1])
    assert (site["pinned"], site["non_blocking"], site["blocking"]) == (True, False, 3)
    assert (site["constant"], site["is_constant"]) == (2, True)
    assert document(preflight.prediction)["copies"] == [
        {"direction": "HtoD", "memory": "pinned", "count": 3, "bytes": 36, "blocking": 3}
    ]


@pytest.mark.skipif(torch.__version__ < (2, 9), reason="waits for the copy before torch 2.9")
def test_rows_of_a_mask_on_the_host_are_copied_without_waiting() -> None:
    with Preflight(steps=None) as preflight:
        torch.ones(4, device="cuda")[torch.tensor([True, False, True, False])]
    told = document(preflight.prediction)
    assert (told["sites"][0]["memory"], told["sites"][0]["blocking"]) == ("pinned", 0)
    assert told["sync_points"]["count"] == 0


def test_copies_of_several_sizes_are_told_from_the_smallest_to_the_largest() -> None:
    with Preflight(steps=None) as preflight:
        for length in (32, 12_544):
            torch.ones(length).to("cuda")
    (site,) = document(preflight.prediction)["sites"]
    assert (site["bytes"], site["least_bytes"], site["most_bytes"]) == (50_304, 128, 50_176)
    assert "2 in all, 128\u202fB to 50.2\u202fkB each, pageable" in preflight.text()


def test_of_a_dynamic_shape_no_bytes_are_told() -> None:
    with Preflight(steps=None) as preflight:
        torch.ones(4, dtype=torch.double, device="cuda").nonzero()
    assert "dynamic shape  [SYN03]\n    1 in all\n" in preflight.text()


def test_a_program_that_stays_on_the_cpu_is_told_why_nothing_was_found() -> None:
    with Preflight(steps=None) as preflight:
        torch.ones(2).sum().item()
    said = document(preflight.prediction)["preflight"]
    assert not said["used_device"]
    assert said["notes"][0].startswith("the program put nothing on a GPU")


def test_a_program_that_fails_before_it_uses_a_gpu_is_told_of_its_failure_alone() -> None:
    preflight = Preflight(steps=None)
    with pytest.raises(ModuleNotFoundError), preflight:
        __import__("no_such_module_of_theirs")
    assert preflight.prediction.notes == ()
    assert "no_such_module_of_theirs" in preflight.prediction.error
