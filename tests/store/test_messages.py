"""Records to messages and back: whatever the model allows comes back as it was."""

from __future__ import annotations

import typing

import pytest
from hypothesis import HealthCheck, given, settings
from report_strategies import reports

from tbprof.model import Finding, HealthFact, Report
from tbprof.store import report_pb2
from tbprof.store.messages import from_message, to_message


@pytest.mark.slow
@given(reports())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_report_comes_back_as_it_was(report: Report) -> None:
    stored = to_message(report).SerializeToString()
    message = report_pb2.Report()
    message.ParseFromString(stored)
    assert from_message(message, Report) == report


def test_numbers_keep_their_kind() -> None:
    fact = HealthFact("bracket", "info", {"steps": 3, "share": 3.0, "device": "3", "far": -(2**63)})
    numbers = from_message(to_message(fact), HealthFact).numbers
    assert numbers == fact.numbers
    assert [type(number) for number in numbers.values()] == [type(fact.numbers[name]) for name in numbers]


def test_what_is_not_recorded_stays_apart_from_zero() -> None:
    message = report_pb2.Step(gpu_lag_ns=0)
    assert message.HasField("gpu_lag_ns")
    assert not message.HasField("device_idle_ns")


@pytest.mark.parametrize("field", ["severity", "removal", "confidence"])
def test_a_word_that_the_model_does_not_know_is_refused(field: str) -> None:
    message = report_pb2.Finding(severity="low", removal="drop", confidence="high")
    known = typing.get_args(typing.get_type_hints(Finding)[field])
    assert getattr(from_message(message, Finding), field) in known
    setattr(message, field, "other")
    with pytest.raises(ValueError, match="'other' where it can't be"):
        from_message(message, Finding)


def test_a_missing_part_that_is_always_there_is_an_empty_one() -> None:
    # proto3 leaves empty messages out; a report without totals has totals of 0.
    assert from_message(report_pb2.Report(), Report).sync_points.count == 0


def test_maps_are_read_in_the_order_of_their_keys() -> None:
    """For a map of protobuf has another order in each process."""
    names = [f"NAME_{at}" for at in range(40)]
    fact = HealthFact("bracket", "info", dict.fromkeys(reversed(names), 1))
    assert list(from_message(to_message(fact), HealthFact).numbers) == sorted(names)
