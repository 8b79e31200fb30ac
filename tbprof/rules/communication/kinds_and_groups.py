"""The collectives of a window by kind and group: what the rules of this folder have findings about."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.collectives import UNKNOWN
from tbprof.analysis.facts import Facts
from tbprof.model import Saving, Severity
from tbprof.records import dataclass
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.trace.columns.arrays import Int64s, is_among


@dataclass(frozen=True, slots=True, eq=False)
class KindAndGroup:
    kind: str
    group: str
    """"" where it was not recorded."""
    members: Int64s
    """Positions among the collectives of the window."""

    @property
    def place(self) -> str:
        kind = "collectives of unknown kind" if self.kind == UNKNOWN else self.kind
        return f"{kind} of group {self.group}" if self.group else kind


def kinds_and_groups(facts: Facts) -> Iterator[KindAndGroup]:
    """In the order in which they are first met; without those that send a model to all ranks, once."""
    found = facts.collectives
    comes_again = np.ones(len(found.at), np.bool_)
    comes_again[facts.sending_model] = False
    names = [(key.kind, key.group or key.ranks or "") for key in found.keys]
    for name in dict.fromkeys(names):
        numbers = [number for number, one in enumerate(names) if one == name]
        members = np.flatnonzero(comes_again & is_among(found.key, numbers))
        if len(members):
            yield KindAndGroup(*name, members)


def severity_of_exchange(facts: Facts, saving: Saving) -> Severity:
    """What of it is waiting for others is not this rank's to change, and a ceiling is all that is known."""
    found = severity_of_transfer(facts, saving)
    return "medium" if found in ("critical", "high") else found
