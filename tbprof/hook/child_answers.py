"""What a publishing child says of its window, in its log and by its exit code, to the training it serves."""

from __future__ import annotations

VERDICT_PREFIX = "window"
"""Starts the child's line about the window that it has published."""

NEXT_LINE = "\n  "
"""Begins each sentence about a window but the first."""

PUBLISHED_PREFIX = "published "
"""Starts the line before it, which names the file."""

SHOWN_PREFIX = "shown "
"""Starts the line that holds what trackers show of it."""

WAITING_PREFIX = "not sent yet: "
"""Starts a line that says why a window has not reached its remote folder so far."""

EMPTY_PREFIX = "empty window"
"""Starts it where nothing of the GPU was recorded that torch sees."""

NOT_SENT = 3
"""The exit code of a child whose window is published in the outbox and has not reached its remote folder."""
