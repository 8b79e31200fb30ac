"""The one thing to say of a window, as a case and its numbers.

- `no_device`: nothing ran on a device, or it was not recorded.
- `input`: most idle is that of the data loader.
- `host`: most idle has no other cause than a host that launches late, and waits cannot explain it.
- `queued`: most idle has work queued, so the host was not late.
- `no_waits`: no sync point at all.
- `gpu_bound`: hardly any empty idle; the host's waits only pace it.
- `bracket`: waits cost something; at most the ceiling can be won.
"""

from __future__ import annotations

from tbprof.analysis.facts import Facts
from tbprof.analysis.largest_cause import largest_cause
from tbprof.model import Saving, Verdict

__all__ = ["BOUND_SHARE", "DRY_SHARE", "find_verdict"]

DRY_SHARE = 0.01
"""Below this part of the steps the device counts as never running dry."""

BOUND_SHARE = 0.05
"""From this part of the steps on the largest cause of idle is what the window is bound by; xprof
calls an input pipeline "moderate" from here on."""

_CASES = {"data": "input", "launch": "host", "queued": "queued"}


def find_verdict(facts: Facts, saving: Saving) -> Verdict:
    """The case, and the numbers of its sentences: of all steps, and of the busiest device.

    `steps`, `steps_us`, `idle_share`, `empty_share`, `wait_us`, `points`, `floor_us`, `ceiling_us`
    are always there but without a device, `estimate_us` where there is one, `cause_share` (the part
    of the steps that is idle for this cause) with `input`, `host` and `queued`. Shares are 0 to 1.

    Args:
        facts: Of the window.
        saving: What removing its waits wins.
    """
    main = facts.work.main_device
    if main is None:
        return Verdict("no_device", {})
    numbers = _numbers(facts, main, saving)
    case, cause_ns = _bound_by(facts, main, saving.ceiling_ns)
    if case:
        return Verdict(case, {**numbers, "cause_share": cause_ns / _steps_ns(facts)})
    if not facts.episodes.blocking.any():
        return Verdict("no_waits", numbers)
    dry = facts.empty_idle_ns >= DRY_SHARE * _steps_ns(facts)
    return Verdict("bracket" if dry else "gpu_bound", numbers)


def _numbers(facts: Facts, device: int, saving: Saving) -> dict[str, int | float | str]:
    episodes, steps_ns = facts.episodes, max(_steps_ns(facts), 1)
    known = {} if saving.estimate_ns is None else {"estimate_us": saving.estimate_ns / 1000}
    return {
        "steps": len(facts.steps),
        "steps_us": _steps_ns(facts) / 1000,
        "idle_share": int(facts.idle.by_device[device].device_ns.sum()) / steps_ns,
        "empty_share": facts.empty_idle_ns / steps_ns,
        "wait_us": int(episodes.wait_ns[episodes.blocking].sum()) / 1000,
        "points": int(episodes.blocking.sum()),
        "floor_us": saving.floor_ns / 1000,
        "ceiling_us": saving.ceiling_ns / 1000,
        **known,
    }


def _steps_ns(facts: Facts) -> int:
    return int((facts.steps.end_ns - facts.steps.start_ns).sum())


def _bound_by(facts: Facts, device: int, waits_ns: int) -> tuple[str, int]:
    """The case of the largest cause and its idle; "" where it is none or too small.

    A host that launches late for want of a lead is not to blame where its waits can explain it.
    """
    cause = largest_cause(facts)
    idle_ns = facts.causes.total_ns(device)[cause] if cause else 0
    is_large = cause in _CASES and idle_ns >= max(BOUND_SHARE * _steps_ns(facts), 1)
    if not is_large or (cause == "launch" and waits_ns >= idle_ns):
        return "", 0
    return _CASES[cause], idle_ns
