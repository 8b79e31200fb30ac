"""The frontend's own checks: its types, and the tests of what it formats, sorts and lays out."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import fields

import pytest

from tbprof.views.window import SiteRow

FRONTEND = pathlib.Path(__file__).parents[1] / "plugin_frontend"


def test_every_figure_of_a_site_is_shown() -> None:
    """In a column or in the drawer: a row that is sent and shown nowhere is only weight."""
    sources = (path.read_text(encoding="utf-8") for path in (FRONTEND / "src").rglob("*.ts*"))
    shown = set(re.findall(r"\bsite\??\.(\w+)", "\n".join(sources)))
    assert {field.name for field in fields(SiteRow)} - shown == set()


@pytest.mark.slow
@pytest.mark.parametrize("script", ["check", "test"])
def test_the_frontend_passes_its_own(script: str) -> None:
    if shutil.which("npm") is None or not (FRONTEND / "node_modules").is_dir():
        message = "no npm, or no node_modules: run `npm ci` in plugin_frontend"
        if os.environ.get("TBPROF_REQUIRE_TOOLS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    ended = subprocess.run(["npm", "run", script], cwd=FRONTEND, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
