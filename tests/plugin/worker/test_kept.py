"""Answers that are kept as bytes: the last ones, within so many bytes."""

from __future__ import annotations

import gzip

from tbprof.errors import TbprofError
from tbprof.plugin.worker.kept import Answer, Failed, Kept, Key


def key(name: str, *, state: int = 0, run: str = "") -> Key:
    return Key("view", (name,), state, run=run)


def names(kept: Kept) -> str:
    return "".join(name for name in "abcd" if kept.get(key(name), Answer) is not None)


def test_those_that_were_not_asked_for_longest_go_first() -> None:
    kept = Kept(10)
    kept.keep_answer(key("a"), b"12345")
    kept.keep_answer(key("b"), b"12345")
    assert kept.get(key("a"), Answer) is not None
    kept.keep_answer(key("c"), b"1")
    assert names(kept) == "ac"


def test_what_was_made_of_a_file_as_it_was_is_no_answer_and_takes_no_room() -> None:
    kept = Kept(10)
    kept.keep_answer(key("b"), b"12345")
    for number in range(100):
        kept.keep_answer(key("a", state=number), b"%05d" % number)
    found = kept.get(key("a", state=99), Answer)
    assert found is not None
    assert found.content == b"00099"
    assert kept.get(key("a", state=98), Answer) is None
    assert names(kept) == "b"


def test_what_is_larger_than_all_is_kept_alone() -> None:
    kept = Kept(10)
    kept.keep_answer(key("a"), b"1")
    assert kept.keep_answer(key("b"), b"x" * 11).content == b"x" * 11
    assert names(kept) == "b"
    kept.keep_answer(key("c"), b"1")
    assert names(kept) == "c"


def test_what_belongs_to_a_run_goes_together() -> None:
    kept = Kept(10)
    for name in "abc":
        kept.keep(key(name, run="one"), name, 5)
    assert [kept.get(key(name, run="one"), str) for name in "abc"] == ["a", "b", "c"]
    kept.keep(key("d", run="two"), "d", 1)
    assert [kept.get(key(name, run="one"), str) for name in "abc"] == [None] * 3
    assert kept.get(key("d", run="two"), str) == "d"


def test_why_there_is_no_answer_is_kept_in_its_place() -> None:
    kept, failed = Kept(), Failed(TbprofError("broken"))
    kept.keep(key("a"), failed)
    assert kept.get(key("a"), Failed) is failed
    assert kept.get(key("a"), Answer) is None


def test_the_same_content_has_the_same_tag_and_is_packed_once() -> None:
    answer = Answer(b"x" * 5000)
    assert answer.tag == Answer(b"x" * 5000).tag != Answer(b"y" * 5000).tag
    assert answer.packed is answer.packed
    assert gzip.decompress(answer.packed or b"") == answer.content
    assert Answer(b"short").packed is None
