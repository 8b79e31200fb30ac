"""Colors: on terminals that want them, and only around the words."""

from __future__ import annotations

import io
import re
import sys

import pytest
from command_line import SAMPLES

from tbprof.cli.commands.report_forms import colored, wants_color
from tbprof.cli.terminal import terminal_text
from tbprof.report import build_report


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def look_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WT_SESSION", "a terminal of Windows")


def test_a_terminal_has_colors_and_a_pipe_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    look_at_a_terminal(monkeypatch)
    assert wants_color()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not wants_color()


@pytest.mark.parametrize(
    ("name", "value", "wants"), [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)]
)
def test_the_environment_turns_them_off(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, wants: bool
) -> None:
    look_at_a_terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    assert wants_color() == wants


def test_without_its_colors_the_text_is_the_same() -> None:
    text = terminal_text(build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"))
    shown = colored(text)
    assert re.sub("\x1b\\[\\d+m", "", shown) == text
    assert f"\x1b[1m{text.splitlines()[2]}\x1b[0m" in shown
    assert re.search("SYN02 \x1b\\[\\d+m(high|medium|low)\x1b", shown) or "SYN02 info" in shown


def test_a_short_text_is_left_as_it_is() -> None:
    assert colored("nothing\n") == "nothing\n"
