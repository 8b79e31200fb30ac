"""Which line of a baseline accepts which finding.

By its name first. A rule may call a line by another code when more is known of it (a recording does
not see what preflight sees), so then by the line's text; where that was not recorded, as in a
baseline of an earlier form, by function and rule, in the order of the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from tbprof.model import code_without_format
from tbprof.views.check.check import Accepted, Found

_Key: TypeAlias = tuple[str, ...] | None
"""What a finding and a line of the baseline agree in; None where they can't be told by it."""


def matched(found: Sequence[Found], accepted: Sequence[Accepted]) -> Mapping[str, Accepted]:
    """The line of the baseline by the fingerprint of the finding; each line accepts one finding."""
    matches: dict[str, Accepted] = {}
    open_lines = list(accepted)
    in_order = sorted(found, key=lambda finding: (finding.file, finding.line or 0))
    for of_finding, of_line in _WAYS:
        by_key: dict[_Key, list[Accepted]] = {}
        for line in open_lines:
            by_key.setdefault(of_line(line), []).append(line)
        for finding in (each for each in in_order if each.fingerprint not in matches):
            key = of_finding(finding)
            if key is not None and by_key.get(key):
                matches[finding.fingerprint] = by_key[key].pop(0)
        open_lines = [line for line in open_lines if not _is_among(line, matches.values())]
    return matches


def _is_among(line: Accepted, lines: Iterable[Accepted]) -> bool:
    return any(line is other for other in lines)


def _code_key(each: Found | Accepted) -> _Key:
    code = code_without_format(each.code)
    return (each.rule[:3], each.file, each.function, code) if code else None


def _rule_key(each: Found | Accepted) -> _Key:
    return (each.rule, each.file, each.function)


_WAYS: tuple[tuple[Callable[[Found], _Key], Callable[[Accepted], _Key]], ...] = (
    (lambda finding: (finding.fingerprint,), lambda line: (line.fingerprint,)),
    (_code_key, _code_key),
    (_rule_key, lambda line: None if line.code else _rule_key(line)),
    (lambda finding: None if finding.code else _rule_key(finding), _rule_key),
)
