"""What an experiment has shown, and how it is said."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from tbprof.escaping import json_text, prose
from tbprof.experiment.estimator import Estimate, estimate
from tbprof.experiment.measuring import Series, Wanted
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import duration, size

Verdict: TypeAlias = Literal[
    "faster", "slower", "no difference", "cannot tell", "suspect", "not equal", "different work"
]

SCHEMA = 1
_MOST_PARTS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of the program adds to the difference of the two windows."""

    part: str
    us: float
    share: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Pairs are before and after; ratios are those of step times, after by before."""

    schema: int
    verdict: Verdict
    sentence: str
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    noise: float | None = None
    """The largest difference of the program from itself that its interval does not exclude, as a share."""
    pairs: int = 0
    steps: int = 0
    """What each side took in all pairs."""
    block_steps: int = 0
    warm_up_steps: tuple[int, int] | None = None
    step_us: tuple[float, float] | None = None
    samples_per_second: tuple[float, float] | None = None
    cold_us: tuple[float, float] | None = None
    """The start of the program, to the end of its first step."""
    peak_bytes: tuple[int, int] | None = None
    cpu_ratio: float | None = None
    cpu_interval: tuple[float, float] | None = None
    """The same by CPU time."""
    all_steps_ratio: float | None = None
    all_steps_interval: tuple[float, float] | None = None
    """The same by the mean of all pairs, which counts rare slow steps as well as a neighbor's noise."""
    proof: str = ""
    why: tuple[Part, ...] = ()
    notes: tuple[str, ...] = ()


def judged(
    found: Estimate | None, itself: Estimate | None, wanted: Wanted, *, by: str, in_turns: bool = True
) -> tuple[Verdict, str]:
    """The verdict and a sentence.

    Args:
        found: The sides.
        itself: The program before the change against itself.
        wanted: What had to be shown.
        by: What was measured.
        in_turns: Whether the program was measured against itself, too.
    """
    if found is None or (itself is None and in_turns):
        lacks = "the program differs from itself" if itself is None and in_turns else "the sides differ"
        return "cannot tell", f"Too few pairs were measured to say by how much {lacks}."
    # Two processes of one program may differ for as long as they live.
    noise = 0.0 if itself is None else itself.largest
    between = f"95 % interval {_from_to(found)}, {'no A/A' if itself is None else f'A/A {percent(noise)}'}"
    if found.is_beyond(noise):
        verdict: Verdict = "faster" if found.high < 0 else "slower"
        return verdict, f"{percent(found.log_ratio)} {verdict}{by} ({between})"
    if found.largest <= wanted.negligible or (
        found.half_width <= wanted.half_width and not found.is_beyond(0)
    ):
        return "no difference", f"No difference larger than {percent(found.largest)}{by} ({between})"
    if found.is_beyond(0):
        measured = f"{percent(found.log_ratio)} {'faster' if found.high < 0 else 'slower'}{by} was measured"
        return "cannot tell", f"{measured}, no more than the program may differ from itself ({between})"
    excluded = f"one up to {percent(found.largest)} is not excluded"
    return "cannot tell", f"No difference is shown{by}, and {excluded} ({between})"


def percent(log_ratio: float) -> str:
    """A difference without its direction."""
    share = 100 * abs(math.expm1(log_ratio))
    return f"{share:.0f} %" if share >= 20 else f"{share:.1f} %"


def _from_to(found: Estimate) -> str:
    """In the direction of the estimate, as people say it: 3.2 to 4.9 %."""
    ends = [100 * math.expm1(each) for each in (found.low, found.high)]
    if found.log_ratio < 0:
        ends = [-each for each in reversed(ends)]
    return f"{ends[0]:.1f} to {ends[1]:.1f} %"


def figures(series: Series) -> dict[str, Any]:
    """The fields of an outcome that a series gives."""
    if not series.wall:
        return {}
    steps = [series.step_ns(side) / 1000 for side in range(2)]
    whole, cpu = estimate(series.wall, trimmed=0.0), estimate(series.cpu)
    return {
        "pairs": len(series.wall),
        "steps": series.steps,
        "block_steps": len(series.blocks[0][0].wall_ns),
        "step_us": (steps[0], steps[1]),
        "peak_bytes": tuple(max(block.peak_bytes for block in blocks) for blocks in series.blocks),
        "cpu_ratio": cpu and math.exp(cpu.log_ratio),
        "cpu_interval": cpu and (math.exp(cpu.low), math.exp(cpu.high)),
        "all_steps_ratio": whole and math.exp(whole.log_ratio),
        "all_steps_interval": whole and (math.exp(whole.low), math.exp(whole.high)),
    }


