"""A recorded window in the spool: its trace, and the facts beside it as they come to be known."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

from tbprof.hook.audit.audit import Audited
from tbprof.hook.facts.facts import write_facts
from tbprof.hook.spool.spool import facts_path, inputs_path
from tbprof.model import HookFacts

logger = logging.getLogger("tbprof")


class RecordedWindow:
    """Writes the facts at once, so that a crash loses nothing, and again with all that is added.

    Raises:
        OSError: the facts could not be written at all.
    """

    def __init__(self, trace: Path, facts: HookFacts) -> None:
        self.trace = trace
        self.facts = facts
        write_facts(facts, facts_path(trace))

    def add_audit(self, audited: Audited) -> None:
        """Which lines wait and copy, or why nobody knows."""
        missing = (*self.facts.missing, *audited.missing)
        self.facts = dataclasses.replace(self.facts, audit=audited.audit, missing=missing)
        self._write_again("recorded lines")

    def add_after(self, step_ns: int) -> None:
        """How long the steps after the window take."""
        self.facts = dataclasses.replace(self.facts, after_step_ns=step_ns)
        self._write_again("later step times")

    def add_inputs(self, recording: Path) -> None:
        """The steps that have what operators are given, as torch wrote them."""
        try:
            recording.rename(inputs_path(self.trace))
        except OSError as error:
            logger.warning("Window %d lacks what operators are given: %s", self.facts.window, error)

    def _write_again(self, what: str) -> None:
        try:
            write_facts(self.facts, facts_path(self.trace))
        except OSError as error:
            # The facts as they were written first still stand, so that the window is not lost.
            logger.warning("Window %d lacks its %s: %s", self.facts.window, what, error)
