"""Records that are cheap to declare behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import pytest

from tbprof import records


@records.dataclass(frozen=True, slots=True)
class Cheap:
    """A record."""

    number: int
    name: str = "none"
    by_name: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """A record."""

    number: int
    name: str = "none"
    by_name: Mapping[str, int] = dataclasses.field(default_factory=dict)


@records.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    first: int = 1
    second: int


@records.dataclass(frozen=True, slots=True, eq=False)
class Itself:
    number: int


BOTH: list[Any] = [Cheap, Standard]


@pytest.mark.parametrize("kind", BOTH)
def test_what_is_given_and_what_is_left_out(kind: Any) -> None:
    record = kind(1, by_name={"a": 2})
    assert (record.number, record.name, record.by_name) == (1, "none", {"a": 2})
    assert dataclasses.asdict(record) == {"number": 1, "name": "none", "by_name": {"a": 2}}
    assert kind(2).by_name == {} and kind(2).by_name is not kind(3).by_name
    assert repr(record) == f"{kind.__name__}(number=1, name='none', by_name={{'a': 2}})"


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("wrong", [(), (1, "a", {}, 4)])
def test_too_little_and_too_much_raise(kind: Any, wrong: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        kind(*wrong)


@pytest.mark.parametrize("wrong", [{}, {"number": 1, "unknown": 2}])
def test_a_wrong_name_is_named(wrong: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"Missing .* 'number'|Unexpected .* 'unknown'"):
        Cheap(**wrong)
    with pytest.raises(TypeError, match="given by name and position"):
        Cheap(1, number=1)


def test_a_record_without_slots_has_cached_properties_and_does_not_change_either() -> None:
    @records.dataclass(frozen=True)
    class Open:
        number: int

        @cached_property
        def double(self) -> int:
            return 2 * self.number

    record = Open(2)
    assert record.double == 4
    assert vars(record) == {"double": 4}
    assert copy.deepcopy(record) == record
    assert record == Open(2) != Open(3)
    with pytest.raises(AttributeError):
        record.number = 3  # type: ignore[misc]


def test_the_standard_library_is_told_the_fields() -> None:
    assert dataclasses.is_dataclass(Cheap) and records.is_record(Cheap) and records.is_record(Cheap(1))
    assert not records.is_record(Standard)
    ours, theirs = dataclasses.fields(Cheap), dataclasses.fields(Standard)
    for name in ("name", "type", "default", "default_factory", "kw_only"):
        assert [getattr(field, name) for field in ours] == [getattr(field, name) for field in theirs]
    assert Cheap.__match_args__ == Standard.__match_args__


@pytest.mark.parametrize("kind", BOTH)
def test_it_never_changes(kind: Any) -> None:
    record = kind(1)
    with pytest.raises(AttributeError):
        record.number = 2
    with pytest.raises(AttributeError):
        del record.number
    with pytest.raises((AttributeError, TypeError)):
        record.unknown = 2
    assert not hasattr(record, "__dict__")


@pytest.mark.parametrize("kind", BOTH)
def test_equal_are_those_of_one_class_with_equal_values(kind: Any) -> None:
    assert kind(1) == kind(1) != kind(2)
    assert kind(1) != (1, "none", {})
    assert Cheap(1) != Standard(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(kind(1))
    assert {Named(second=2), Named(second=2)} == {Named(second=2)}


@pytest.mark.parametrize("kind", BOTH)
def test_it_can_be_replaced_copied_and_pickled(kind: Any) -> None:
    record = kind(1, "one")
    assert dataclasses.replace(record, number=2) == kind(2, "one")
    if sys.version_info >= (3, 13):
        assert copy.replace(record, number=2) == kind(2, "one")
    assert pickle.loads(pickle.dumps(record)) == copy.deepcopy(record) == record


def test_some_take_names_only_and_some_are_equal_to_themselves_only() -> None:
    assert Named(second=2) == Named(first=1, second=2)
    assert [field.name for field in dataclasses.fields(Named)] == ["first", "second"]
    assert Itself(1) != Itself(1)
    assert len({Itself(1), Itself(1)}) == 2
