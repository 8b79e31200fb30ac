"""A program that tbprof starts sees itself as Python's own command line would show it."""

from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from tbprof.program.main_program import program_frames, run_program

SHOWS_ITSELF = """
import pickle, sys
class Batch: pass
print(__name__, __file__, sys.argv, sys.path[0], type(pickle.loads(pickle.dumps(Batch()))).__module__)
"""

STARTS = (
    "import sys; from tbprof.program.main_program import run_program; "
    "run_program({0!r}, {1!r}, is_module={2})"
)


def output(*command: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("is_module", [False, True])
def test_a_program_sees_itself_as_if_started_alone(tmp_path: Path, is_module: bool) -> None:
    (tmp_path / "training.py").write_text(SHOWS_ITSELF)
    program = "training" if is_module else "training.py"
    alone = output(*(["-m"] if is_module else []), program, "--epochs", "1", folder=tmp_path)
    started = output("-c", STARTS.format(program, ["--epochs", "1"], is_module), folder=tmp_path)
    assert started == alone


MAIN_MODULE = """
import sys
names = [(name, type(value).__name__) for name, value in globals().items() if name.startswith("__")]
print(sorted(names), globals().get("__annotations__"), __package__, __cached__)
print(getattr(__loader__, "name", None))
print(vars(sys.modules["__main__"]) is globals())
import atexit
atexit.register(lambda: print(vars(sys.modules["__main__"]) is globals()))
"""


@pytest.mark.parametrize("is_module", [False, True])
def test_its_main_module_has_what_python_gives_it(tmp_path: Path, is_module: bool) -> None:
    (tmp_path / "training.py").write_text(MAIN_MODULE)
    program = "training" if is_module else "training.py"
    alone = output(*(["-m"] if is_module else []), program, folder=tmp_path)
    assert output("-c", STARTS.format(program, [], is_module), folder=tmp_path) == alone


@pytest.mark.parametrize("is_module", [False, True])
def test_it_may_replace_a_builtin_function(tmp_path: Path, is_module: bool) -> None:
    (tmp_path / "training.py").write_text("__builtins__.print = lambda text: None\nprint('silenced')\n")
    started = STARTS.format("training" if is_module else "training.py", [], is_module)
    assert output("-c", started, folder=tmp_path) == ""


def test_frames_that_led_to_the_program_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    program = tmp_path / "training.py"
    program.write_text("def step():\n    raise ValueError('no data')\n\nstep()\n")
    with pytest.raises(ValueError, match="no data") as caught:
        run_program(str(program), [], is_module=False)
    shown = traceback.extract_tb(program_frames(caught.value.__traceback__))
    assert [(frame.filename, frame.name) for frame in shown] == [
        (str(program), "<module>"),
        (str(program), "step"),
    ]


def test_a_traceback_without_a_program_is_kept() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 // 0
    assert program_frames(caught.value.__traceback__) is caught.value.__traceback__
