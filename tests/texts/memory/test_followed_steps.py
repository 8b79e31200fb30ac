"""Steps that the hook followed, one after the other."""

from __future__ import annotations

import pytest

from tbprof.model import MemoryStep
from tbprof.texts.memory import growth_sentence


def followed(*peaks_bytes: int) -> list[MemoryStep]:
    """Every hundredth step."""
    return [
        MemoryStep(
            schema=1,
            worker="w",
            step=100 * number,
            device="GPU 0",
            peak_bytes=peak_bytes,
            peak_us=5.0,
            phase="backward",
            kinds=(),
            modules=(),
            lines=(),
            curve=(),
            cached_bytes=None,
            is_whole=True,
        )
        for number, peak_bytes in enumerate(peaks_bytes)
    ]


def test_a_peak_that_grows_from_each_to_the_next_is_told_with_its_pace() -> None:
    said = growth_sentence(followed(10_000_000, 14_000_000, 20_000_000)).replace("\u202f", " ")
    peaks = "the peak was 10.0 MB after 0 steps, 20.0 MB after 200, and larger in each of the 3"
    assert said.startswith(f"Memory of GPU 0 grows by 50.0 kB a step: {peaks} followed steps of w.")


@pytest.mark.parametrize(
    "peaks_bytes",
    [
        pytest.param((), id="none"),
        pytest.param((10_000_000, 20_000_000), id="two may differ by chance"),
        pytest.param((10_000_000, 20_000_000, 20_000_000), id="it has stopped"),
        pytest.param((10_000_000, 10_000_100, 10_000_200), id="a byte a step"),
    ],
)
def test_what_is_no_growth(peaks_bytes: tuple[int, ...]) -> None:
    assert growth_sentence(followed(*peaks_bytes)) == ""