def printed(outcome: Outcome, names: Sequence[str], form: str) -> str:
    """The outcome as `--format` asks for it."""
    if form == "json":
        return json_text({**msgspec.to_builtins(outcome), "before": names[0], "after": names[1]}, indent=1)
    if form == "markdown":
        return "\n".join(_markdown(outcome, names)) + "\n"
    return "\n".join(_text(outcome, names)) + "\n"


def _text(outcome: Outcome, names: Sequence[str]) -> Iterator[str]:
    yield f"{names[0]} -> {names[1]}: {outcome.verdict}"
    yield outcome.sentence
    rows = list(_rows(outcome))
    if rows:
        yield ""
        yield f"{'':<22}{'before':>12}{'after':>12}"
        yield from (f"{name:<22}{old:>12}{new:>12}" for name, old, new in rows)
    if outcome.why:
        yield ""
        yield f"Why: {_windows(outcome)}"
        yield from (f"  {_signed(part.us):>12} {part.share:>6.0%}  {part.part}" for part in _parts(outcome))
    yield from (("", *_remarks(outcome)))


def _markdown(outcome: Outcome, names: Sequence[str]) -> Iterator[str]:
    yield f"**`tbprof ab`: {outcome.verdict}.** {prose(outcome.sentence)}"
    rows = list(_rows(outcome))
    if rows:
        yield from ("", f"| | {prose(names[0])} | {prose(names[1])} |", "|---|---|---|")
        yield from (f"| {name} | {old} | {new} |" for name, old, new in rows)
    if outcome.why:
        yield from ("", f"Why: {_windows(outcome)}", "", "| part | difference | share |", "|---|---|---|")
        yield from (
            f"| {prose(part.part)} | {_signed(part.us)} | {part.share:.0%} |" for part in _parts(outcome)
        )
    yield ""
    yield from (f"- {prose(each)}" for each in _remarks(outcome))


def _windows(outcome: Outcome) -> str:
    total = _signed(sum(part.us for part in outcome.why))
    return f"a short window of each side under the profiler differs by {total} a step, of which"


def _rows(outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    rates, memory = outcome.samples_per_second, outcome.peak_bytes
    shown: tuple[tuple[str, Any, Callable[[Any], str]], ...] = (
        ("step", outcome.step_us, duration),
        ("samples a second", rates, "{:,.0f}".format),
        ("peak memory", memory if memory and all(memory) else None, size),
        ("start and first step", outcome.cold_us, duration),
        ("steps to warm up", outcome.warm_up_steps, str),
    )
    for name, values, words in shown:
        if values is not None:
            yield name, words(values[0]), words(values[1])


def _parts(outcome: Outcome) -> Iterator[Part]:
    """The largest, and all others as one: they add up."""
    ordered = sorted(outcome.why, key=lambda part: -abs(part.us))
    yield from ordered[:_MOST_PARTS]
    if rest := ordered[_MOST_PARTS:]:
        yield Part(f"{len(rest)} more", sum(part.us for part in rest), sum(part.share for part in rest))


def _signed(us: float) -> str:
    return f"{'-' if us < 0 else '+'}{duration(abs(us))}"


def _remarks(outcome: Outcome) -> Iterator[str]:
    if outcome.pairs:
        each = f"{outcome.pairs} pairs of {outcome.block_steps} steps in turns"
        yield f"{each}, {outcome.steps} steps of each side."
    if outcome.cpu_interval is not None:
        yield f"CPU time of a step: {_ratio(outcome.cpu_ratio, outcome.cpu_interval)}."
    if outcome.all_steps_interval is not None:
        whole = _ratio(outcome.all_steps_ratio, outcome.all_steps_interval)
        yield f"All steps together, slow ones too: {whole}."
    yield from outcome.notes


def _ratio(ratio: float | None, interval: tuple[float, float]) -> str:
    assert ratio is not None
    low, high = (f"{100 * (each - 1):+.1f}" for each in interval)
    return f"{100 * (ratio - 1):+.1f} % ({low} to {high} %)"
