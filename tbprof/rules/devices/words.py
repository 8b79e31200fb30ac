"""Figures of what only a GPU refuses: none, since no trace can show it."""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.model import Figures

FOUND: Mapping[str, type[Figures]] = {}

LOOKED_AT: Mapping[str, type[Figures]] = {}
