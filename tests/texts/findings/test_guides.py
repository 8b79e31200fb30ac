"""Every piece of advice in the guides is a check, or says why not."""

from __future__ import annotations

from tbprof.texts.rule_pages import Advice, RuleText, all_guides, guides_of, rule_text

ADVICE = [advice for guide in all_guides() for advice in guide.advice]


def words_of(page: RuleText) -> str:
    return " ".join((page.title, page.what, page.why, page.before, page.after, page.fix, page.silent))


def is_answered(advice: Advice) -> bool:
    """By a rule whose page speaks of it, or by a sentence that says why there is none; never by both."""
    pages = [rule_text(rule) for rule in advice.rules]
    spoken = advice.word != "" and any(advice.word in words_of(page) for page in pages)
    return spoken != (len(advice.instead.split()) >= 8)


def test_advice_is_a_check_that_speaks_of_it_or_says_why_it_is_none() -> None:
    assert ADVICE
    assert [advice.text for advice in ADVICE if not is_answered(advice)] == []


def test_what_no_rule_looks_at_is_in_the_list() -> None:
    for silent in ("from_numpy", "curve of memory", "cloud storage", "8-bit", "NUMA", "gradcheck"):
        assert [bool(each.instead) for each in ADVICE if silent in each.text] == [True], silent


def test_a_rule_links_to_each_guide_once() -> None:
    assert [(link.short, link.advice) for link in guides_of("LCH01")] == [
        ("PyTorch's tuning guide", "Fuse pointwise operations"),
        ("Rand, part 1", "Graph mode: `torch.compile`"),
        ("Rand, part 2", "Fewer kernels: `torch.compile`"),
        ("Profiler 1.9", "Small kernels in a loop"),
    ]
    assert guides_of("SHR01") == ()
