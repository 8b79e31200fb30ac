"""The code around recorded lines, as it is embedded."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from types import CodeType

import pytest

from tbprof.hook.audit import source_text
from tbprof.hook.audit.source_text import AROUND, Place, source_lines, source_texts
from tbprof.model import SourceText

PROGRAM = """import torch


@torch.no_grad()
def first(x):
    def inner():
        return x
    return inner()


def second(x):
    return x
"""


def places(file: Path, *lines: int) -> dict[tuple[str, int], Place]:
    """Each line in the function of the file that holds it."""
    codes = [compile(file.read_bytes(), str(file), "exec")]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    found = {}
    for line in lines:
        holding = [code for code in codes if any(at == line for _, _, at in code.co_lines())]
        found[str(file), line] = (holding[-1], {})
    return found


def test_it_is_the_function_with_its_decorators_and_what_is_inside(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    text = "".join(PROGRAM.splitlines(keepends=True)[3:8])
    assert source_texts(places(file, 8)) == (SourceText(str(file), 4, text),)


def test_functions_that_lie_apart_are_texts_of_their_own_and_none_is_there_twice(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    assert [text.first_line for text in source_texts(places(file, 7, 8, 12))] == [4, 11]


def test_a_long_function_is_cut_around_the_line(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("def f(x):\n" + "    x = x + 1\n" * 500)
    (text,) = source_texts(places(file, 250))
    assert (text.first_line, text.text.count("\n")) == (250 - AROUND, 2 * AROUND + 1)


def test_a_file_of_another_encoding_is_read_by_its_own_coding_line(tmp_path: Path) -> None:
    file = tmp_path / "训练.py"
    file.write_text("# -*- coding: gbk -*-\ndef f():\n    return '损失'\n", encoding="gbk")
    (text,) = source_texts(places(file, 3))
    assert text.text == "def f():\n    return '损失'\n"


def test_a_module_of_an_archive_is_asked_for_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed_training.py", PROGRAM)
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    module = __import__("packed_training")
    code = module.second.__code__
    (text,) = source_texts({(code.co_filename, 12): (code, vars(module))})
    assert text.text == "def second(x):\n    return x\n"


def test_code_without_a_source_has_none() -> None:
    code = compile("x = 1", "no such file.py", "exec")
    assert source_texts({("no such file.py", 1): (code, {})}) == ()


def test_there_is_a_limit_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    monkeypatch.setattr(source_text, "MOST_CHARACTERS", 90)
    assert [text.first_line for text in source_texts(places(file, 8, 12))] == [4]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with a name")
def test_a_pipe_in_the_place_of_a_source_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "train.py"
    os.mkfifo(pipe)
    assert not source_lines(str(pipe))


def test_a_loader_of_the_program_s_own_is_not_asked(tmp_path: Path) -> None:
    class Loader:
        def get_source(self, _: str) -> str:
            raise AssertionError("code of the program has run")

    assert not source_lines(str(tmp_path / "made.py"), {"__loader__": Loader(), "__name__": "made"})
