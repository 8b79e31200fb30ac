"""`tbprof fits`: its table, its JSON, its exit codes, and what it makes of programs that it can't judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tbprof.preflight.fits import command
from tbprof.preflight.fits.one_size import Outcome
from tbprof.preflight.fits.peak import Peak

GB = 10**9
ROWS = {"parameters": GB // 2, "activations": GB // 2}


def outcome(batch: int, reserved: int) -> Outcome:
    held = (ROWS, {"Net": GB}, {"": GB})
    peak = Peak(0, reserved, reserved, reserved, reserved, "", 2, "backward", "train.py(7): step", *held)
    return Outcome(batch, 2, "", peak)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each sample took a GB, and all else 2 GB."""

    def made(_options: object, _way: object, _rest: object, batch: int) -> Outcome:
        return outcome(batch, (batch + 2) * GB)

    monkeypatch.setattr(command, "_outcome", made)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("memory", "code", "said"),
    [("20GB", 0, "fits"), ("11 GB", 1, "may fit"), ("8GiB", 1, "does not fit"), (None, 0, "11.5 GB")],
)
def test_what_fits_on_a_device(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], memory: str | None, code: int, said: str
) -> None:
    (script := tmp_path / "train.py").write_text("")
    device = [] if memory is None else ["--device-memory", memory]
    assert command.run([str(script), "--batch", "2,8", *device, "--", "--bs", "1"]) == code
    printed = capsys.readouterr().out.replace("\u202f", " ")
    assert said in printed
    assert "its argument --bs" in printed
    assert "Each sample adds 1.0 GB" in printed
    assert ("16 samples should fit" in printed) == (memory == "20GB")


@pytest.mark.usefixtures("known")
def test_json_has_bounds_and_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script := tmp_path / "train.py").write_text("")
    command.run([str(script), "--batch", "2", "--format", "json", "--device-memory", "20GB"])
    document = json.loads(capsys.readouterr().out)
    (row,) = document["sizes"]
    assert row["needed_bytes"]["least"] < row["needed_bytes"]["most"]
    assert (row["verdict"], row["peak"]["kinds"], document["growth"]) == ("fits", ROWS, None)


@pytest.mark.slow
def test_a_program_whose_batch_size_cant_be_changed_is_told_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (script := tmp_path / "train.py").write_text("print('trained')")
    assert command.run([str(script), "--batch", "2,4,8"]) == 2
    printed = capfd.readouterr()
    assert "--batch-flag" in printed.out
    assert "trained" not in printed.out
    assert printed.err.count("trained") == 1, "the other sizes would be told the same"


@pytest.mark.parametrize(
    "given", [["--batch", "0"], ["--batch", "a"], ["--batch", "1", "--device-memory", "80"]]
)
def test_wrong_options_are_refused(tmp_path: Path, given: list[str]) -> None:
    (script := tmp_path / "train.py").write_text("")
    with pytest.raises(SystemExit):
        command.run([str(script), *given])
