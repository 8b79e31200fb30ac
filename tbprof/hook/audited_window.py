"""A recorded window from the end of its recording until it can be published."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

from tbprof.hook.audit import COMPILED, AuditStep, has_compiled_code, no_audit
from tbprof.hook.facts import write_facts
from tbprof.hook.spool import facts_path
from tbprof.model import Audit, HookFacts

__all__ = ["AuditedWindow"]

logger = logging.getLogger("tbprof")


class AuditedWindow:
    """Writes the facts at once, so that a crash loses nothing, and again with what the audit step adds."""

    def __init__(self, trace: Path, facts: HookFacts) -> None:
        self.trace = trace
        self._facts = facts
        self._step: AuditStep | None = None
        write_facts(facts, facts_path(trace))

    def start(self, *, embed_source: bool) -> bool:
        """Begin the audit step; False where there will be none."""
        if has_compiled_code():
            self._write(no_audit(COMPILED))
            return False
        self._step = AuditStep(embed_source=embed_source)
        self._step.start()
        return True

    def pause(self, *, paused: bool) -> None:
        """Leave out what belongs to no step."""
        if self._step is not None:
            self._step.pause(paused=paused)

    def finish(self) -> None:
        """The audit step is over: keep what it saw."""
        if self._step is not None:
            self._write(self._step.finish())

    def give_up(self, reason: str) -> None:
        """There was no whole audit step, for this reason."""
        self.leave()
        self._write(no_audit(reason))

    def leave(self) -> None:
        """Stop recording lines, and keep nothing of them."""
        if self._step is not None:
            self._step.leave()

    def turn_off(self) -> None:
        """Stop recording lines from another thread than the one that records them."""
        if self._step is not None:
            self._step.turn_off()

    def _write(self, audit: Audit) -> None:
        try:
            write_facts(dataclasses.replace(self._facts, audit=audit), facts_path(self.trace))
        except OSError as error:
            # The facts as they were written first still stand, so that the window is not lost.
            logger.warning("Window %d goes without its recorded lines: %s", self._facts.window, error)
