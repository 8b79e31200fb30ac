"""Two windows beside each other: the verdict, and what is beside it."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, SITE, changed, step
from stored_verdicts import stored_verdict

from tbprof.model import Report, Site, SyncTotals
from tbprof.views.comparison import CompareView, compare_view


def with_steps(*lengths_ns: int) -> Report:
    return changed(steps=tuple(step(number, length) for number, length in enumerate(lengths_ns)))


def with_site(site: Site) -> Report:
    return changed(sites=(site,), idle=None, findings=(), fix_plan=())


def compared(before: Report, after: Report) -> CompareView:
    return compare_view(before, after)


def test_a_difference_out_of_the_noise_is_told() -> None:
    before = with_steps(10_000_000, 10_100_000, 9_900_000)
    after = with_steps(8_000_000, 8_100_000, 7_900_000)
    assert compared(before, after).verdict == (
        "A step is 20\u202f% shorter: 10.0\u202fms before, 8.0\u202fms after."
    )


def test_a_difference_within_the_noise_is_none() -> None:
    shown = compared(with_steps(10_000_000, 8_000_000), with_steps(8_500_000, 9_000_000))
    assert shown.verdict.startswith("No difference in step time beyond the noise")


def test_one_step_on_a_side_does_not_tell_the_noise() -> None:
    shown = compared(with_steps(4_400_000), with_steps(600_000_000, 700_000_000))
    assert shown.verdict == (
        "With a single steady step the noise is unknown: 4.4\u202fms before, 650.0\u202fms after, "
        "148 times as long."
    )


def test_the_cause_that_changed_most_is_named_even_within_the_noise() -> None:
    waiting, ready = (
        dataclasses.replace(step(0, 10_000_000), idle_by_cause={"data": data_ns, "sync": 100_000})
        for data_ns in (3_000_000, 0)
    )
    shown = compared(changed(steps=(waiting, waiting)), changed(steps=(ready, ready)))
    assert shown.verdict.startswith("No difference")
    assert shown.detail.startswith("The GPU no longer waits for data: 3.0\u202fms before, 0")


def test_less_waiting_for_communication_is_named() -> None:
    much, less = (
        dataclasses.replace(step(0, 10_000_000), communication_exposed_ns=ns) for ns in (4_000_000, 1_000_000)
    )
    shown = compared(changed(steps=(much, much)), changed(steps=(less, less)))
    assert shown.detail.startswith("The GPU waits less for communication: 4.0\u202fms before, 1.0\u202fms")


def test_without_steps_there_is_nothing_to_compare() -> None:
    bare = changed(steps=(), sites=(), idle=None, findings=(), fix_plan=())
    shown = compared(bare, bare)
    assert shown.verdict == "One of the two windows has no steps to compare."
    assert (shown.steps, shown.bars) == ((), None)


def test_a_side_that_is_cut_off_is_said_to_be_and_its_waits_are_not_0() -> None:
    nothing = SyncTotals(0, 0, 0, 0, 0, ())
    cut = changed(idle=None, sites=(), verdict=stored_verdict("cut_off", {}), sync_points=nothing)
    shown = compared(REPORT, cut)
    assert shown.scopes == ("After: the file is cut off: no GPU work is in what is left of it.",)
    waits = next(row for row in shown.figures if row.name == "Host waits")
    assert waits.before is not None
    assert (waits.after, waits.change_share) == (None, None)
    assert compared(REPORT, REPORT).scopes == ()


def test_a_wait_that_moved_is_named_above_and_at_both_sites() -> None:
    assert SITE.source is not None
    later = dataclasses.replace(SITE.source, line=77, function="log")
    shown = compared(with_site(SITE), with_site(dataclasses.replace(SITE, source=later)))
    assert shown.detail.startswith("The wait moved from train.py:12 to train.py:77: net 0")
    gone, new = shown.sites
    assert (gone.note, new.note) == (
        "its wait is at train.py:77 now",
        "takes over 1\u202f\u00b5s of the wait that train.py:12 had",
    )
    assert compared(REPORT, REPORT).detail == ""
