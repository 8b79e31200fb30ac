"""How the peak grows with the batch, and how many samples a device holds by that."""

from __future__ import annotations

import dataclasses

import pytest

from tbprof.preflight.fits.one_size import Outcome, growth_of, needed_bytes
from tbprof.preflight.fits.peak import Peak

GB = 10**9


def outcome(batch: int, allocated_bytes: int, reserved_bytes: int) -> Outcome:
    peak = Peak(
        0, allocated_bytes, allocated_bytes, reserved_bytes, allocated_bytes, "", 1, "forward", "", {}, {}, {}
    )
    return Outcome(batch, 2, "", peak)


def test_where_segments_hide_the_growth_what_is_allocated_tells_it() -> None:
    growth = growth_of([outcome(2, 3 * GB, 10 * GB), outcome(6, 7 * GB, 10 * GB)])
    assert growth is not None
    assert (growth.allocated.per_sample_bytes, growth.reserved.per_sample_bytes) == (GB, 0)
    least, most = growth.largest_batches(20 * GB)
    assert (least, most) == (17, 18)


@pytest.mark.parametrize(("device_bytes", "sizes"), [(20 * GB, (8, 17)), (3 * GB, (0, 0))])
def test_what_surely_fits_is_less_than_what_may(device_bytes: int, sizes: tuple[int, int]) -> None:
    growth = growth_of([outcome(2, 4 * GB, 5 * GB), outcome(4, 6 * GB, 9 * GB)])
    assert growth is not None
    assert growth.largest_batches(device_bytes) == sizes


def test_what_an_operator_has_inside_counts_in_the_most_alone() -> None:
    plain = outcome(2, 4 * GB, 5 * GB).peak
    assert plain is not None
    running = dataclasses.replace(plain, running_bytes=6 * GB, running="aten::convolution_backward")
    (least, most), (least_running, most_running) = needed_bytes(plain), needed_bytes(running)
    assert (least_running, most_running - most) == (least, 2 * GB)


def test_one_size_tells_no_growth() -> None:
    assert growth_of([outcome(2, GB, GB)]) is None
