"""What to do about a read of a program that only infers: there the value is the answer, not a loss."""

from __future__ import annotations

ANSWER_KINDS = ("scalar_read", "host_read")
"""Kinds of lines that bring an answer home."""

ANSWER_ACTION = "Read the answer of a request once, at its end"
ANSWER_HOW = "A request has to wait for its answer: one read at its end is needed, and any before it is not."
