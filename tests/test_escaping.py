"""What others wrote does nothing where it is printed."""

from __future__ import annotations

import ast
import itertools
import json
from pathlib import Path

import pytest

import tbprof
from tbprof.escaping import code, escaped, inert, json_text, markup, plain, plain_lines, prose

IGNORABLE = (
    "\u00ad\u034f\u115f\u1160\u180e\u200b\u200c\u200d\u200f\u202e\u2060\u2064\u206f\u2800\u3164"
    "\ufe00\ufe0f\ufeff\ufff9\U000e0001\U000e007f"
)
"""Signs that take no room, or that look like one: of each kind some."""


SEEN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f4bb \u2764\ufe0f"
"""A word of Persian and two pictures, which such signs make what they are."""


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("训练 naïve µs 🙂 \\ \"'", "训练 naïve µs 🙂 \\ \"'"),
        ("a\nb\tc", "a\\u{a}b\\u{9}c"),
        ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
        ("safe\u202etxt.exe", "safe\\u{202e}txt.exe"),
        ("\u200f\u2067\u061c", "\\u{200f}\\u{2067}\\u{61c}"),
        ("a\u00ad\u3164\ufe0f\U000e0041b", "a\\u{ad}\\u{3164}\\u{fe0f}\\u{e0041}b"),
        ("a\u200db", "a\\u{200d}b"),
        (SEEN, SEEN),
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
    assert plain_lines("a\n::debug::b\n\x1bc\n") == "a\n: :debug::b\n\\u{1b}c\n"


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@SUM", "\t=1"])
def test_a_spreadsheet_runs_no_cell(text: str) -> None:
    assert str(inert(text))[0] in "'\\"


def test_json_says_what_it_said() -> None:
    hostile = {"name": '##[error]"\x1b\u202e\\##['}
    text = json_text(hostile)
    assert "##[" not in text
    assert text.isascii()
    assert json.loads(text) == hostile


def test_two_names_look_the_same_only_if_they_are() -> None:
    """Nor does one that spells out how a sign is shown look like one that holds it."""
    for sign, form in itertools.product(IGNORABLE, (plain, escaped, prose, code, markup, inert)):
        names = ("ab", f"a{sign}b", f"a\\u{{{ord(sign):x}}}b", f"a\\u{{5c}}u{{{ord(sign):x}}}b")
        shown = [str(form(name)) for name in names]
        assert len(set(shown)) == len(names), (hex(ord(sign)), form)
        assert not any(sign in one for one in shown), (hex(ord(sign)), form)


def test_markdown_takes_text_for_text() -> None:
    assert escaped("<img>|`x`") == "\\<img\\>\\|\\`x\\`"
    assert escaped("Step#6 of find_unused_parameters (1.5 ms)") == "Step#6 of find_unused_parameters (1.5 ms)"


def test_a_sentence_keeps_the_code_that_it_has() -> None:
    assert prose("`aten::mm|*` takes 84 % of *it*") == "`aten::mm/*` takes 84 % of \\*it\\*"


def test_commands_write_json_in_one_way_only() -> None:
    """A document that is written elsewhere would not be looked at."""
    commands = Path(tbprof.__file__).parent / "cli"
    written = [
        f"{path.name}:{node.lineno}"
        for path in commands.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "json.dumps"
    ]
    # Cells of tables, which what prints a table looks at; and files of our own.
    known = ("table.py", "baseline_file.py", "publish.py")
    assert [place for place in written if not place.startswith(known)] == []
