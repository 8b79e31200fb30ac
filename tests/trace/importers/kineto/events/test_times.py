"""Every digit of a time survives, whatever clock the file counts by."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_samples import a_step, classic, complete, rows_of, write

from tbprof.trace.importers.kineto.events.events import Slice
from tbprof.trace.importers.kineto.events.times import CLOCKS, exact_times
from tbprof.trace.importers.kineto.reader import read_trace

LIMIT_NS = 2**52 * 1000
FLOAT_LIMIT_NS = 2**43 * 1000


def us_text(ns: int) -> str:
    """`ns` in us as Kineto prints it: three decimals."""
    return f"{'-' if ns < 0 else ''}{abs(ns) // 1000}.{abs(ns) % 1000:03d}"


def digits(text: str) -> msgspec.Raw:
    """A time whose digits are read as they stand."""
    return msgspec.Raw(text.encode())


@given(st.lists(st.tuples(st.integers(1 - FLOAT_LIMIT_NS, FLOAT_LIMIT_NS - 1), st.integers(0, 10**12))))
def test_floats_are_exact_below_their_limit(times: list[tuple[int, int]]) -> None:
    slices = [
        Slice(ts=float(us_text(start)), dur=float(us_text(duration)), name="") for start, duration in times
    ]

    exact = exact_times(slices, float)

    assert exact is not None
    assert exact.start_ns.tolist() == [start for start, _ in times]
    assert exact.duration_ns.tolist() == [duration for _, duration in times]


@given(st.integers(FLOAT_LIMIT_NS + 1, LIMIT_NS - 1), st.integers(0, FLOAT_LIMIT_NS - 1))
@pytest.mark.parametrize("clock", [Decimal, digits])
def test_decimals_and_digits_are_exact_everywhere(
    clock: Callable[[str], Any], start_ns: int, duration_ns: int
) -> None:
    slices = [Slice(ts=clock(us_text(start_ns)), dur=float(us_text(duration_ns)), name="")]

    assert exact_times([Slice(ts=float(us_text(start_ns)), dur=0.0, name="")], float) is None
    exact = exact_times(slices, type(slices[0].ts))

    assert exact is not None
    assert (exact.start_ns.tolist(), exact.duration_ns.tolist()) == ([start_ns], [duration_ns])


@given(st.integers(-(2**52) + 1, 2**52 - 1))
def test_whole_us_become_ns_by_integer_arithmetic(start_us: int) -> None:
    exact = exact_times([Slice(ts=start_us, dur=1, name="")], int)

    assert exact is not None
    assert exact.start_ns.tolist() == [start_us * 1000]


@given(st.lists(st.sampled_from(["1712195495519689.123", "999.5", "7", "-1.000", '"1.000"', "17e3.000"])))
def test_digits_are_read_only_where_all_stand_as_kineto_prints_them(texts: list[str]) -> None:
    exact = exact_times([Slice(ts=digits(text), dur=1.0, name="") for text in texts], msgspec.Raw)

    assert (exact is not None) == (set(texts) <= {"1712195495519689.123"})


@pytest.mark.parametrize("clock", CLOCKS)
def test_what_does_not_fit_into_64_bits_is_refused(clock: type) -> None:
    start, one = (
        (digits("9" * 16 + ".000"), digits("1.000")) if clock is msgspec.Raw else (clock(2**53), clock(1))
    )
    length = int if clock is int else float

    assert exact_times([Slice(ts=one, dur=length(1), name="")], clock) is not None
    assert exact_times([Slice(ts=start, dur=length(1), name="")], clock) is None
    assert exact_times([Slice(ts=one, dur=length(2**80), name="")], clock) is None


def test_digits_below_a_nanosecond_round_to_the_nearest(tmp_path: Path) -> None:
    events = [complete("a", 4000.0004, 1.0006), complete("b", 4000.0016, 0.0004)]

    assert [row[:2] for row in rows_of(read_trace(write(tmp_path, classic(events))))] == [
        (4000000, 1001),
        (4000002, 0),
    ]


def test_unix_times_with_decimals_keep_their_nanoseconds(tmp_path: Path) -> None:
    base_ns = 1712195495519689000
    content = classic([complete("op", "TIME", 63.813) for _ in range(200)], tail={"displayTimeUnit": "ns"})
    for ns in range(200):
        content = content.replace(b'"TIME"', us_text(base_ns + ns * 7).encode(), 1)

    trace = read_trace(write(tmp_path, content), chunk_bytes=4096)

    assert trace.slices.start_ns.tolist() == [base_ns + ns * 7 for ns in range(200)]
    assert set(trace.slices.duration_ns.tolist()) == {63813}
    assert (trace.origin_ns, trace.era) == (0, "2024+")


def test_one_file_may_mix_its_clocks(tmp_path: Path) -> None:
    unix = 1712195495519689
    events = [complete("whole", unix, 5)] * 40 + a_step() * 40 + [complete("whole", unix + 1, 5)] * 40

    trace = read_trace(write(tmp_path, classic(events)), chunk_bytes=4096)

    starts = trace.slices.start_ns.tolist()
    assert starts[:40] == [unix * 1000] * 40
    assert starts[40:42] == [4000125, 4010250]
    assert starts[-40:] == [(unix + 1) * 1000] * 40


@pytest.mark.parametrize(("last", "era"), [(1500, "2023"), (1500.5, "2024+")])
def test_one_start_with_decimals_tells_the_era(tmp_path: Path, last: float, era: str) -> None:
    events = [complete("op", start, 1) for start in (*range(1500), last)]

    assert read_trace(write(tmp_path, classic(events, head={}, tail={}))).era == era
