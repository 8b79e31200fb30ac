"""The table of operations that a recording measured, beside what tbprof's own table says of each.

What `tbprof.optable` and the rules of copies say of a form is what preflight predicts on its line.
On a device a form waits if a witness saw it or if it took longer behind queued work; without a device
all there is to compare with is what the form was written to do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from recorded_predictions import lines_of, predict

from tbprof.optable import OPS, DeviceOp
from tbprof.preflight.prediction import PredictedSite

Verdict: TypeAlias = Literal["agrees", "disagrees", "not in the table", "open"]
"""`open`: it was not measured, and was to be found out."""

_FILE = "recording/programs/operations.py"
_ON_THE_DEVICE = "Stream Wait Event"
"""A row of CUPTI's that holds up a stream and not the host."""
_COPY = re.compile(r"Memcpy (?P<direction>\w+) \((?P<source>\w+) -> (?P<target>\w+)\)")


@dataclass(frozen=True, slots=True)
class Operation:
    """One form as it was recorded."""

    form: str
    line: int
    expects: str
    """ "sync", "copy", "none", or "?"."""
    measured: bool | None
    """Whether it waited; None where no device measured it."""
    witnesses: tuple[str, ...]
    copies: tuple[str, ...]
    """Direction and memory kinds, as CUPTI names them: "Memcpy DtoH (Device -> Pageable)"."""
    waits_in: str
    """The call that took longest of those that can wait; "" where none was recorded."""
    ops: frozenset[str]
    """Around the synchronizes."""

    @property
    def only_uploads(self) -> bool:
        """Whether it waits for a copy to the device, which is a matter of no row."""
        return bool(self.copies) and all("HtoD" in copy for copy in self.copies)

    @property
    def waits(self) -> bool | None:
        """The best that is known: measured, or else expected."""
        if self.measured is not None:
            return self.measured
        return None if self.expects == "?" else self.expects == "sync"


@dataclass(frozen=True, slots=True)
class JudgedOperation:
    operation: Operation
    predicted: tuple[PredictedSite, ...]

    @property
    def verdict(self) -> Verdict:
        told = any(site.blocking for site in self.predicted)
        if self.operation.waits is None:
            return "open"
        if told == self.operation.waits:
            return "agrees"
        return "disagrees" if told or self.predicted else "not in the table"

    @property
    def copies_agree(self) -> bool | None:
        """Whether each predicted copy was recorded in its direction and memory; None without either."""
        told = {(site.direction, site.memory) for site in self.predicted if site.direction and site.memory}
        if not told or not self.operation.copies:
            return None
        return told <= {_kind(name) for name in self.operation.copies}


def read_operations(recording: Path) -> tuple[Operation, ...]:
    """The forms of a recording that ran."""
    recorded = json.loads((recording / "operations.json").read_text(encoding="utf-8"))
    on_device = recorded["machine"]["device"] == "cuda"
    return tuple(_operation(form, on_device=on_device) for form in recorded["forms"] if _ran(form, on_device))


def judge_operations(recording: Path) -> Iterator[JudgedOperation]:
    """Each form beside what is predicted on its line, in this process and without a GPU."""
    predicted = predict(recording, "operations")
    for operation in read_operations(recording):
        line = (_FILE, operation.line)
        yield JudgedOperation(operation, tuple(site for site in predicted.sites if line in lines_of(site)))


def rows_seen(operations: tuple[Operation, ...]) -> Mapping[DeviceOp, tuple[str, ...]]:
    """Forms that a device measured to wait inside an op of the table, by its row."""
    reading = [each for each in operations if each.measured and not each.only_uploads]
    return {row: tuple(each.form for each in reading if row.op in each.ops) for row in OPS}


def _kind(copy: str) -> tuple[str, str]:
    """Direction, and the memory of the host's side, of a copy by CUPTI's name."""
    told = _COPY.match(copy)
    if told is None:
        return "", ""
    host = told["source"] if told["direction"] == "HtoD" else told["target"]
    return told["direction"], host.lower()


def _ran(form: Mapping[str, Any], on_device: bool) -> bool:
    return form["failed"] is None or not on_device


def _operation(form: Mapping[str, Any], *, on_device: bool) -> Operation:
    calls = form["calls"]
    # For a query that finds its event ended, CUPTI has a row of an "Event Sync" as well.
    waiting = [call for call in calls if "Synchronize" in call["call"]]
    seen = {
        "sync debug mode": form["sync_debug"],
        "callbacks": form["gpu_trace"],
        "CUPTI": [row for row in form["cuda_sync"] if waiting and row["name"] != _ON_THE_DEVICE],
    }
    witnesses = tuple(name for name, rows in seen.items() if rows)
    longest = max(calls, key=lambda call: call["host_us"], default=None)
    return Operation(
        form=form["form"],
        line=form["line"],
        expects=form["expects"],
        measured=bool(form["waits"] or witnesses) if on_device else None,
        witnesses=witnesses,
        copies=tuple(copy["name"] for copy in form["copies"]),
        waits_in="" if longest is None else longest["call"],
        ops=frozenset(op for call in waiting for op in call["ops"]),
    )
