"""All rules that a trace can break, in the order in which their findings are listed."""

from __future__ import annotations

from tbprof.rules.base.rule import Rule
from tbprof.rules.declared import declared_rule
from tbprof.rules.files import rule_files

RULES: tuple[Rule, ...] = tuple(rule for file in rule_files() if (rule := declared_rule(file)) is not None)
