"""What TensorBoard imports and asks first."""

from __future__ import annotations

import argparse
from importlib.metadata import entry_points

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
