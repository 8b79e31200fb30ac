"""From which shares on a verdict speaks of something: of the judged steps where nothing else is said."""

from __future__ import annotations

WORTH_SHARE = 0.01
"""Below this part of the steps a saving is lost in the noise of a step."""

SURELY_BUSY_SHARE = 0.9
"""A device that works so much is busy, whatever the rest is."""

BUSY_SHARE = 0.85
"""A device that does less is not called busy, whatever the causes."""

COLD_SHARE = 0.2
"""Of the idle, or of a recording before the device's first work: so much in first calls is a cold start."""

MOSTLY_COLD_SHARE = 0.5
"""Of a recording: so much in first calls before the device's first work, and nothing else is typical."""

EXPOSED_SHARE = 1 / 3
"""Communication or copies that no computing covers come first from here on, if they exceed all idle."""

COMMUNICATION_SHARE = 0.1
"""Exposed communication may come first from here on; the classic plugin speaks of it from here on, too."""

RIVAL_SHARE = 0.75
"""Of the largest other cause: what removing waits has to win to come before it."""

DRAINED_SHARE = 0.3
"""Of the largest other cause: what removing waits has to win where most of its idle begins in one."""
