"""What one rule declares, by its name: all of them are in the registry, which takes longer to import."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from tbprof.rules.files import RuleFile, rule_files

if TYPE_CHECKING:
    from tbprof.model import Finding
    from tbprof.rules.base.rule import Rule


def declared_rule(file: RuleFile) -> Rule | None:
    """What the file declares as its `RULE`, or among its `RULES`: None where a trace can't show it."""
    module = import_module(file.module)
    rules: Sequence[Rule | None] = module.RULES if file.function else (module.RULE,)
    return next((rule for rule in rules if rule is None or rule.code == file.code), None)


@cache
def rule_of(code: str) -> Rule | None:
    """The rule of that code; None where a trace can't show it, or it is one of another version."""
    file = next((file for file in rule_files() if file.code == code), None)
    return None if file is None else declared_rule(file)


def is_part(finding: Finding) -> bool:
    """Whether it is a part of what another rule found, whose fix takes it away."""
    by = rule_of(finding.remedy.fixed_as) if finding.remedy.fixed_as else None
    return by is not None and by.holds is not None
