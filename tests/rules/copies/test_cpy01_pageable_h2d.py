"""CPY01: a batch is copied to the device from pageable memory."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import each_step, found
from scenes import upload
from trace_builder import TraceBuilder

from tbprof.model import Scope
from tbprof.texts.rule_pages import fix_words

LARGE = 19_267_584
"""128 images of 224 x 224."""


def uploads(size_bytes: int = LARGE) -> TraceBuilder:
    return each_step(lambda built, at: upload(built, at, wait=100, size_bytes=size_bytes))


def test_a_batch_in_each_step_is_found() -> None:
    (finding,) = found(uploads(), "CPY01")
    assert (finding.removal, finding.count, finding.steps) == ("drop", 3, (0, 1, 2))
    assert finding.numbers() == {"bytes": 3 * LARGE, "call_ns": 300_000, "is_batch": 1}


@pytest.mark.parametrize(("size_bytes", "count"), [(65_536, 0), (65_537, 1)])
def test_up_to_64_kb_the_driver_takes_it_at_once(size_bytes: int, count: int) -> None:
    assert len(found(uploads(size_bytes), "CPY01")) == count


def test_a_small_batch_that_blocks_is_found_where_the_loader_is_named() -> None:
    """Token ids: the copy is short, but the host waits for all that was queued before."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        built.annotation(loader, start + 5, start + 20)
        upload(built, start + 30, wait=100, size_bytes=32_768)
        built.launch(start + 200, start + 205, runs=(start + 210, start + 400))
        built.frame("boxes.py(3): move", start + 490, start + 620)
        upload(built, start + 500, wait=100, size_bytes=32_768)
    (finding,) = found(built, "CPY01")
    assert (finding.numbers()["is_batch"], finding.count) == (1, 3)


def test_from_pinned_memory_it_is_silent() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pinned", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", at + 101, at + 110)

    assert found(each_step(move), "CPY01") == []


@pytest.mark.parametrize(("call", "count"), [("hipMemcpyWithStream", 1), ("hipMemcpyAsync", 0)])
def test_where_the_memory_is_not_recorded_what_blocks_is_found(call: str, count: int) -> None:
    built = TraceBuilder(vendor="hip")
    for number in range(3):
        built.step(number, 1000 * number, 1000 * number + 1000)
        start = 1000 * number + 100
        place = {"runs": (start + 2, start + 98), "size_bytes": LARGE, "call": call}
        built.copy("HtoD", "pageable", start, start + 100, **place)
    assert built.report().copies[0].bytes == 3 * LARGE
    assert len(found(built, "CPY01")) == count


def test_what_goes_to_the_device_behind_the_first_kernel_is_no_batch_of_the_loader() -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        loader = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
        built.annotation(loader, start + 5, start + 20)
        upload(built, start + 30, wait=100, size_bytes=LARGE)
        built.launch(start + 200, start + 205, runs=(start + 210, start + 400))
        built.frame("boxes.py(3): move", start + 490, start + 620)
        upload(built, start + 500, wait=100, size_bytes=LARGE)
    batch, buffer = found(built, "CPY01")
    assert (batch.numbers()["is_batch"], buffer.numbers()["is_batch"]) == (1, 0)
    assert (fix_words(batch).code, fix_words(buffer).code) == ("CPY01", "CPY03")


@pytest.mark.parametrize(("size_bytes", "is_batch"), [(1 << 20, 1), ((1 << 20) - 1, 0)])
def test_where_no_loader_is_named_its_size_makes_it_a_batch(size_bytes: int, is_batch: int) -> None:
    (finding,) = found(uploads(size_bytes), "CPY01")
    assert finding.numbers()["is_batch"] == is_batch


