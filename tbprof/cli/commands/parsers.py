"""The type of argparse's list of commands, which argparse itself does not name."""

from __future__ import annotations

import argparse
from typing import TypeAlias

__all__ = ["Commands"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
