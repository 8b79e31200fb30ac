"""`tbprof ab BEFORE AFTER train.py`: what a change really wins on this machine.

Exit codes: 0 `faster` and `no difference`; 1 `slower`, `not equal` and `suspect`; 2 `cannot tell`, or it
could not be done; 3 `different work`; 130 it was interrupted, after what was measured is printed.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import plain, plain_lines
from tbprof.experiment import gates
from tbprof.experiment.estimator import Estimate, estimate
from tbprof.experiment.measurements import are_measurements, compared, times_of
from tbprof.experiment.measuring import (
    ProgramEnded,
    Series,
    Side,
    Wanted,
    block_steps,
    measure,
    take,
    warm_up,
)
from tbprof.experiment.messages import Order, SideTask
from tbprof.experiment.outcome import SCHEMA, Outcome, Verdict, figures, judged, percent, printed
from tbprof.experiment.players import Player, player
from tbprof.experiment.why import least_disturbed
from tbprof.preflight.proof.command import add_side_options, other_threads, task_of
from tbprof.preflight.proof.judging import Proof, Tasks, prove
from tbprof.preflight.proof.running import run_in_process
from tbprof.preflight.proof.sides import Side as Copy
from tbprof.preflight.proof.sides import sides_of
from tbprof.session_file import note_result
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable

_CODES: Mapping[Verdict, int] = {
    "faster": 0,
    "no difference": 0,
    "slower": 1,
    "not equal": 1,
    "suspect": 1,
    "cannot tell": 2,
    "different work": 3,
}
_COULD_NOT, _INTERRUPTED = 2, 130
_CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
_SHARE_FOR_ITSELF = 0.45
"""How much of the time the program gets against itself."""
_HIDDEN_SHARE = 2.0
"""How much longer every block may take by our clock than by the side's."""
_LATE_SHARE = 0.5
"""How much of a step the device may work on after the last event of a block, by steps of the block."""


