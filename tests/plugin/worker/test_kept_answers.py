"""Answers that are kept as bytes: the last ones, within so many bytes."""

from __future__ import annotations

import gzip

from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers


def test_those_that_were_not_asked_for_longest_go_first() -> None:
    kept = KeptAnswers(10)
    kept.keep("a", b"12345")
    kept.keep("b", b"12345")
    assert kept.get("a") is not None
    kept.keep("c", b"1")
    assert kept.get("b") is None
    assert [kept.get(key) is not None for key in ("a", "c")] == [True, True]


def test_what_is_replaced_takes_no_room() -> None:
    kept = KeptAnswers(10)
    for number in range(100):
        kept.keep("a", b"%05d" % number)
    kept.keep("b", b"12345")
    found = kept.get("a")
    assert found is not None
    assert found.content == b"00099"


def test_what_is_larger_than_all_is_answered_and_not_kept() -> None:
    kept = KeptAnswers(10)
    assert kept.keep("a", b"x" * 11).content == b"x" * 11
    assert kept.get("a") is None


def test_the_same_content_has_the_same_tag_and_is_packed_once() -> None:
    answer = Answer(b"x" * 5000)
    assert answer.tag == Answer(b"x" * 5000).tag != Answer(b"y" * 5000).tag
    assert answer.packed is answer.packed
    assert gzip.decompress(answer.packed or b"") == answer.content
    assert Answer(b"short").packed is None
