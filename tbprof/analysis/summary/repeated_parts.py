"""Parts of a program that do the same, such as the layers of a model, as one with their count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tbprof.averages import median
from tbprof.model import CodeShare

ALIKE = 0.1
"""Of parts that launch the same, those are alike whose time is within so much of the median."""

_MIN_ALIKE = 2
_NUMBERED = re.compile(r"(?P<stem>.*\D)_?\d+", re.DOTALL)


def fold_alike(shares: Iterable[CodeShare]) -> tuple[CodeShare, ...]:
    """Those of one kind, the largest first; alike ones as one with their sums, named without a number."""
    groups: dict[tuple[str, int], list[CodeShare]] = {}
    for share in shares:
        groups.setdefault((_stem(share.name), share.launches), []).append(share)
    folded = [one for (stem, _), group in groups.items() for one in _folded(stem, group)]
    return tuple(sorted(folded, key=lambda share: -(share.host_ns + share.device_ns)))


def _stem(name: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    return name if numbered is None else numbered["stem"].rstrip("_")


def _folded(stem: str, group: Sequence[CodeShare]) -> list[CodeShare]:
    usual = median(_time_ns(share) for share in group)
    alike: list[CodeShare] = []
    others: list[CodeShare] = []
    for share in group:
        (alike if abs(_time_ns(share) - usual) <= ALIKE * usual else others).append(share)
    if len(alike) < _MIN_ALIKE:
        return list(group)
    together = CodeShare(
        kind=group[0].kind,
        name=stem,
        host_ns=sum(share.host_ns for share in alike),
        device_ns=sum(share.device_ns for share in alike),
        launches=sum(share.launches for share in alike),
        count=len(alike),
    )
    return [together, *others]


def _time_ns(share: CodeShare) -> int:
    """On the device; the host's differs from one call to the next, and counts where there is nothing else."""
    return share.device_ns or share.host_ns