class Interrupted(Exception):
    """With what there is to say all the same."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Experiment:
    """Two sides on this machine, from their cold start to the verdict."""

    def __init__(self, tasks: Sequence[SideTask], options: argparse.Namespace, folder: Path) -> None:
        self._tasks, self._options, self._folder = tasks, options, folder
        self._names = (options.before, options.after)
        self._seconds = 60 * options.max_minutes
        self._itself = Series()
        self._series = Series()
        self._known: dict[str, Any] = {"notes": ()}
        self._players: list[Player] = []

    def run(self, known: Mapping[str, Any]) -> Outcome:
        """Measure the program against itself, then its two sides.

        Raises:
            Interrupted: With what was measured by then.
        """
        self._known.update(known)
        try:
            self._take_pairs(self._itself, 0, self._seconds * _SHARE_FOR_ITSELF)
            if self._itself.ended is None:
                if noise := estimate(self._pairs(self._itself)):
                    say(f"A/A: the program differs from itself by up to {percent(noise.largest)}")
                self._take_pairs(self._series, 1, self._seconds * (1 - _SHARE_FOR_ITSELF))
        except KeyboardInterrupt:
            raise Interrupted(self._outcome()) from None
        return self._outcome()

    def _take_pairs(self, series: Series, other: int, seconds: float) -> None:
        """Start the side before the change and another one, and have them take turns."""
        with ExitStack() as stack:
            sides = self._sides(stack, other)
            try:
                warm = [warm_up(side, at) for at, side in enumerate(sides)]
                looks = [take(side, Order(4, side=at)) for at, side in enumerate(sides)]
                _catch_up(sides)
            except ProgramEnded:
                series.ended = _ends(sides)
                return
            steps = self._options.block or block_steps(*looks)
            if other and sides[0] is not sides[1]:
                self._known["warm_up_steps"] = tuple(first for first, _ in warm)
                self._known["cold_us"] = tuple(each.first.total_ns / 1e3 for each in self._players[-2:])
            if not all(is_steady for _, is_steady in warm):
                self._note("No steady state was seen while it warmed up.")
            options = self._options
            deadline = time.monotonic() + seconds
            wanted = Wanted(_log(options.precision), _log(options.negligible), deadline)
            measure(sides, steps, wanted, series, by_cpu=options.time == "cpu")
            if other and series.ended is None:
                self._known["why"] = least_disturbed(sides, steps, self._folder, series)

    def _sides(self, stack: ExitStack, other: int) -> tuple[Side, Side]:
        limit = self._options.time_limit
        names, tasks = (self._names[0], self._names[other]), (self._tasks[0], self._tasks[other])
        if tasks[0].callables:
            both = dataclasses.replace(tasks[0], callables=names)
            self._players.append(stack.enter_context(player(" and ".join(names), both, self._folder, limit)))
            return self._players[-1], self._players[-1]
        for name, task in zip(names, tasks, strict=True):
            made = stack.enter_context(player(f"the program of {name}", task, self._folder, limit))
            if made.first.outside:
                raise UsageError(
                    f"{name} imports {made.first.outside[0]}: both sides would run the same file"
                )
            self._players.append(made)
        return self._players[-2], self._players[-1]

    def _pairs(self, series: Series) -> list[float]:
        return series.pairs(by_cpu=self._options.time == "cpu")

    def _note(self, sentence: str) -> None:
        self._known["notes"] = tuple(dict.fromkeys((*self._known["notes"], sentence)))

    def _outcome(self) -> Outcome:
        ended = self._series.ended or self._itself.ended
        if ended is not None and ended[0] != ended[1]:
            steps = f"{ended[0]} steps before the change and {ended[1]} after it"
            return Outcome(SCHEMA, "different work", f"The program takes at least {steps}.", **self._known)
        if ended is not None:
            self._note(f"The program ended after {ended[0]} steps: more of them give a narrower interval.")
        wanted = Wanted(_log(self._options.precision), _log(self._options.negligible), 0.0)
        found, itself = estimate(self._pairs(self._series)), estimate(self._pairs(self._itself))
        by = " by CPU time" if self._options.time == "cpu" else ""
        verdict, sentence = judged(found, itself, wanted, by=by)
        measured = {**figures(self._series), **self._known}
        if reason := next(self._doubts(), None):
            verdict, sentence = "suspect", f"{reason}; what was measured says: {sentence}"
        return Outcome(SCHEMA, verdict, _ended(sentence, self._known), **_ratio(found, itself), **measured)

    def _doubts(self) -> Iterator[str]:
        """Why a time can't be believed."""
        for side, name in enumerate(self._names):
            blocks = self._series.blocks[side]
            touched = {timer for block in blocks for timer in block.touched}
            if touched:
                yield f"{name} replaces time.{min(touched)}"
            late = [1 - sum(b.device_ns) / b.total_ns for b in blocks if len(b.device_ns) > 2]
            # The first step of a block has no event before it.
            if late and median(late) > (1 + _LATE_SHARE) / max(len(blocks[0].wall_ns), 2):
                yield f"{name} has its device work after the last event of its steps"
        for each in self._players:
            least = min(each.waits, default=0.0)
            if least > _HIDDEN_SHARE:
                yield f"{each.name} takes {1 + least:.1f} times as long by another process's clock"


def _ends(sides: tuple[Side, Side]) -> tuple[int, int]:
    """The steps of each side, where the one that has not ended is run beyond where the other one did."""
    last = next(side.taken for side in sides if side.has_ended)
    for side in sides:
        if not side.has_ended and side.taken <= last:
            side.play(Order(last - side.taken + 1))
    return sides[0].taken, sides[1].taken


def _catch_up(sides: tuple[Side, Side]) -> None:
    """Have both be at the same step, so that pairs hold the same steps of a program."""
    most = max(side.taken for side in sides)
    for side in sides:
        if side.taken < most:
            take(side, Order(most - side.taken))


