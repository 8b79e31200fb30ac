"""Tables of a loaded trace, as rows, Markdown and HTML."""

from __future__ import annotations

import dataclasses
import html.parser
import shutil
from pathlib import Path

import pytest

import tbprof
from tbprof.errors import UsageError
from tbprof.html_report.loaded_report import LoadedReport, LoadedTable
from tbprof.html_report.table_markup import table_html, table_markdown, table_page
from tbprof.views.tables.cells import Column, Table

SAMPLE = Path(__file__).parents[2] / "logs" / "samples" / "h100_bert_small_infer" / "h100_bert_small.json.gz"

TABLE = Table(
    name="operators",
    by="name",
    sentence="Operators of 1 step: 3 µs on the device.",
    in_steps=True,
    steps=("ProfilerStep#0",),
    columns=(
        Column("name", str, head="operator", title="Name"),
        Column("shapes", str, head="shapes"),
        Column("calls", str, "count", head="calls"),
        Column("device_self_us", str, "us", head="device self", title="GPU self"),
        Column("share", str, "share", head="share"),
        Column("flops", str),
    ),
    rows=(
        ("a|b\n<script>", [[2, 3], []], 1200, 2.0, 0.6, 7),
        ("\u202eadd", None, 1, None, 0.4, None),
    ),
)


@pytest.fixture(scope="module")
def loaded() -> LoadedReport:
    return tbprof.load(SAMPLE, use_cache=False)


def test_rows_are_dictionaries_in_the_order_of_the_table(loaded: LoadedReport) -> None:
    operators = loaded.operators(by="shapes", scope="steps")
    assert len(operators) == len(list(operators)) == 65
    assert operators[0]["name"] == "aten::addmm"
    assert operators[0]["device_self_us"] >= operators[-1]["device_self_us"]
    assert [row["shapes"] for row in operators[:2]] == [operators[at]["shapes"] for at in (0, 1)]
    assert operators.to_dict()["scope"] == "steps"
    assert tuple(operators[0]) == operators.columns


def test_each_table_of_a_trace_can_be_had(loaded: LoadedReport) -> None:
    assert loaded.kernels()[0]["library"] == "cutlass"
    assert loaded.modules()[0]["name"] == "BertLMHeadModel_0"
    assert loaded.memory()[0]["device"] == "GPU 0"
    assert repr(loaded.collectives()) == "<tbprof collectives, 0 rows: Collectives: none is recorded.>"


def test_a_report_finds_the_trace_beside_it(tmp_path: Path) -> None:
    trace = tmp_path / "w.1752215573993169006.trace.json.gz"
    shutil.copy(SAMPLE, trace)
    stored = tmp_path / "w.1752215573993169006.tbprof.pb"
    shutil.copy(SAMPLE.parent / "h100_bert_small.tbprof.pb", stored)
    assert tbprof.load(stored).trace_path == str(trace)
    assert len(tbprof.load(tmp_path, use_cache=False).kernels()) == 11
    trace.unlink()
    with pytest.raises(UsageError, match="a table needs the trace"):
        tbprof.load(stored).kernels()


def test_markdown_is_one_row_a_line_whatever_names_hold() -> None:
    assert table_markdown(TABLE).splitlines() == [
        "Operators of 1 step: 3 µs on the device.",
        "",
        "| Name | Shapes | Calls | GPU self | Share |",
        "| --- | --- | ---: | ---: | ---: |",
        "| a\\|b\\\\u{a}\\<script\\> | 2\u00d73, () | 1,200 | 2\u202fµs | 60\u202f% |",
        "| \\\\u{202e}add | — | 1 | — | 40\u202f% |",
    ]


def test_html_is_ascii_and_runs_nothing() -> None:
    page = table_page(TABLE)
    assert page.isascii()
    assert "<script" not in page
    assert 'style="' not in page
    cells: list[str] = []
    parser = html.parser.HTMLParser()
    parser.handle_data = cells.append  # type: ignore[method-assign]
    parser.feed(table_html(TABLE))
    assert "a|b\\u{a}<script>" in cells
    assert "2\u202fµs" in cells


def test_a_notebook_shows_the_largest_rows() -> None:
    many = dataclasses.replace(TABLE, rows=TABLE.rows * 100)
    shown = LoadedTable(many)._repr_html_()
    assert shown.count("<tr>") == 51
    assert shown.endswith("<p>and 150 more rows</p>")
