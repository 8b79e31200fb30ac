"""What others wrote does nothing where it is printed."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import tbprof
from tbprof.escaping import escaped, inert, json_text, plain, plain_lines


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("训练 naïve µs 🙂 \\ \"'", "训练 naïve µs 🙂 \\ \"'"),
        ("a\nb\tc", "a\ufffdb\ufffdc"),
        ("\x1b]0;title\x07", "\ufffd]0;title\ufffd"),
        ("safe\u202etxt.exe", "safe\ufffdtxt.exe"),
        ("\u200f\u2067\u061c", "\ufffd\ufffd\ufffd"),
        ("::error file=a::b", ": :error file=a::b"),
        ("  ::add-mask::x", "  : :add-mask::x"),
        ("at::native::copy", "at::native::copy"),
        ("a ##[error]b ##[add-mask]c", "a # #[error]b # #[add-mask]c"),
        ("###[error]", "## #[error]"),
        ("## heading [1]", "## heading [1]"),
    ],
)
def test_a_line_is_shown_and_not_obeyed(written: str, printed: str) -> None:
    assert plain(written) == printed


def test_of_several_lines_each_is_looked_at() -> None:
    assert plain_lines("a\n::debug::b\n\x1bc\n") == "a\n: :debug::b\n\ufffdc\n"


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@SUM", "\t=1"])
def test_a_spreadsheet_runs_no_cell(text: str) -> None:
    assert str(inert(text))[0] in "'\ufffd"


def test_json_says_what_it_said() -> None:
    hostile = {"name": '##[error]"\x1b\u202e\\##['}
    text = json_text(hostile)
    assert "##[" not in text
    assert text.isascii()
    assert json.loads(text) == hostile


def test_markdown_takes_text_for_text() -> None:
    assert escaped("<img>|`x`") == "\\<img\\>\\|\\`x\\`"


def test_commands_write_json_in_one_way_only() -> None:
    """A document that is written elsewhere would not be looked at."""
    commands = Path(tbprof.__file__).parent / "cli"
    written = [
        f"{path.name}:{node.lineno}"
        for path in [*(commands / "commands").glob("*.py"), *(commands / "output").glob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "json.dumps"
    ]
    # Cells of tables, which what prints a table looks at.
    assert all(place.startswith("tables.py") for place in written)
