"""The edits for what a run has found, and what `prove` says of each and of all together."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.preflight.fix.line_forms import LINE_FORMS, Found
from tbprof.preflight.fix.setting_forms import SETTING_FORMS
from tbprof.preflight.fix.source import Change, ProgramFile, applied, overlap
from tbprof.preflight.prediction import ENDED_WELL, PredictedFinding, Prediction
from tbprof.preflight.proof.judging import Proof, Tasks, prove
from tbprof.preflight.proof.running import Ended, Run
from tbprof.preflight.proof.sides import Side, left_out
from tbprof.records import dataclass

_GAINS = ("proved", "proved within rounding")
_EQUAL = (*_GAINS, "no effect")
_OVERLAPS = "It changes the same text as another edit: apply that, and run fix again."


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the program, and what it is for."""

    rule: str
    title: str
    file: str
    """Relative to the folder in which the program runs."""
    line: int
    code: str
    changes: tuple[Change, ...]
    mark: Change | None = None
    """What notes that a line of it ran; None where that is found to wait, and a gain can be counted."""

    @property
    def verdicts(self) -> Sequence[str]:
        """It is offered with any of these."""
        return _GAINS if self.mark is None else _EQUAL


@dataclass(frozen=True, slots=True)
class Judged:
    """An edit with its proof."""

    edit: Edit
    diff: str
    verdict: str
    sentence: str
    offered: bool


class KeepsBefore:
    """Runs the side before the change once for all proofs that ask for the same of it."""

    def __init__(self, run: Run, root: Path) -> None:
        self._run, self._root = run, str(root)
        self._last: dict[str, tuple[Any, Ended]] = {}

    def __call__(self, task: Any) -> Ended:
        if task.root != self._root:
            return self._run(task)
        if task.record not in self._last or self._last[task.record][0] != task:
            self._last[task.record] = task, self._run(task)
        return self._last[task.record][1]


