"""Which line of a baseline accepts which finding, when code moves or more is known of it."""

from __future__ import annotations

from check_samples import accepted, answer, found, recording

READ = found(fingerprint="read", code="total += loss.item()")
FORMER = accepted(READ, fingerprint="of another form", code="")


def states(*findings: object, **given: object) -> dict[str, str]:
    shown = answer(recording(*findings), **given)
    return {row.found.fingerprint: row.state for row in shown.rows}


def test_a_line_above_takes_no_acceptance_from_an_equal_one_below() -> None:
    new = found(fingerprint="new", code="running = loss.item()", line=3)
    assert states(new, READ, baseline=[accepted(READ)]) == {"new": "new", "read": "accepted"}


def test_a_line_that_another_rule_calls_bad_as_well_is_the_same_line() -> None:
    as_loop = found(fingerprint="loop", rule="SYN05", code="total +=  loss.item()", per_step=1)
    assert states(as_loop, baseline=[accepted(READ)]) == {"loop": "accepted"}
    upload = found(fingerprint="up", rule="CPY01", code=READ.code)
    assert states(upload, baseline=[accepted(READ)]) == {"up": "new"}


def test_a_baseline_without_lines_of_code_accepts_as_many_as_it_has() -> None:
    later = found(fingerprint="later", code="other = loss.item()", line=99)
    assert states(READ, later, baseline=[FORMER]) == {"read": "accepted", "later": "new"}


def test_a_recording_without_lines_of_code_is_accepted_by_a_baseline_with_them() -> None:
    bare = found(fingerprint="bare", code="")
    assert states(bare, baseline=[accepted(READ)]) == {"bare": "accepted"}


def test_a_line_that_skips_steps_is_not_known_to_be_new_to_a_baseline_of_later_steps() -> None:
    seldom = found(fingerprint="seldom", is_in_every_step=False)
    shown = answer(recording(seldom), of_first_steps=False, forbidden=["new", "SYN01"])
    assert (shown.rows[0].state, shown.passed) == ("unseen", True)
    assert states(seldom, of_first_steps=True) == {"seldom": "new"}
