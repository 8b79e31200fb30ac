"""What TensorBoard imports and asks first."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

from tbprof.plugin.loader import TbprofLoader
from tbprof.plugin.plugin import TbprofPlugin


def test_the_package_names_the_loader_as_tensorboards_plugin() -> None:
    [found] = [one for one in entry_points(group="tensorboard_plugins") if one.name == "tbprof"]
    assert found.load() is TbprofLoader


def test_links_are_followed_only_where_asked() -> None:
    parser = argparse.ArgumentParser()
    TbprofLoader().define_flags(parser)
    assert parser.parse_args([]).tbprof_follow_links is False
    assert parser.parse_args(["--tbprof_follow_links"]).tbprof_follow_links is True


def test_the_plugin_names_itself_and_its_page() -> None:
    assert TbprofPlugin.plugin_name == "tbprof"


BROKEN = """
import argparse, sys
from importlib.metadata import entry_points
from tensorboard.backend import application
from werkzeug.test import Client

sys.path.insert(0, sys.argv[1])
[entry] = entry_points(group="tensorboard_plugins", name="tbprof")
flags = argparse.Namespace(logdir=sys.argv[1], logdir_spec="", samples_per_plugin={}, window_title="",
                           path_prefix="")
client = Client(application.TensorBoardWSGIApp(flags, [entry.load()]))
for _ in range(2):
    listing = client.get("/data/plugins_listing").text
print(listing)
"""


@pytest.mark.parametrize("fault", ["RuntimeError('not built for this Python')", "ImportError('libstdc++')"])
def test_what_can_t_be_imported_costs_tensorboard_the_tab_only(tmp_path: Path, fault: str) -> None:
    (tmp_path / "msgspec.py").write_text(f"raise {fault}", encoding="utf-8")
    command = [sys.executable, "-c", BROKEN, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["tbprof"]["enabled"] is False
    assert ended.stderr.count("tbprof can't be shown") == 1
