"""One rule out of its file: all of them are in the registry, which takes longer to import."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tbprof.rules.files import RuleFile

if TYPE_CHECKING:
    from tbprof.rules.base.rule import Rule

__all__ = ["declared_rule"]


def declared_rule(file: RuleFile) -> Rule | None:
    """What the file declares as its `RULE`: None where a trace can't show it."""
    rule: Rule | None = import_module(file.module).RULE
    return rule
