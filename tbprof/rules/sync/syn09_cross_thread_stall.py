"""Another thread's wait holds back the training's launches.

What
    A thread that does not train (a checkpoint writer, a logger, a metric) copies from the device
    into pageable memory or synchronizes, and launches of the training take more than ten times as
    long while it waits.

Why
    The driver may hold a lock while a call blocks. The training thread then waits with the other
    one, though it reads nothing itself, and the device runs dry behind it.

Example
    before:
        def write():
            torch.save({name: value.cpu() for name, value in model.state_dict().items()}, path)
        threading.Thread(target=write).start()
    after:
        for name, value in model.state_dict().items():
            pinned[name].copy_(value, non_blocking=True)
        copied = torch.cuda.Event()
        copied.record()
        threading.Thread(target=write_when, args=(copied, pinned)).start()

Action
    Let the other thread ask an event instead of waiting.

Fix
    Let the other thread copy into pinned memory without blocking and look at an event (`query`)
    instead of waiting for it; or give the work to another process.
    caveat: the copies read the parameters as they are when the device comes to them; start them
    between two steps.

Silent
    For launches that the wait covers to less than 80 %, and for those that find the queue half
    full: they wait for the device.
    At most info where the device hardly ever runs dry.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Saving, SiteIndex
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import SYNC_POINTS
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.severity import severity_of
from tbprof.rules.sync.held_back_launches import HeldBackLaunches, find_held_back_launches
from tbprof.trace.columns.arrays import distinct

_CODE = "SYN09"


def find(facts: Facts) -> Iterator[Finding]:
    """One finding a site of the other thread; it counts the waits that held a launch back."""
    stretched = find_held_back_launches(facts)
    for index, site in facts.indexed_sites:
        held = stretched.only(site.members)
        if len(held.episode):
            yield _finding(facts, index, held)


def _finding(facts: Facts, index: SiteIndex, held: HeldBackLaunches) -> Finding:
    site = facts.sites[index]
    ceiling_ns = min(held.lost_ns, facts.fillable_ns)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ceiling_ns)
    place = site.ops if site.source is None else (site.source.file, site.source.function)
    return window_finding(
        _CODE,
        place=" ".join(place),
        severity=severity_of(facts, saving),
        count=len(distinct(held.episode)),
        removal="rewrite",
        saving=saving,
        confidence="medium",
        evidence=row_evidence(facts, "launch", held.launches.rows),
        numbers={"launches": len(held.launches.rows), "lost_ns": held.lost_ns},
        sites=(index,),
    )


RULE = Rule(
    code=_CODE,
    find=find,
    passing=SYNC_POINTS,
    is_timed=True,
    before=(
        *("SYN01", "SYN02", "SYN03", "SYN04", "SYN05", "SYN06", "SYN07"),
        *("CPY02", "CPY03", "CPY04", "CPY05"),
    ),
)
