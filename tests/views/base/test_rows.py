"""A row of a screen takes its figures from the record of the same names."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

from tbprof.model import Site
from tbprof.views.steady import row_of
from tbprof.views.window import SiteRow


@dataclass(frozen=True)
class Record:
    name: str
    wait_ns: int
    device_ns: int | None
    each_ns: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    index: int
    name: str
    wait_us: float
    device_us: float | None
    each_us: tuple[float, ...]


def test_times_come_in_us_and_what_the_screen_adds_as_it_is() -> None:
    row = row_of(Row, Record("a", 1_500, None, (1, 2_000)), index=3)

    assert row == Row(3, "a", 1.5, None, (0.001, 2.0))


def test_what_is_added_stands_before_what_the_record_has() -> None:
    assert row_of(Row, Record("a", 1, 2, ()), index=0, wait_us=7.0).wait_us == 7.0


def test_a_field_that_nobody_gives_is_an_error() -> None:
    with pytest.raises(AttributeError, match="index"):
        row_of(Row, Record("a", 1, 2, ()))


def names_of(record: type) -> set[str]:
    return {field.name.replace("_ns", "_us") for field in fields(record)}


def test_the_tab_is_sent_every_figure_of_a_site() -> None:
    assert names_of(Site) - names_of(SiteRow) == set()
