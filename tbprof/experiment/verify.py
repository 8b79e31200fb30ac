"""`tbprof verify train.py --line FILE:LINE`: what a line that waits really costs, in one running program.

A known wait is put before the line in some turns and not in others. A step gets longer by all of it if the
line is exposed, and by nothing if it is hidden behind other work.

Exit codes: 0 it was measured; 2 it could not be done; 130 it was interrupted.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import libcst as cst
import msgspec
import torch

from tbprof.calibration import append_pair, file_to_append_to
from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import json_text, plain_lines
from tbprof.experiment.ab import say, side_task, spoiled
from tbprof.experiment.estimator import Estimate, estimate
from tbprof.experiment.measuring import ProgramEnded, Series, Wanted, block_steps, measure, warm_up
from tbprof.experiment.messages import Order
from tbprof.experiment.players import Player, player
from tbprof.preflight.fix.source import ProgramFile, applied
from tbprof.preflight.proof.command import add_side_options
from tbprof.preflight.proof.sides import Side, sides_of
from tbprof.records import dataclass
from tbprof.session_file import note_result
from tbprof.standard_streams import put, reader_may_leave, substitute_unencodable
from tbprof.texts.figures.quantities import duration
from tbprof.version import __version__

_DONE, _COULD_NOT, _INTERRUPTED = 0, 2, 130
_SHARES = (0.05, 0.1, 0.2)
"""What is put before the line in all, of a step."""
_LEAST_DELAY_NS = 20_000
_SLOPE_HALF_WIDTH = 0.1
_PAIRS_FOR_ITSELF = 16
_DELAYS = "__import__('tbprof.experiment.delays', fromlist=['LINE'])"


@dataclass(frozen=True, slots=True)
class Size:
    """One size of the wait: how much of it a step gets longer by, with the 95 % interval."""

    delay_us: float
    """In a step."""
    slope: float
    interval: tuple[float, float]
    pairs: int


@dataclass(frozen=True, slots=True)
class Verified:
    schema: int
    verdict: str
    """`exposed`, `hidden`, `partly hidden` or `cannot tell`."""
    sentence: str
    line: str
    code: str
    reached_per_step: float
    step_us: float
    noise: float | None = None
    slope: float | None = None
    interval: tuple[float, float] | None = None
    sizes: tuple[Size, ...] = ()
    line_us: float | None = None
    """What the statement takes in a step; None where its end could not be marked."""
    cost_us: tuple[float, float] | None = None
    """The interval of what the line costs a step."""
    predicted_us: tuple[float, float] | None = None
    """Floor and ceiling of what the report says a fix saves."""
    notes: tuple[str, ...] = ()


class Verification:
    """One program, in which the line waits longer in some turns."""

    def __init__(self, options: argparse.Namespace, name: str, code: str, *, has_end: bool) -> None:
        self._options, self._name, self._code, self._has_end = options, name, code, has_end
        self._noise: float | None = None
        self._sizes: list[tuple[float, Estimate]] = []
        self._line_ns: list[float] = []
        self._step_ns = self._reached = 0.0

    def measure(self, side: Player) -> None:
        """Measure the program against itself, then with each size of the wait.

        Raises:
            UsageError: The line is not reached, or the program ends too early.
        """
        try:
            warm_up(side)
            look = side.play(Order(16))
        except ProgramEnded:
            raise UsageError(f"the program ended after {side.taken} steps, before it was warm") from None
        self._reached, self._step_ns = look.reached / 16, look.step_ns
        if not look.reached:
            often = "only before or in the first step" if side.first.reached else "never"
            raise UsageError(f"{self._name} is reached {often}, not in the {side.taken - 1} steps after it")
        steps, seconds = block_steps(look, look), 60 * self._options.max_minutes
        itself = measure(
            (side, side),
            steps,
            Wanted(0.0, 0.0, time.monotonic() + seconds / 4, most_pairs=_PAIRS_FOR_ITSELF),
            Series(),
        )
        if found := estimate(itself.wall):
            self._noise = math.expm1(found.largest)
            say(f"A/A: the program differs from itself by up to {self._noise:.1%}")
        self._keep(itself)
        for share in _SHARES:
            delay_ns = max(int(share * self._step_ns / self._reached), _LEAST_DELAY_NS)
            wanted = Wanted(_SLOPE_HALF_WIDTH * share, 0.0, time.monotonic() + seconds / 4)
            series = Series()
            measure(
                (side, side), steps, wanted, series, orders=(Order(steps), Order(steps, delay_ns=delay_ns))
            )
            self._keep(series)
            self._slope(series)
            if series.ended is not None:
                break

    def _keep(self, series: Series) -> None:
        blocks = series.blocks[0]
        self._line_ns += [block.line_ns / len(block.wall_ns) for block in blocks if block.reached]

    def _slope(self, series: Series) -> None:
        pairs = [pair for pair in zip(*series.blocks, strict=True) if pair[1].waited_ns]
        waited = [(b.waited_ns - a.waited_ns) / len(b.wall_ns) for a, b in pairs]
        slopes = [(b.step_ns - a.step_ns) / w for (a, b), w in zip(pairs, waited, strict=True)]
        if (found := estimate(slopes)) is not None:
            self._sizes.append((median(waited), found))

    def verified(self, predicted: tuple[float, float] | None) -> Verified:
        """What there is to say by now."""
        made = functools.partial(
            Verified,
            schema=1,
            line=self._name,
            code=self._code,
            reached_per_step=self._reached,
            step_us=self._step_ns / 1000,
            noise=self._noise,
            sizes=tuple(
                Size(waited / 1000, each.log_ratio, (each.low, each.high), each.pairs)
                for waited, each in self._sizes
            ),
            line_us=median(self._line_ns) / 1000 if self._has_end and self._line_ns else None,
            predicted_us=predicted,
        )
        slope = _together([each for _, each in self._sizes])
        if slope is None:
            return made(verdict="cannot tell", sentence="Too few pairs were measured.")
        verdict, sentence = _judged(slope, [each for _, each in self._sizes])
        cost = None
        if self._has_end and self._line_ns:
            line_us = median(self._line_ns) / 1000
            cost = max(slope.low, 0.0) * line_us, max(min(slope.high, 1.0), 0.0) * line_us
            if verdict != "cannot tell":
                step = duration(self._step_ns / 1000)
                costs = f"{duration(cost[0])} to {duration(cost[1])} of a step of {step}"
                sentence += f" The line takes {duration(line_us)} a step, which costs {costs}."
        interval = (slope.low, slope.high)
        return made(
            verdict=verdict, sentence=sentence, slope=slope.log_ratio, interval=interval, cost_us=cost
        )


def _together(found: Sequence[Estimate]) -> Estimate | None:
    """All sizes as one, each by how exactly it is known."""
    if not found:
        return None
    weights = [1 / max(each.half_width, 1e-9) ** 2 for each in found]
    middle = sum(w * each.log_ratio for w, each in zip(weights, found, strict=True)) / sum(weights)
    reach = 1 / math.sqrt(sum(weights))
    return Estimate(middle, middle - reach, middle + reach, sum(each.pairs for each in found))


def _judged(slope: Estimate, sizes: Sequence[Estimate]) -> tuple[str, str]:
    between = f"95 % interval {100 * slope.low:.0f} to {100 * slope.high:.0f} %"
    longer = f"a step gets longer by {100 * slope.log_ratio:.0f} % of what is put before it ({between})"
    if slope.half_width > 0.35:
        return "cannot tell", f"The interval is too wide: {longer}."
    grows = len(sizes) > 1 and sizes[-1].low > sizes[0].high
    if grows:
        return (
            "partly hidden",
            f"Short waits are hidden behind other work, and longer ones are not: {longer}.",
        )
    if slope.low > 0.65 or (slope.low > 0.5 and slope.high > 0.9):
        return "exposed", f"Exposed: {longer}."
    if slope.high < 0.35:
        return "hidden", f"Hidden behind other work: {longer}."
    return "partly hidden", f"Partly hidden: {longer}."


def edited(side: Side, line: str) -> tuple[str, str, bool]:
    """Put the wait before a line of the side's copy.

    Returns:
        The line's name, its text, and whether the end of its statement is marked.

    Raises:
        UsageError: No statement begins there, or nothing can stand before it.
    """
    name, _, number = line.rpartition(":")
    path = (side.folder / name).resolve()
    if not number.isdecimal() or not path.is_file() or not path.is_relative_to(side.root.resolve()):
        raise UsageError(f"--line {line}: give a line of a file of the program, as train.py:88")
    file = ProgramFile(path)
    found = [
        node
        for node in file.nodes
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement)
        and file.line(node) == int(number)
    ]
    if not found:
        raise UsageError(f"--line {line}: no statement begins there")
    statement, before = found[0], f"{_DELAYS}.before()"
    has_end = isinstance(statement, cst.SimpleStatementLine) and not isinstance(
        statement.body[-1], cst.Return | cst.Raise | cst.Break | cst.Continue
    )
    text = file.text(statement)
    change = file.replace(statement, f"{before}; {text}; {_DELAYS}.after()") if has_end else None
    change = change or file.marked(statement, before)
    data = file.data if change is None else applied(file.data, [change])
    try:
        compile(data, name, "exec")
    except (SyntaxError, ValueError):
        change = None
    if change is None:
        raise UsageError(f"--line {line}: nothing can stand before `{text.splitlines()[0]}`")
    path.write_bytes(data)
    return f"{name}:{number}", text.splitlines()[0], has_end


def predicted_by(report: str, line: str) -> tuple[tuple[float, float], str] | None:
    """Floor and ceiling of what a report says of a line, and the device; None where it says nothing."""
    command = [sys.executable, "-m", "tbprof", "report", report, "--format", "json"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode:
        raise UsageError(f"--report {report}: {said.stderr.strip().removeprefix('tbprof: ')}")
    document: dict[str, Any] = json.loads(said.stdout)
    name, _, number = line.rpartition(":")
    for one in document.get("reports", [document]):
        for finding in one["findings"]:
            sources = [one["sites"][at]["source"] or {} for at in finding["sites"]]
            is_there = any(
                PurePath(source.get("file", "")).parts[-len(PurePath(name).parts) :] == PurePath(name).parts
                and source.get("line") == int(number)
                for source in sources
            )
            if is_there and finding["saving"] is not None:
                steps = max(len(one["steps"]), 1)
                low, high = (finding["saving"][each] / steps for each in ("floor_us", "ceiling_us"))
                return (low, high), ", ".join(str(each) for each in one["trace"]["devices"][:1])
    return None


def run(arguments: Sequence[str] | None = None) -> int:
    """Measure what a line that waits really costs, by waits of known length before it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    parser, rest = _parser(), tuple(given[end + 1 :])
    options = parser.parse_args(given[:end])
    if not options.max_minutes > 0 or not options.time_limit > 0:
        parser.error("--max-minutes and --time-limit: give more than 0")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    substitute_unencodable(sys.stdout)
    try:
        verified, code = _verified(options, rest)
    except TbprofError as error:
        say(str(error))
        return _COULD_NOT
    with reader_may_leave():
        if options.format == "json":
            put(json_text(msgspec.to_builtins(verified), indent=1))
        else:
            put(plain_lines("\n".join((*_text(verified), ""))))
    note_result("measurement", f"{verified.line}: {verified.sentence}", [verified.code.strip()])
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tbprof verify", description=run.__doc__)
    parser.add_argument("--line", required=True, metavar="FILE:LINE", help="the line that waits")
    parser.add_argument(
        "--report", metavar="FILE", help="a trace or report that says what its fix would save"
    )
    kept = "the file that gets this prediction and what was measured; default: one of the user's"
    parser.add_argument("--calibration", metavar="FILE", help=kept)
    parser.add_argument("--max-minutes", type=float, default=5.0, help="of taking turns; default: 5")
    parser.add_argument("--force", action="store_true", help="measure on a machine that is not idle, too")
    add_side_options(parser, None)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("program", metavar="PROGRAM", help="the script; after it -- and its arguments")
    return parser


