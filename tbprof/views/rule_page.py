"""What the tab shows of one rule."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RulePage", "RuleSection"]


@dataclass(frozen=True, slots=True)
class RuleSection:
    title: str
    text: str
    """Plain text; lines indented by four spaces are code."""


@dataclass(frozen=True, slots=True)
class RulePage:
    code: str
    name: str
    title: str
    sections: tuple[RuleSection, ...]
