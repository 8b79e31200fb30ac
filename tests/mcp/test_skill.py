"""The skill: short, installed as it is, and naming only commands, tools, verdicts and options that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from cli_grammar import commands, options_of_all

import tbprof.mcp
from tbprof.cli.main import main
from tbprof.preflight.proof.judging import Verdict
from tbprof.session_file import KINDS

SKILL = (Path(tbprof.mcp.__file__).parent / "SKILL.md").read_text(encoding="utf-8")


def test_it_is_short_and_installed_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(SKILL.splitlines()) < 200
    assert main(["skill", "--install", str(tmp_path / "skills")]) == 0
    written = Path(capsys.readouterr().out.strip())
    assert written.read_text(encoding="utf-8") == SKILL
    assert written.relative_to(tmp_path).as_posix() == "skills/tbprof/SKILL.md"


def test_it_names_what_exists() -> None:
    named = set(re.findall(r"`tbprof (\w+)", SKILL))
    assert named <= set(commands())
    assert set(re.findall(r"(?<!\S)--[a-z][a-z-]+", SKILL)) <= options_of_all()
    assert all(f"`{kind}`" in SKILL for kind in KINDS)
    verdicts = re.findall(r"^\| ([a-z ]+) \| (?!do)", SKILL, re.MULTILINE)
    assert tuple(verdicts) == get_args(Verdict)
