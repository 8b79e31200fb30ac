"""What commands have in common on their lines: argparse's own type of their list, and an option."""

from __future__ import annotations

import argparse
from typing import TypeAlias

__all__ = ["WORKERS_HELP", "Commands"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

WORKERS_HELP = (
    "who reads traces: N processes of this machine, by default one a core; tcp://HOST:PORT of a Dask "
    "scheduler; ray, or ray://HOST:PORT"
)
