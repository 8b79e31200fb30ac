"""How far the two clocks of a trace, the host's and the device's, are apart."""

from __future__ import annotations

CLOCK_SLACK_NS = 10_000
"""What traces without a fault show: on ROCm a call returns up to 8.5 us before the recorded end of what
it awaited."""
