"""What the fixture of that name gives: the report of a public trace, built once for all tests."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

from tbprof.model import Report

PublicReport = Callable[[pathlib.Path], Report]
