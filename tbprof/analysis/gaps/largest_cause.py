"""Which cause holds most of the idle of the busiest device."""

from __future__ import annotations

from tbprof.analysis.facts import Facts


def largest_cause(facts: Facts) -> str:
    """One of `idle_causes.CAUSES`, of equals the earlier one; "" where nothing was idle."""
    main = facts.work.main_device
    totals = {} if main is None else facts.causes.total_ns(main)
    return max(totals, key=lambda cause: totals[cause], default="")
