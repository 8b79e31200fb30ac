"""A statement that goes on in other lines, as one line."""

from __future__ import annotations

import pytest

from tbprof.model import Source, SourceText, code_line, code_statement

TEXT = """\
if (
    self.filter
    and torch.isnan(loss)
):
    loss = 0
total = model(x)
values = [" ".join(names), *("a" * 99 for name in names)] + [
    "%s"
]
""" % ("b" * 99)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (1, "if (self.filter and torch.isnan(loss)):"),
        (2, "self.filter"),
        (5, "loss = 0"),
        (6, "total = model(x)"),
        (9, "]"),
        (10, ""),
    ],
)
def test_a_statement_ends_with_its_brackets(line: int, said: str) -> None:
    source = Source("train.py", line, "step", exact=True, candidates=())
    assert code_statement(source, [SourceText("train.py", 1, TEXT)]) == said


def test_a_long_one_is_cut_and_the_line_of_a_fingerprint_is_not() -> None:
    source = Source("train.py", 7, "step", exact=True, candidates=())
    texts = [SourceText("train.py", 1, TEXT)]
    said = code_statement(source, texts)
    assert (len(said), said[-1], said[:13]) == (160, "…", 'values = [" "')
    assert code_line(source, texts) == TEXT.splitlines()[6]
