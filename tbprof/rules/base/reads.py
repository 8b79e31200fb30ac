"""What several rules ask of a site that waits."""

from __future__ import annotations

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.line_rules import SCALAR_BYTES, STAGED_BYTES
from tbprof.optable import SHAPE_READERS, TRUTH_READERS

_READ = "aten::_local_scalar_dense"


def is_read(site: SiteMembers) -> bool:
    """Whether it waits for what it copies to the host."""
    return site.blocking and site.direction == "DtoH"


def reads_number(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for one number or truth value, which no op asks for to know its shape."""
    has_read = is_read(site) and _READ in site.ops and SHAPE_READERS.isdisjoint(site.ops)
    return has_read and int(facts.episodes.bytes[site.members].max()) <= SCALAR_BYTES


def reads_scalar(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for one number, and for no truth value."""
    return reads_number(facts, site) and TRUTH_READERS.isdisjoint(site.ops)


def uploads_data(facts: Facts, site: SiteMembers) -> bool:
    """Whether it waits for an upload of some size, which from pinned memory need not wait.

    A small one is often made of what the host has just read, and can't go before that is there.
    """
    is_upload = site.blocking and site.direction == "HtoD"
    return is_upload and int(facts.episodes.bytes[site.members].max()) > STAGED_BYTES


def can_be_deferred(site: SiteMembers) -> bool:
    """Whether its wait can go with nothing in its place.

    So can that of a read on which no shape or branch depends, and of a bare synchronize.
    """
    is_bare = not site.ops and site.direction == ""
    return is_bare or (is_read(site) and (SHAPE_READERS | TRUTH_READERS).isdisjoint(site.ops))
