"""What is said of an episode and of a gap."""

from __future__ import annotations

from tbprof.texts.timeline import episode_sentence, gap_place, gap_sentence


def plain(text: str) -> str:
    return text.replace("\u202f", " ")


def test_a_wait_tells_lost_time_from_time_that_was_not() -> None:
    said = plain(episode_sentence(9_500, 9_300, 7_300, is_blocking=True))
    assert said == (
        "The host waited 9.5 ms. All but 0.2 ms of that the GPU was working: not lost. "
        "Then the queue was empty, and the GPU had nothing to do for 7.3 ms."
    )


def test_a_harmless_wait_is_said_to_be_one() -> None:
    said = plain(episode_sentence(6_600, 6_590, 0, is_blocking=True))
    assert said.endswith("All that time the GPU was working: not lost. It did not run dry afterwards.")


def test_a_wait_without_work_is_not_explained() -> None:
    assert "Nothing that was recorded ran" in episode_sentence(100, 0, 0, is_blocking=True)


def test_of_a_wait_that_was_hardly_covered_the_covered_part_is_said() -> None:
    said = plain(episode_sentence(23, 2, 0, is_blocking=True))
    assert said.startswith("The host waited 23 µs. The GPU was working for 2 µs of that. ")


def test_a_copy_that_did_not_block_is_no_wait() -> None:
    said = plain(episode_sentence(18, 0, 0, is_blocking=False))
    assert said == "The copy did not hold up the host: its call returned after 18 µs."


def test_a_gap_has_its_cause_and_its_place() -> None:
    said = plain(gap_sentence("data", 4_000, "load_batch"))
    assert said == (
        "The GPU did nothing for 4.0 ms. Most of it: waiting for data. "
        'The host was in `record_function("load_batch")`.'
    )
    assert gap_sentence("queued", 4_000, "").endswith("work is queued.")


def test_a_host_that_is_late_with_no_op_recorded_did_its_own_work() -> None:
    for cause in ("sync", "launch"):
        assert "the host did its own work (no torch op recorded)" in gap_sentence(cause, 55_900, "")
        assert gap_place(cause, "") == "its own work, no torch op recorded"
    assert gap_place("data", "") == "place not recorded"
    assert gap_place("sync", "aten::nonzero") == "operator aten::nonzero"


def test_a_wait_for_another_rank_is_not_called_well_spent() -> None:
    said = plain(episode_sentence(6_600, 6_590, 0, is_blocking=True, communicating_us=5_000))
    assert "For 5.0 ms of that the GPU communicated and computed nothing" in said
