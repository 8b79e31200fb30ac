"""What TensorBoard imports to know the plugin.

A failing import of this module would end TensorBoard as a whole, so it imports nothing but
TensorBoard's own base class; everything else waits for `load`, whose errors TensorBoard
logs and survives.
"""

from __future__ import annotations

import argparse

from tensorboard.plugins import base_plugin


class TbprofLoader(base_plugin.TBLoader):
    """The entry point in the group `tensorboard_plugins`."""

    def define_flags(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("tbprof plugin")
        group.add_argument(
            "--tbprof_follow_links",
            action="store_true",
            help="follow links that lead out of the log directory, if the server's user made them",
        )
        group.add_argument(
            "--tbprof_hosts",
            metavar="NAMES",
            help="names, separated by commas, under which pages may read tbprof's answers; * for any."
            " Without it: localhost and addresses where TensorBoard listens on loopback, else any",
        )

    def load(self, context: base_plugin.TBContext) -> base_plugin.TBPlugin:
        from tbprof.plugin.plugin import TbprofPlugin

        return TbprofPlugin(context)
