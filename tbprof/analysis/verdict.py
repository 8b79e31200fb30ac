"""The one thing to say of a window, as a case and its numbers.

- `no_device`: nothing ran on a device, or it was not recorded.
- `no_waits`: no sync point at all.
- `gpu_bound`: hardly any empty idle; the host's waits only pace it.
- `bracket`: waits cost something; at most the ceiling can be won.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.savings import saving_of
from tbprof.model import Verdict

__all__ = ["DRY_SHARE", "find_verdict"]

DRY_SHARE = 0.01
"""Below this part of the steps the device counts as never running dry."""


def find_verdict(facts: Facts) -> Verdict:
    """Numbers: `steps_us` (all steps), `idle_share`, `empty_share`, `wait_us`, `points`, `ceiling_us`.

    The shares are those of the busiest device, 0 to 1.
    """
    main = facts.work.main_device
    if main is None:
        return Verdict("no_device", {})
    episodes = facts.episodes
    steps_ns = int((facts.steps.end_ns - facts.steps.start_ns).sum())
    idle_ns = int(facts.idle.by_device[main].device_ns.sum())
    ceiling_ns = saving_of(facts, np.flatnonzero(facts.can_be_won), "needed").ceiling_ns
    points = int(episodes.blocking.sum())
    numbers = {
        "steps": len(facts.steps),
        "steps_us": steps_ns / 1000,
        "idle_share": idle_ns / max(steps_ns, 1),
        "empty_share": facts.empty_idle_ns / max(steps_ns, 1),
        "wait_us": int(episodes.wait_ns[episodes.blocking].sum()) / 1000,
        "points": points,
        "ceiling_us": ceiling_ns / 1000,
    }
    if points == 0:
        return Verdict("no_waits", numbers)
    dry = facts.empty_idle_ns >= DRY_SHARE * steps_ns
    return Verdict("bracket" if dry else "gpu_bound", numbers)
