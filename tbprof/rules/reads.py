"""What several rules ask of a site that reads from the device."""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.sites import SiteMembers
from tbprof.line_rules import SCALAR_BYTES
from tbprof.optable import SHAPE_READERS, TRUTH_READERS

__all__ = ["can_be_deferred", "reads_number"]

_READ = "aten::_local_scalar_dense"


def reads_number(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for one number or truth value, which no op asks for to know its shape."""
    is_read = site.blocking and site.direction == "DtoH" and _READ in site.ops
    sizes = facts.episodes.bytes[site.members]
    return is_read and SHAPE_READERS.isdisjoint(site.ops) and int(sizes.max()) <= SCALAR_BYTES


def can_be_deferred(site: SiteMembers) -> bool:
    """Whether its wait can go with nothing in its place.

    So can that of a read on which no shape or branch depends, and of a bare synchronise.
    """
    is_read = site.blocking and site.direction == "DtoH"
    is_bare = not site.ops and site.direction == ""
    return is_bare or (is_read and (SHAPE_READERS | TRUTH_READERS).isdisjoint(site.ops))
