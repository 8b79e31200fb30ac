"""All rules that a trace can break, in the order in which their findings are listed."""

from __future__ import annotations

from importlib import import_module

from tbprof.rules.base.rule import Rule
from tbprof.rules.files import RuleFile, rule_files

__all__ = ["RULES"]


def _declared(file: RuleFile) -> Rule | None:
    """What the file declares as its `RULE`: None where a trace can't show it."""
    rule: Rule | None = import_module(file.module).RULE
    return rule


RULES: tuple[Rule, ...] = tuple(rule for file in rule_files() if (rule := _declared(file)) is not None)
