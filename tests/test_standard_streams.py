"""What a command prints arrives, whatever its stdout and stderr are."""

from __future__ import annotations

import ast
import encodings.aliases
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tbprof
from tbprof import standard_streams
from tbprof.errors import OutputError
from tbprof.standard_streams import SUBSTITUTES, flush_output, put, reader_may_leave, substitute_unencodable

SIGNS = "".join(SUBSTITUTES) + "训练 é 🙂 \udcff \x85 plain"
"""Those that tbprof writes, and those of people's names."""


def printed(text: str, encoding: str, errors: str = "strict") -> bytes:
    file = io.BytesIO()
    stream = io.TextIOWrapper(file, encoding=encoding, errors=errors)
    substitute_unencodable(stream)
    stream.write(text)
    stream.flush()
    return file.getvalue()


def text_encodings() -> Iterator[str]:
    for name in sorted(set(encodings.aliases.aliases.values())):
        try:
            "plain".encode(name)
            io.TextIOWrapper(io.BytesIO(), encoding=name)
        except (LookupError, UnicodeError, ImportError):
            # No encoding of text, or one of another system.
            continue
        yield name


def test_every_sign_is_written_in_every_encoding_that_python_has() -> None:
    ends = {encoding: printed(SIGNS, encoding).decode(encoding)[-5:] for encoding in text_encodings()}
    assert len(ends) > 50
    assert {encoding: end for encoding, end in ends.items() if end != "plain"} == {}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "gbk", "cp437"])
def test_units_and_signs_can_be_read(encoding: str) -> None:
    text = printed("5\u202f%, \u2212\u00d71.50", encoding).decode(encoding)
    assert text.replace("\u00d7", "x") == "5 %, -x1.50"


def test_what_the_encoding_has_is_written_as_it_is() -> None:
    assert printed("5\u202fµs 训练", "utf-8").decode() == "5\u202fµs 训练"
    assert printed("5\u202fµs 训练", "latin-1").decode("latin-1") == "5 µs \\u8bad\\u7ec3"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_figures_can_be_searched_for_where_no_terminal_shows_them(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: is_terminal)
    monkeypatch.setattr("sys.stdout", written)
    put("idle 22.9\u202fms")
    assert ("22.9 ms" in written.getvalue()) is not is_terminal


def test_a_name_that_is_no_unicode_is_spelled() -> None:
    assert printed("a\udcffb", "utf-8") == b"a\\udcffb"
    assert printed("a\udcffb", "ascii", "surrogateescape") == b"a\\udcffb"


def test_a_handler_that_somebody_chose_stays() -> None:
    assert printed("5\u202f%", "ascii", "xmlcharrefreplace") == b"5&#8239;%"


def written_signs() -> set[str]:
    """Every sign beyond ASCII in a text of the package; patterns are not printed."""
    package = Path(tbprof.__file__).parent
    files = (
        path for path in package.rglob("*.py") if path.name not in ("standard_streams.py", "escaping.py")
    )
    sources = (path.read_text(encoding="utf-8") for path in files)
    # A module without any, and without an escape for one, need not be parsed.
    trees = (ast.parse(source) for source in sources if re.search(r"[^\x00-\x7f]|\\[uUNx]", source))
    texts = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    signs = {sign for text in texts if isinstance(text, str) for sign in text if not sign.isascii()}
    # Half of a pair is no sign: it stands in patterns.
    return {sign for sign in signs if not "\ud800" <= sign <= "\udfff"}


def test_every_sign_that_tbprof_writes_has_a_substitute() -> None:
    assert written_signs() - set(SUBSTITUTES) == set()
    assert all(substitute.isascii() for substitute in SUBSTITUTES.values())


class Failing(io.TextIOWrapper):
    """A stdout that fails as the system says."""

    def __init__(self, error: OSError) -> None:
        super().__init__(io.BytesIO())
        self.error = error

    def write(self, _: str) -> int:
        raise self.error

    def flush(self) -> None:
        raise self.error


def test_an_output_that_can_not_be_written_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standard_streams.sys, "stdout", Failing(OSError(28, "No space left on device")))
    for attempt in (lambda: put("text"), flush_output):
        with pytest.raises(OutputError, match=r"can't be written \(No space left on device\)"):
            attempt()


def test_a_reader_that_has_seen_enough_is_no_error_where_a_code_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(standard_streams.sys, "stdout", Failing(BrokenPipeError(32, "Broken pipe")))
    with pytest.raises(BrokenPipeError):
        put("text")
    with reader_may_leave():
        put("text")
