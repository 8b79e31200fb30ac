"""The command as a whole: its doors, its exit codes, its border for faults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof

import tbprof
from tbprof.cli.commands import report
from tbprof.cli.main import main
from tbprof.rules.files import rule_files

CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
CODES = [file.code for file in rule_files()]


def test_python_m_tbprof_is_the_command() -> None:
    ended = run_tbprof("--version")
    assert (ended.returncode, ended.stdout) == (0, f"tbprof {tbprof.__version__}\n")


_RUN_AS_MODULE = """
import runpy
try: runpy.run_module("tbprof", run_name="__main__", alter_sys={alter_sys})
finally: print("-end-")
"""


@pytest.mark.parametrize(
    ("runner", "printed_behind"),
    [
        (["-m", "cProfile", "-m", "tbprof"], " function calls "),
        (["-c", _RUN_AS_MODULE.format(alter_sys=False)], "-end-"),
        (["-c", _RUN_AS_MODULE.format(alter_sys=True)], "-end-"),
        (["-i", "-m", "tbprof"], "-end-"),
    ],
    ids=["profiler", "runpy", "runpy as main", "prompt"],
)
def test_what_runs_the_command_goes_on_behind_it(runner: list[str], printed_behind: str) -> None:
    command = [sys.executable, *runner, "report", "--format", "json", str(CLEAN)]
    ended = subprocess.run(command, capture_output=True, text=True, input="print('-end-')")
    assert (ended.returncode, printed_behind in ended.stdout) == (0, True)


def test_help_names_every_command() -> None:
    ended = run_tbprof("--help")
    assert ended.returncode == 0
    for command in ("report", "explain", "manual", "demo", "publish"):
        assert f"\n    {command} " in ended.stdout


def test_a_shell_completes_commands_options_and_choices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("shtab")
    assert main(["--completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)
    typed = {"rep": "report", "report --summ": "--summary", "report --format mark": "markdown"}
    for words, completed in typed.items():
        ask = (
            f"COMP_WORDS=(tbprof {words}); COMP_CWORD={words.count(' ') + 1}; _shtab_tbprof; echo $COMPREPLY"
        )
        shown = subprocess.run(["bash", "-c", f"source {script}; {ask}"], capture_output=True, text=True)
        assert shown.stdout.strip() == completed


def test_of_a_shell_that_nothing_is_known_of_the_others_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["--completion", "csh"]) == 2
    assert "--completion csh: give one of bash, zsh" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["repot"], ["report"], ["report", "x", "--fail-on", "awful"]])
def test_what_is_no_command_is_said_with_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    assert capsys.readouterr().err.startswith("usage: tbprof")


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "\n    report " in capsys.readouterr().out


def test_what_does_not_fit_into_memory_is_no_fault_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(report, "run", fail)
    assert main(["report", "a\x1b.pickle"]) == 2
    said = "tbprof: this takes more memory than there is: report a\\u{1b}.pickle\n"
    assert capsys.readouterr().err == said


def test_a_fault_of_ours_is_one_sentence_and_shown_whole_where_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(report, "run", fail)
    monkeypatch.delenv("TBPROF_DEBUG", raising=False)
    assert main(["report", str(CLEAN)]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("tbprof: this is a fault of tbprof's (ZeroDivisionError: division by zero)")
    assert printed.count("\n") == 1
    monkeypatch.setenv("TBPROF_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["report", str(CLEAN)])


def test_an_interruption_is_one_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "run", interrupt)
    assert main(["report", str(CLEAN)]) == 130
    assert capsys.readouterr().err == "tbprof: interrupted\n"


def test_explain_shows_the_page_of_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    for code in CODES:
        assert main(["explain", code]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith(f"{code} ")
        assert {"What", "Why", "Example", "Fix", "When it stays silent"} - set(lines) == set(), code
        # An address can't be broken.
        assert [line for line in lines if len(line) > 100 and "://" not in line] == [], code


def test_explain_takes_a_code_in_small_letters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "syn01"]) == 0
    assert capsys.readouterr().out.startswith("SYN01 ")


def test_explain_without_a_code_lists_all_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == CODES


def test_explain_of_an_unknown_rule_names_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "SYN99"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"tbprof: there is no rule 'SYN99': the rules are {', '.join(CODES)}\n"
