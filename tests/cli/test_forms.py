"""A report as text and as markdown: what is shown of it, and that nothing in it can steer a screen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from command_line import SAMPLES

from tbprof.cli.markdown import markdown
from tbprof.cli.terminal import terminal_text
from tbprof.escaping import plain
from tbprof.model import Report, Site, Source
from tbprof.report import build_report

FORMS = (terminal_text, markdown)
Form = Callable[[Report], str]

REPORT = build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz")
SITE = REPORT.sites[0]


def with_sites(*sites: Site) -> Report:
    assert REPORT.idle is not None
    nowhere = dataclasses.replace(REPORT.idle, places=())
    return dataclasses.replace(REPORT, sites=sites, findings=(), fix_plan=(), idle=nowhere, ranked=None)


def with_source(source: Source | None) -> Report:
    return with_sites(dataclasses.replace(SITE, source=source, label=None, module=None))


@pytest.mark.parametrize("form", FORMS)
def test_an_exact_line_is_shown_as_it_is(form: Form) -> None:
    text = form(with_source(Source("train.py", 12, "train", exact=True, candidates=())))
    assert "train.py:12" in text
    assert "line of its def" not in text


@pytest.mark.parametrize("form", FORMS)
def test_the_line_of_a_def_says_that_it_is_one(form: Form) -> None:
    text = form(with_source(Source("train.py", 12, "train", exact=False, candidates=())))
    assert "train.py:12" in text
    assert "(line of its def" in text


@pytest.mark.parametrize("form", FORMS)
def test_a_line_that_is_not_known_is_no_figure(form: Form) -> None:
    assert "None" not in form(with_source(Source("train.py", None, "train", exact=False, candidates=())))
    assert "line not recorded" in form(with_source(None))


def test_kernels_and_launches_of_a_step_are_said_where_they_were_recorded() -> None:
    assert "kernels      60 a step, in 60 launches" in terminal_text(REPORT)
    assert "A step runs 60 kernels in 60 launches." in markdown(REPORT)
    steps = tuple(dataclasses.replace(step, kernels=None, launches=None) for step in REPORT.steps)
    assert "  kernels" not in terminal_text(dataclasses.replace(REPORT, steps=steps))


def test_a_terminal_shows_the_sites_that_are_worth_most_and_counts_the_rest() -> None:
    sites = [dataclasses.replace(SITE, ops=(f"aten::op{number}",), wait_ns=number) for number in range(15)]
    text = terminal_text(with_sites(*sites))
    assert "and 3 more sites: --format json has them all" in text
    assert [number for number in range(15) if f"aten::op{number}\n" in text] == list(range(3, 15))
    assert text.index("aten::op14\n") < text.index("aten::op3\n")


def test_markdown_shows_all_sites() -> None:
    sites = [dataclasses.replace(SITE, ops=(f"aten::op{number}",)) for number in range(15)]
    text = markdown(with_sites(*sites))
    assert all(f"`aten::op{number}`" in text for number in range(15))


@pytest.mark.parametrize("form", FORMS)
def test_a_report_without_a_device_or_a_site_is_shown(form: Form) -> None:
    bare = dataclasses.replace(
        REPORT,
        sites=(),
        findings=(),
        idle=None,
        savings=None,
        verdict=None,
        not_checked=(),
        facts=None,
        ranked=None,
    )
    assert form(bare)


STEERING = "a\x1b[2J\x07\r\n::error::b\u202ec\x9bd\udcff\u200f##[add-mask]e"


@pytest.mark.parametrize("form", FORMS)
def test_names_of_a_trace_steer_no_terminal(form: Form) -> None:
    trace = dataclasses.replace(REPORT.trace, path=STEERING, devices=(STEERING,))
    source = Source(STEERING, 1, STEERING, exact=True, candidates=())
    site = dataclasses.replace(
        SITE, ops=(STEERING,), calls=(STEERING,), direction=STEERING, memory=STEERING, source=source
    )
    report = dataclasses.replace(REPORT, trace=trace, sites=(site, *REPORT.sites[1:]))
    text = form(report)
    assert text.count("\n") == form(REPORT).count("\n")
    assert not set(text) & set("\x1b\x07\r\u202e\x9b\udcff\u200f")
    assert "##[" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    text.encode()


def test_plain_text_keeps_what_can_be_read() -> None:
    assert plain("训练 naïve µs 🙂 \\ \"'") == "训练 naïve µs 🙂 \\ \"'"
    assert plain("a\nb\tc") == "a\\u{a}b\\u{9}c"
