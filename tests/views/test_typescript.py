"""The views' records in TypeScript."""

from __future__ import annotations

import re
import subprocess
import sys
import typing

import pytest

from tbprof.views import typescript as module
from tbprof.views.answer import WindowAnswer
from tbprof.views.typescript import typescript


def test_records_come_before_those_that_hold_them() -> None:
    names = re.findall(r"^export interface (\w+)", typescript(), flags=re.MULTILINE)
    assert len(set(names)) == len(names)
    assert names.index("SpanRow") < names.index("InstanceView") < names.index("SiteRow")
    assert names[-1] == "RowDetails"


def test_every_field_has_its_type() -> None:
    text = typescript()
    assert '  state: "ready" | "reading" | "broken";\n' in text
    assert "  window: WindowView | null;\n" in text
    assert "  per_step: number[];\n" in text
    assert "  calibrated: boolean;\n" in text
    assert "  /** How long its copies took on the device. */\n  device_us: number | null;\n" in text
    assert set(typing.get_type_hints(WindowAnswer)) == {"state", "window", "progress", "problem"}


def test_a_type_that_typescript_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="no TypeScript for"):
        module._type(dict[str, int])


def test_it_prints_itself() -> None:
    command = [sys.executable, "-m", "tbprof.views.typescript"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert printed.stdout == typescript()
