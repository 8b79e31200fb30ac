"""Programs with a line of each form of `tbprof fix`: the edit that is meant is offered, and written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from fix_forms import FORMS, WRONG, Form
from side_server import SideServer

from tbprof.preflight.fix.command import run


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideServer]:
    server = SideServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


def git(folder: Path, *arguments: str) -> None:
    named = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=n@example.com"]
    subprocess.run([*named, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project").mkdir()
    git(tmp_path / "project", "init", "-q")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def committed(project: Path, source: str) -> None:
    (project / "train.py").write_text(source, encoding="utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-q", "--allow-empty", "-m", "A program")


def mend(
    form: Form, seed: int, project: Path, server: SideServer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = form.source(seed)
    committed(project, before)
    code = run(["train.py", "--only", form.rule, "--apply", "--format", "json"], run_side=server)
    said = capsys.readouterr()
    assert code == 0, said.err
    found = json.loads(said.out)
    after = (project / "train.py").read_text(encoding="utf-8")
    missing = [line for line in form.written if line not in [each.strip() for each in after.splitlines()]]
    assert missing == [], said.out + before
    assert found["together"]["verdict"] in ("proved", "proved within rounding", "no effect")
    assert found["applied"]


@pytest.mark.parametrize("form", FORMS[:2], ids=lambda form: form.name)
def test_two_forms(form: Form, project: Path, server: SideServer, capsys: pytest.CaptureFixture[str]) -> None:
    mend(form, 0, project, server, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS[2:], ids=lambda form: form.name)
def test_each_form(form: Form, project: Path, server: SideServer, capsys: pytest.CaptureFixture[str]) -> None:
    mend(form, 0, project, server, capsys)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 8))
def test_nine_of_ten_are_proved_in_many_surroundings(
    seed: int, project: Path, server: SideServer, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = []
    for form in FORMS:
        try:
            mend(form, seed, project, server, capsys)
        except AssertionError as error:
            refused.append(f"{form.name}: {error}")
    assert len(refused) <= len(FORMS) / 10, refused


@pytest.mark.slow
@pytest.mark.parametrize("form", WRONG, ids=lambda form: form.name)
def test_a_wrong_edit_is_refused(
    form: Form, project: Path, server: SideServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its sentence says what differs; what no run could show to differ is not tried."""
    before = form.source(0)
    committed(project, before)
    code = run(["train.py", "--only", form.rule, "--apply", "--format", "json"], run_side=server)
    said = capsys.readouterr()
    assert code == 0, said.err
    edits = json.loads(said.out)["edits"]
    assert [each["offered"] for each in edits] == [False] * len(edits)
    verdicts = [each["verdict"] for each in edits]
    assert set(verdicts) <= set(form.written[0].split(", ")), said.out + before
    assert bool(edits) == bool(form.written[0])
    assert [each["sentence"] for each in edits if not each["sentence"].endswith(".")] == []
    assert (project / "train.py").read_text(encoding="utf-8") == before
