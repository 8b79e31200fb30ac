"""Warnings of a function are filed under the line that it is called for."""

from __future__ import annotations

import sys
import traceback
import warnings
from types import FrameType
from typing import Any

import pytest

from tbprof.program.caller_frame import RELAY, called_from


def program_frame() -> tuple[FrameType, dict[str, Any]]:
    """A frame of a module of another name, which has ended."""
    names: dict[str, Any] = {"sys": sys, "__name__": "training"}
    exec(compile("\n\nframe = sys._getframe()\n", "training.py", "exec"), names)
    return names["frame"], names


def warn() -> None:
    warnings.warn("told", stacklevel=2)


def test_a_warning_belongs_to_the_line_and_the_module() -> None:
    frame, names = program_frame()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        called_from(frame)(warn, (), {})
        called_from(frame)(warn, (), {})
    assert [(told.filename, told.lineno) for told in caught] == [("training.py", 3)]
    assert "__warningregistry__" in names


def test_a_filter_for_the_module_holds() -> None:
    frame, _ = program_frame()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module="training")
        called_from(frame)(warn, (), {})
        with pytest.raises(UserWarning, match="told"):
            warn()


def test_arguments_results_and_exceptions_pass() -> None:
    frame, _ = program_frame()
    relay = called_from(frame)
    assert relay(max, (3, 7), {"key": lambda number: -number}) == 3
    with pytest.raises(ValueError, match="invalid literal") as caught:
        relay(int, ("three",), {})
    inner = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (inner.filename, inner.lineno, inner.name) == ("training.py", 3, RELAY)


def test_one_code_in_two_modules_is_told_apart() -> None:
    code = compile("frame = sys._getframe()\n", "training.py", "exec")
    modules: list[dict[str, Any]] = [{"sys": sys, "__name__": name} for name in ("first", "second")]
    for names in modules:
        exec(code, names)
        assert called_from(names["frame"])(sys._getframe, (), {}).f_globals is names
