"""What an integer counts. The lists of a report refer to one another by position."""

from __future__ import annotations

from typing import NewType

SiteIndex = NewType("SiteIndex", int)
"""Position among the sites of one window."""

StepIndex = NewType("StepIndex", int)
"""Position among the steps of one window; not the number that the profiler gave the step."""

FindingIndex = NewType("FindingIndex", int)
"""Position among the findings of one report."""

EventRow = NewType("EventRow", int)
"""Row of a trace's events; valid only together with the trace's cache key."""