def _verified(options: argparse.Namespace, rest: tuple[str, ...]) -> tuple[Verified, int]:
    notes = tuple(spoiled(force=options.force))
    said = None if options.report is None else predicted_by(options.report, options.line)
    predicted = None if said is None else said[0]
    if options.report is not None and said is None:
        notes = (*notes, f"{options.report} predicts no saving at {options.line}.")
    code = _DONE
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(TemporaryDirectory(prefix="tbprof-ab-", ignore_cleanup_errors=True))
        )
        (side,) = stack.enter_context(sides_of((".",), options.program, options.link))
        name, text, has_end = edited(side, options.line)
        task = side_task(side, options, rest)
        verification = Verification(options, name, text, has_end=has_end)
        try:
            with player("the program", task, folder, options.time_limit) as program:
                verification.measure(program)
        except KeyboardInterrupt:
            code = _INTERRUPTED
    verified = verification.verified(predicted)
    if said is not None and verified.cost_us is not None and verified.verdict != "cannot tell":
        _remember(options, said, verified)
    return msgspec.structs.replace(verified, notes=(*verified.notes, *notes)), code  # type: ignore[type-var]


def _remember(options: argparse.Namespace, said: tuple[tuple[float, float], str], verified: Verified) -> None:
    path = file_to_append_to() if options.calibration is None else Path(options.calibration)
    if path is not None:
        versions = {"tbprof": __version__, "torch": torch.__version__, "python": platform.python_version()}
        pair = {"device": said[1], "predicted_us": said[0], "measured_us": verified.cost_us}
        append_pair({**pair, "versions": versions}, path)


def _text(verified: Verified) -> Iterator[str]:
    yield f"{verified.line} `{verified.code}`: {verified.verdict}"
    yield verified.sentence
    yield ""
    for size in verified.sizes:
        between = " to ".join(f"{100 * each:.0f}" for each in size.interval)
        put_before = f"{duration(size.delay_us)} a step put before it"
        costs = f"costs {100 * size.slope:.0f} % of that ({between} %), {size.pairs} pairs"
        yield f"  {put_before:<34} {costs}"
    yield f"Reached {verified.reached_per_step:g} times a step."
    if verified.predicted_us is not None:
        low_us, high_us = verified.predicted_us
        yield f"The report predicts that a fix saves {duration(low_us)} to {duration(high_us)} a step."
    if verified.noise is not None:
        yield f"A/A: the program differs from itself by up to {100 * verified.noise:.1f} %."
    yield from verified.notes
