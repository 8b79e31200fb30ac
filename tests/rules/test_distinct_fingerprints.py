"""Two findings that are alike have two names, and keep them while the code around them moves."""

from __future__ import annotations

import numpy as np
import pytest

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.model import Finding, Source, disambiguated, fingerprint
from tbprof.rules.checking import with_distinct_fingerprints

READ = ("aten::_local_scalar_dense", "aten::item")


def site(line: int | None, *, memory: str = "pageable") -> SiteMembers:
    nothing = np.empty(0, np.int64)
    source = None if line is None else Source("train.py", line, "step", exact=True, candidates=())
    calls = ("cudaMemcpyAsync", "cudaStreamSynchronize")
    return SiteMembers("DtoH", memory, calls, READ, source, True, None, None, nothing, nothing)


def finding(*sites: int, rule: str = "SYN01") -> Finding:
    name = fingerprint(rule, "train.py", "step", READ)
    return Finding(rule, "low", sites, (0,), 1, "defer", None, "high", (), {}, name)


def names(*lines: int | None) -> dict[int | None, str]:
    """Of a read at each of these lines, its fingerprint."""
    sites = [site(line) for line in lines]
    found = with_distinct_fingerprints([finding(index) for index in range(len(lines))], sites)
    return {lines[one.sites[0]]: one.fingerprint for one in found}


def test_reads_on_two_lines_of_a_function_have_two_names() -> None:
    assert len(set(names(12, 14, 20).values())) == 3


def test_the_order_in_which_they_are_found_is_none_of_their_names() -> None:
    assert names(12, 14) == names(14, 12)


def test_both_keep_their_names_when_lines_are_put_above_them() -> None:
    assert list(names(12, 14).values()) == list(names(112, 114).values())


def test_one_that_comes_behind_them_changes_neither() -> None:
    assert names(12, 14).items() <= names(12, 14, 20).items()


def test_the_first_is_named_as_if_it_were_alone() -> None:
    assert names(12, 14)[12] == names(12)[12] == finding(0).fingerprint


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_without_lines_they_differ_by_what_they_copy(order: tuple[int, int]) -> None:
    sites = [site(None, memory="pinned"), site(None, memory="pageable")]
    found = with_distinct_fingerprints([finding(index) for index in order], sites)
    assert [sites[one.sites[0]].memory for one in found] == ["pageable", "pinned"]
    assert found[0].fingerprint != found[1].fingerprint


def test_two_rules_about_one_site_keep_their_names() -> None:
    both = [finding(0), finding(0, rule="SYN07")]
    assert with_distinct_fingerprints(both, [site(12)]) == both


def test_a_name_is_never_given_twice() -> None:
    assert len(set(disambiguated("aaabbc"))) == 6
