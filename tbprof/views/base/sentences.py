"""What the views want said; `tbprof.texts` says it in English."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tbprof.model import (
    CopyTotal,
    Finding,
    HealthFact,
    IdlePlace,
    Numbers,
    RecordedCall,
    Site,
    Source,
    Verdict,
)

__all__ = ["RuleWords", "Sentences"]


class RuleWords(Protocol):
    """A rule's page, in parts."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def before(self) -> str: ...
    @property
    def after(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def caveat(self) -> str: ...
    @property
    def silent(self) -> str: ...


class Sentences(Protocol):
    """Codes and numbers to sentences."""

    def health(self, fact: HealthFact) -> str: ...

    def verdict(self, verdict: Verdict) -> tuple[str, str]:
        """The verdict, and a second sentence or ""."""

    def found(self, title: str, fix: str, often: int, *, predicted: bool, has_steps: bool) -> str:
        """A finding in one piece: what is the case, how often, how it is fixed."""

    def warned(self, title: str, place: str, reason: str) -> str:
        """A warning in one piece; `place` is "" for the whole window."""

    def predicted(self, lines: int) -> tuple[str, str]:
        """That so many lines of a run without a GPU would wait for one, and a second sentence."""

    def predicted_kind(self, kind: str) -> str:
        """What a line does that would wait, in a few words."""

    def site(self, site: Site) -> str:
        """What a site does, in a few words."""

    def severity(self, shares: tuple[float, float] | None, *, marks_steps: bool) -> str:
        """Why a finding is as bad as it is: floor and ceiling of its saving in a median step, 0 to 1.

        None where its saving is not known.
        """

    def finding(self, finding: Finding, *, marks_steps: bool) -> str:
        """What the finding's own numbers say; "" if nothing."""

    def not_checked(self, needs: str) -> str: ...

    def rule_failed(self, error: str) -> str: ...

    def rule(self, code: str) -> RuleWords:
        """The page of a rule; one of another version gets a page that says so."""

    def skipped(self, reason: str) -> str: ...

    def cause(self, cause: str) -> str:
        """Why a device was idle, in a few words."""

    def idle_place(self, place: IdlePlace, opened: Site | None) -> str:
        """Where idle happened; `opened` is the site after which the device stayed dry."""

    def host_place(self, place: str) -> str:
        """What the host was in, by the name that was recorded; "" is nothing."""

    def episode(self, wait_us: float, explained_us: float, starve_us: float, *, is_blocking: bool) -> str:
        """What one sync point or copy cost; the device stood dry for `starve_us` after it."""

    def gap(self, cause: str, idle_us: float, place: str) -> str:
        """Why the device did nothing for so long, and what the host was in meanwhile."""

    def drained_by(self, drain: Site) -> str:
        """That idle is there only because this site let the device run dry."""

    def copy_remark(self, total: CopyTotal) -> str:
        """That the host waits at these copies for something else."""

    def location(self, site: Site) -> str:
        """Where a site is, short: `train.py:12`, or its ops."""

    def compared(
        self, before_us: float, after_us: float, *, is_told: bool | None, is_unprofiled: bool
    ) -> str:
        """Two windows by their steps; `is_told` is None where a single step does not tell the noise."""

    def step_difference(self, change_us: float, least_us: float | None) -> str:
        """By how much steps differ, and from `least_us` on that is no noise; None where that is not known."""

    def compared_figure(self, code: str, planned_us: float | None) -> tuple[str, str]:
        """A figure of two windows: its name, and what its change says or ""; the plan said `planned_us`."""

    def alike(self, names: Sequence[str]) -> str:
        """That these conditions are the same on both sides; "" if none."""

    def nothing_to_compare(self) -> str:
        """That one of two windows has no steps."""

    def moved_wait(self, source: str, target: str, net_us: float) -> str:
        """That the host waits elsewhere now, and by how much both places changed together."""

    def wait_went(self, target: str) -> str:
        """At the site that a wait left: where it is now."""

    def wait_taken(self, source: str, taken_us: float) -> str:
        """At the site that a wait came to: where it was, and how much of it."""

    def recorded_steps(self, steps: int, mean_us: float, distance_us: float | None) -> str:
        """So many steps, and their mean distance to their mean; None of a single one."""

    def unprofiled_steps(self, median_us: float, low_us: float, high_us: float) -> str:
        """Steps by their median and quartiles."""

    def windows_read(self, read: int, total: int) -> str:
        """How many windows have been read so far."""

    def ranks(self, ranks: Sequence[tuple[str, float | None, float]], *, are_ranked: bool) -> tuple[str, str]:
        """Ranks, or workers, as (name, share of idle, wait in us): the verdict, and a second sentence."""

    def missing_ranks(self, ranks: Sequence[int]) -> str:
        """Which ranks were not recorded; "" if all were."""

    def step_change(self, windows: int, before_us: float, after_us: float, since: str) -> tuple[str, str]:
        """How the step went over so many windows; `since` is "" where it did not change."""

    def trust(self, code: str, numbers: Numbers) -> tuple[str, str, str]:
        """What speaks for or against the figures: a title, a figure or "", and a sentence."""

    def next_limit(self, cause: str, limiting_us: float, step_us: float) -> str:
        """What limits a step after the plan: `device`, or a cause of idle, and its time in us."""

    def code_origin(self, first_step: int | None, *, is_embedded: bool) -> str:
        """Where the code on the screen comes from, or why there is none."""

    def no_line(self) -> str:
        """That the line of a site is not known."""

    def whole_window(self) -> str:
        """What a finding without sites is about."""

    def line_waits(self, wait_us: float) -> str:
        """What a line with sites costs the host, in us of a step."""

    def one_of(self, candidates: Sequence[int]) -> str:
        """That a call is on one of these lines."""

    def doubt(self, source: Source) -> str:
        """That a line is the `def` around a call, and which lines that can be on; "" if it is exact."""

    def in_called(self, site: Site, *, is_exact: bool) -> str:
        """That a line leads to a site in another function; not exact, it is the `def` around that line."""

    def would_wait(self, kind: str) -> str:
        """That a line of a run without a GPU would wait for one, by the kind of its prediction."""

    def recorded_call(self, call: RecordedCall) -> str:
        """What the hook saw on a line where nothing waited."""
