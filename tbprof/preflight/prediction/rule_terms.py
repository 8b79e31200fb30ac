"""What preflight saw at a line, in the terms by which a rule is chosen."""

from __future__ import annotations

from tbprof.line_rules import LineUse
from tbprof.preflight.prediction.prediction import PredictedSite


def use_of(site: PredictedSite, *, is_one_stretch: bool) -> LineUse:
    """What the site does in a step; without steps there is no telling how often."""
    return LineUse(
        kind=site.kind,
        call=site.call,
        via="" if site.via is None else site.via.file,
        per_step=None if is_one_stretch else site.per_warm_step,
        nbytes=site.bytes // site.count,
        is_pinned=site.memory == "pinned",
        is_constant=site.is_constant,
        is_made_there=site.made_by is not None,
    )
