"""Whether the hook saw a site upload the same bytes in two steps."""

from __future__ import annotations

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts


def compares_uploads(facts: Facts) -> bool:
    """Whether the hook compared any upload of the window's run."""
    hook = facts.trace.facts
    audit = None if hook is None else hook.audit
    return audit is not None and any(call.same_bytes is not None for call in audit.calls)


def uploads_same_bytes(facts: Facts, site: SiteMembers) -> bool | None:
    """None where nobody compared, or its line uploads several things of which not all were the same."""
    hook = facts.trace.facts
    if hook is None or hook.audit is None or site.source is None or not site.source.exact:
        return None
    place = (site.source.file, site.source.line)
    seen = {
        call.same_bytes
        for call in hook.audit.calls
        if (call.file, call.line) == place and call.devices[:1] == ("cpu",) and len(call.devices) > 1
    }
    return seen.pop() if len(seen) == 1 else None