def test_without_its_wait_an_upload_needs_no_staging_either() -> None:
    """The host copies for 700 of each 1000 us before the data goes; the step computes for 200 after it."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        for name in ("aten::to", "aten::copy_"):
            built.op(name, start + 5, start + 760)
        runs = (start + 700, start + 745)
        built.copy("HtoD", "pageable", start + 10, start + 750, runs=runs, size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", start + 751, start + 755)
        built.launch(start + 770, start + 775, runs=(start + 780, start + 980))
    (finding,) = found(built, "CPY01")
    assert finding.severity == "critical"
    assert finding.saving is not None
    assert finding.saving.estimate_ns is not None
    assert finding.saving.estimate_ns >= 3 * 650_000


def test_a_read_is_silent() -> None:
    def read(built: TraceBuilder, at: float) -> None:
        built.copy("DtoH", "pageable", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)

    assert found(each_step(read), "CPY01") == []


@pytest.mark.parametrize(("number", "count"), [(0, 0), (1, 1)])
def test_in_the_first_step_alone_a_model_is_moved(number: int, count: int) -> None:
    def move(built: TraceBuilder, at: float) -> None:
        if at == 1000.0 * number + 200:
            upload(built, at, wait=100, size_bytes=LARGE)

    assert len(found(each_step(move), "CPY01")) == count


def test_before_the_steps_a_model_is_moved() -> None:
    built = each_step(lambda built, at: built.op("aten::add", at, at + 1))
    upload(built, -500, wait=100, size_bytes=LARGE)
    assert found(built, "CPY01") == []


def test_a_window_of_one_step_can_not_tell_and_says_it() -> None:
    built = each_step(lambda built, at: upload(built, at, wait=100, size_bytes=LARGE), steps=1)
    assert len(found(built, "CPY01")) == 1


def test_of_a_copy_that_never_blocked_nobody_knows_what_pinning_wins_on_an_unknown_link() -> None:
    """Without a synchronize a large upload does not block by our count."""

    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pageable", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)

    (finding,) = found(each_step(move), "CPY01")
    assert (finding.saving, finding.severity) == (None, "info")
    assert finding.numbers()["is_staged_without_wait"] == 1


def test_copies_that_pinned_ones_of_the_window_outrun_are_named_with_both_times() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.copy("HtoD", "pageable", at, at + 400, runs=(at + 2, at + 398), size_bytes=LARGE)
        built.synchronize("cudaStreamSynchronize", at + 401, at + 405)

    (alone,), beside = found(each_step(move), "CPY01"), each_step(move)
    pinned(beside, 2900)
    (finding,) = found(beside, "CPY01")
    assert "copying_ns" not in alone.numbers()
    assert finding.numbers()["copying_ns"] == 3 * 396_000
    said = finding.figures.sentence(Scope("a step", "a step")).replace("\u202f", " ")
    assert "themselves take 1.2 ms; pinned, as others of this window are, they would take 0.3 ms." in said


def test_a_device_that_copies_all_along_wins_what_pinned_copies_are_faster() -> None:
    built = TraceBuilder()
    built.device_name = "NVIDIA A100-PCIE-40GB"
    for number in range(3):
        at = 10_000.0 * number
        built.step(number, at, at + 10_000)
        for copy in range(2):
            start = at + 4_000 * copy
            built.copy(
                "HtoD", "pageable", start, start + 3_998, runs=(start + 2, start + 3_997), size_bytes=LARGE
            )
            built.synchronize("cudaStreamSynchronize", start + 3_998, start + 3_999)
        built.launch(at + 8_001, at + 8_010, runs=(at + 8_012, at + 9_990))
        built.synchronize("cudaDeviceSynchronize", at + 8_011, at + 9_995)
    (finding,) = found(built, "CPY01")
    numbers = finding.numbers()
    pinned_ns = numbers["bytes"] / numbers["pinned_gb_per_s"]
    assert finding.removal == "rewrite"
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == pytest.approx(numbers["copying_ns"] - pinned_ns, rel=0.001)


def pinned(built: TraceBuilder, at: float) -> None:
    built.copy("HtoD", "pinned", at, at + 100, runs=(at + 2, at + 98), size_bytes=LARGE)


CASES = (
    CheckCases(
        "CPY01",
        boundary="64 KB, up to which the driver takes them at once",
        positive=lambda: uploads(),
        negative=lambda: each_step(pinned),
        least=lambda: uploads(65_537),
        below=lambda: uploads(65_536),
    ),
)