class Proving:
    """The program as it is beside a copy of it, in which edits are tried."""

    def __init__(self, sides: Sequence[Side], tasks: Tasks, threads: int) -> None:
        self._before, self._after = sides
        self._tasks = dataclasses.replace(tasks, run=KeepsBefore(tasks.run, self._before.root))
        self._threads = threads
        self._reached = self._after.root / ".tbprof-reached"
        self.files: dict[str, ProgramFile] = {}

    def look(self) -> Prediction:
        """What the program does as it is.

        Raises:
            UsageError: It does not run to its end.
        """
        record, values = (str(self._tasks.folder / f"before.{ending}") for ending in ("json", "values"))
        ended, why = self._tasks.run(dataclasses.replace(self._tasks.before, record=record, values=values))
        if ended is None:
            raise UsageError(f"the program {why}")
        found = ended.prediction
        if found.ending not in ENDED_WELL or not found.used_device:
            missing = left_out(self._tasks.before.original, self._tasks.before.links)
            ended_by = f"the program did not come to its end: {found.error}{missing}"
            raise UsageError(ended_by if found.error else found.notes[0])
        for name in (self._before.program, *(site.source.file for site in found.sites)):
            self._open(name)
        return found

    def _open(self, name: str) -> None:
        """Read a file of the project that the run names, once."""
        name = os.path.normpath(name)
        for folder in (self._before.folder, self._before.root):
            path = (folder / name).resolve()
            if name not in self.files and path.is_file() and path.is_relative_to(self._before.root):
                known = {str(file.path): file for file in self.files.values()}
                self.files[name] = known.get(str(path)) or ProgramFile(path)

    def edits_of(self, prediction: Prediction, finding: PredictedFinding) -> Iterator[Edit]:
        """The edits of a line that a rule has found, in the order in which they are to be tried."""
        site = prediction.sites[finding.site]
        file, line = self.files.get(site.source.file), site.source.line
        if file is None or line is None or site.library is not None:
            return
        for form in LINE_FORMS:
            changes = form.edit(Found(file, line, site)) if finding.rule in form.rules else ()
            made = tuple(change for change in changes if change is not None)
            if made and len(made) == len(changes):
                yield self._edit(finding.rule, form.title, file, line, made)

    def settings(self) -> Iterator[Edit]:
        """The edits of what the program sets up; a line of each must have run."""
        code = f'open({str(self._reached)!r}, "a").close()'
        for file in dict.fromkeys(self.files.values()):
            for form in SETTING_FORMS:
                for statement, change in form.edits(file):
                    mark = file.marked(statement, code)
                    if change is not None and mark is not None:
                        yield self._edit(form.rule, form.title, file, file.line(statement), (change,), mark)

    def _edit(
        self,
        rule: str,
        title: str,
        file: ProgramFile,
        line: int,
        changes: tuple[Change, ...],
        mark: Change | None = None,
    ) -> Edit:
        name = os.path.relpath(file.path, self._before.folder)
        return Edit(rule, title, name, line, file.data.splitlines()[line - 1].decode().strip(), changes, mark)

    def judge(self, edit: Edit) -> Judged:
        """Prove it alone."""
        self._reached.unlink(missing_ok=True)
        proof = self.prove((edit,), marks=True)
        diff = "".join(self.diffs((edit,)))
        if proof.verdict in _EQUAL and edit.mark is not None and not self._reached.exists():
            return Judged(
                edit, diff, "cannot tell", "The line did not run in the steps that were run.", False
            )
        offered, sentence = proof.verdict in edit.verdicts, proof.sentence
        if offered and edit.mark is None and proof.claim is not None:
            pairs = (proof.claim.sync_points, proof.claim.copies)
            if not any(after < before for before, after in pairs):
                offered, sentence = False, "The host waits and copies as often as before."
        return Judged(edit, diff, proof.verdict, sentence, offered)

    def together(self, judged: Sequence[Judged]) -> tuple[list[Judged], Proof | None]:
        """All, with the proof of those that are proved together; the others are offered no more."""
        chosen: list[Judged] = []
        refused: list[Judged] = []
        for each in judged:
            if any(each.offered and overlap(each.edit.changes, one.edit.changes) for one in chosen):
                refused.append(dataclasses.replace(each, offered=False, sentence=_OVERLAPS))
            else:
                (chosen if each.offered else refused).append(each)
        proof = self.prove([each.edit for each in chosen]) if chosen else None
        if proof is not None and proof.verdict not in _EQUAL:
            kept: list[Judged] = []
            for each in chosen:
                alone = self.prove([*(one.edit for one in kept), each.edit])
                if alone.verdict in _EQUAL:
                    kept, proof = [*kept, each], alone
                else:
                    why = f"Together with the others: {alone.sentence}"
                    refused.append(dataclasses.replace(each, offered=False, sentence=why))
            chosen = kept
        return [*chosen, *refused], proof if chosen else None

    def prove(self, edits: Sequence[Edit], *, marks: bool = False) -> Proof:
        """Prove edits together, in the copy that they are then taken out of again."""
        try:
            for path, data in self.edited(edits, marks=marks).items():
                self._in_copy(path).write_bytes(data)
            return prove(self._tasks, self._threads)
        finally:
            for file in self.files.values():
                self._in_copy(file.path).write_bytes(file.data)

    def _in_copy(self, path: Path) -> Path:
        return self._after.root / path.relative_to(self._before.root)

    def edited(self, edits: Sequence[Edit], *, marks: bool = False) -> dict[Path, bytes]:
        """The new bytes of each file that changes."""
        changes = [change for edit in edits for change in edit.changes]
        changes += [edit.mark for edit in edits if marks and edit.mark is not None]
        data = {file.path: file.data for file in self.files.values()}
        paths = dict.fromkeys(change.file for change in changes)
        return {path: applied(data[path], [each for each in changes if each.file == path]) for path in paths}

    def diffs(self, edits: Sequence[Edit]) -> Iterator[str]:
        """The lines of a unified diff."""
        for path, data in self.edited(edits).items():
            name = os.path.relpath(path, self._before.root)
            old, new = (each.decode().splitlines(keepends=True) for each in (path.read_bytes(), data))
            yield from difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=2)