def _ratio(found: Estimate | None, itself: Estimate | None) -> dict[str, Any]:
    shown = {"noise": itself and math.expm1(itself.largest)}
    if found is None:
        return shown
    return {
        **shown,
        "ratio": math.exp(found.log_ratio),
        "interval": (math.exp(found.low), math.exp(found.high)),
    }


def _ended(sentence: str, known: Mapping[str, Any]) -> str:
    proof = known.get("proof")
    return f"{sentence.rstrip('.')}{f'; {proof}' if proof else ''}."


def _log(percent: float) -> float:
    return math.log1p(percent / 100)


def say(sentence: str) -> None:
    """Print it to stderr at once."""
    sys.stderr.write(f"tbprof: {plain(sentence)}\n")
    sys.stderr.flush()


def run(arguments: Sequence[str] | None = None) -> int:
    """Measure what a change of a program really wins on this machine, in turns and against itself first."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), tuple(given[end + 1 :])
    options = parser.parse_intermixed_args(given[:end])
    for name in ("max_minutes", "precision", "negligible", "time_limit"):
        if not getattr(options, name) > 0:
            parser.error(f"--{name.replace('_', '-')} {getattr(options, name):g}: give more than 0")
    if options.block is not None and options.block < 1:
        parser.error(f"--block {options.block}: give 1 or more")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    substitute_unencodable(sys.stdout)
    code = None
    try:
        outcome = _outcome(options, rest)
    except Interrupted as error:
        outcome, code = error.outcome, _INTERRUPTED
    except TbprofError as error:
        say(str(error))
        return _COULD_NOT
    text = printed(outcome, (options.before, options.after), options.format)
    with reader_may_leave():
        put(text if options.format == "json" else plain_lines(text))
    note_result("measurement", f"{options.before} -> {options.after}: {outcome.sentence}")
    return _CODES[outcome.verdict] if code is None else code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof ab", description=run.__doc__)
    parser.add_argument("--max-minutes", type=float, default=10.0, help="of taking turns; default: 10")
    half = "enough when the interval is not wider than this to each side; default: 0.5"
    parser.add_argument("--precision", type=float, default=0.5, metavar="PERCENT", help=half)
    least = "or when no difference larger than this is left; default: 1"
    parser.add_argument("--negligible", type=float, default=1.0, metavar="PERCENT", help=least)
    parser.add_argument(
        "--time",
        choices=("wall", "cpu"),
        default="wall",
        help="what the verdict is of; cpu leaves waits out, and what neighbors on the machine take",
    )
    parser.add_argument("--block", type=int, metavar="STEPS", help="of a turn; default: about 50 ms")
    parser.add_argument("--no-proof", action="store_true", help="do not ask tbprof prove first")
    parser.add_argument("--force", action="store_true", help="measure on a machine that is not idle, too")
    add_side_options(parser)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    side = "a revision of git, a folder (. for what is there now), a script, module:callable, or a pickled "
    side += "Measurement of torch.utils.benchmark"
    parser.add_argument("before", help=side)
    parser.add_argument("after", help="another one")
    parser.add_argument("program", nargs="?", help="the script that both run; after it -- and its arguments")
    return parser


def _outcome(options: argparse.Namespace, rest: tuple[str, ...]) -> Outcome:
    names = (options.before, options.after)
    if are_measurements(names):
        return _of_measurements(names, options)
    notes = [
        *spoiled(force=options.force),
        *(f"{each[0].upper()}{each[1:]}." for each in gates.remarks(names)),
    ]
    are_callables = [bool(_CALLABLE.match(name)) and not Path(name).exists() for name in names]
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(TemporaryDirectory(prefix="tbprof-ab-", ignore_cleanup_errors=True))
        )
        if all(are_callables):
            if options.program or rest:
                raise UsageError(
                    "callables take no program and no arguments: name functions without parameters"
                )
            task = SideTask(0, "", "", callables=names, folder=str(Path.cwd()))
            return _of_callables(Experiment((task, task), options, folder), task, options, folder, notes)
        sides = stack.enter_context(sides_of(names, options.program, options.link))
        known: dict[str, Any] = {"notes": tuple(notes)}
        if not options.no_proof:
            tasks = [task_of(side, options, rest) for side in sides]
            proof = prove(Tasks(tasks[0], tasks[1], folder, run_in_process), other_threads())
            if (refused := _refused(proof, known)) is not None:
                return refused
        asked = [side_task(side, options, rest) for side in sides]
        return _with_samples(Experiment(asked, options, folder).run(known), known)


def side_task(side: Copy, options: argparse.Namespace, rest: tuple[str, ...]) -> SideTask:
    """The run of a side that the options ask for."""
    return SideTask(
        port=0,
        key="",
        program=side.program,
        arguments=rest,
        is_module=options.module,
        step_on=options.step_on,
        root=str(side.root),
        original=str(side.original),
        folder=str(side.folder),
    )


def spoiled(*, force: bool) -> Iterator[str]:
    """What was overridden, as sentences.

    Raises:
        UsageError: Something would spoil the measurement.
    """
    found = list(gates.hindrances())
    if found and not force:
        raise UsageError(f"{'; '.join(found)}: wait until that is over, or give --force")
    yield from (f"Measured although {each}." for each in found)


def _of_measurements(names: tuple[str, str], options: argparse.Namespace) -> Outcome:
    times = [times_of(Path(name)) for name in names]
    wanted = Wanted(_log(options.precision), _log(options.negligible), 0.0)
    found = compared(*times)
    verdict, sentence = judged(found, None, wanted, by="", in_turns=False)
    step_us = (median(times[0]) * 1e6, median(times[1]) * 1e6)
    drift = "They were not measured in turns: a machine that changed between them looks like a difference."
    return Outcome(
        SCHEMA, verdict, _ended(sentence, {}), **_ratio(found, None), step_us=step_us, notes=(drift,)
    )


def _refused(proof: Proof, known: dict[str, Any]) -> Outcome | None:
    """The outcome where the proof ends it; else what it says goes to `known`."""
    if proof.verdict in ("different work", "not equal"):
        verdict: Any = proof.verdict
        return Outcome(SCHEMA, verdict, proof.sentence, **known)
    known["proof"] = {
        "proved": "samples equal, parameters identical",
        "no effect": "samples equal, parameters identical",
        "proved within rounding": "samples equal, parameters equal within rounding",
    }.get(proof.verdict, f"prove says {proof.verdict}")
    if proof.verdict in ("cannot tell", "unsafe"):
        known["notes"] += (f"prove: {proof.verdict}. {proof.sentence}",)
    elif proof.work is not None and proof.work.steps[0]:
        known["samples_per_second"] = tuple(
            samples / steps for samples, steps in zip(proof.work.samples, proof.work.steps, strict=True)
        )
    return None


def _with_samples(outcome: Outcome, known: Mapping[str, Any]) -> Outcome:
    samples, steps = known.get("samples_per_second"), outcome.step_us
    rates = None
    if samples and all(samples) and steps:
        rates = tuple(each * 1e6 / us for each, us in zip(samples, steps, strict=True))
    return dataclasses.replace(outcome, samples_per_second=rates)


def _of_callables(
    experiment: Experiment, task: SideTask, options: argparse.Namespace, folder: Path, notes: list[str]
) -> Outcome:
    """Compare what they return from the same random numbers, then their times."""
    known: dict[str, Any] = {"notes": tuple(notes)}
    if not options.no_proof:
        with player(" and ".join(task.callables), task, folder, options.time_limit) as both:
            values = [both.play(Order(1, side=at, is_seeded=True)).values for at in range(2)]
        if values[0] != values[1]:
            sentence = (
                f"{options.before} and {options.after} return other values from the same random numbers."
            )
            return Outcome(SCHEMA, "not equal", sentence, **known)
        known["proof"] = "results equal" if values[0] else "results not compared: they return no tensors"
    return experiment.run(known)
