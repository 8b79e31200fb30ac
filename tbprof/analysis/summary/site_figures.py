"""A site with its figures and its median instance."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.attribution.call_chains import library_of
from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.analysis.summary.instances import median_instance, median_member
from tbprof.model import Site, Source
from tbprof.trace.columns.arrays import NONE


def site_figures(facts: Facts, site: SiteMembers) -> Site:
    """All of a site that a report holds."""
    episodes, members = facts.episodes, site.members
    step = episodes.step[members]
    per_step = np.bincount(step[step != NONE], minlength=len(facts.steps))
    wait_per_step = np.zeros(len(facts.steps), np.int64)
    np.add.at(wait_per_step, step[step != NONE], episodes.wait_ns[members][step != NONE])
    return Site(
        direction=site.direction,
        memory=site.memory,
        calls=site.calls,
        ops=site.ops,
        source=site.source,
        label=site.label,
        module=site.module,
        count=len(members),
        blocking=int(episodes.blocking[members].sum()),
        per_step=tuple(per_step.tolist()),
        bytes=int(episodes.bytes[members].sum()),
        wait_ns=int(episodes.wait_ns[members].sum()),
        wait_net_ns=int(facts.net_wait_ns[members].sum()),
        explained_ns=int(facts.awaited.explained_ns[members].sum()),
        starve_ns=int(facts.starve_ns[members].sum()),
        instance=median_instance(facts, site, facts.origin_ns) if len(members) else None,
        device_ns=int(facts.transfers.device_ns[members].sum()),
        exposed_ns=int(facts.transfers.exposed_ns[members].sum()),
        library=None if site.source is None else library_of(site.source.file),
        callers=_callers(facts, site),
        wait_per_step_ns=tuple(wait_per_step.tolist()),
        communication_wait_ns=int(facts.wait_for_communication_ns[members].sum()),
    )


def _callers(facts: Facts, site: SiteMembers) -> tuple[Source, ...]:
    """The frames around the site's median instance; without any, what the hook saw of them."""
    median = site.members[median_member(facts, site)]
    found = facts.call_chains.callers(int(facts.episodes.first[median]))
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    if found or audit is None or site.source is None or not site.source.exact:
        return found
    place = (site.source.file, site.source.line)
    callers = {call.caller for call in audit.calls if (call.file, call.line) == place and call.caller}
    return tuple(callers) if len(callers) == 1 else ()
