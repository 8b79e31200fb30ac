"""A proof as text, as Markdown for a pull request, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tbprof.escaping import code, json_text, prose
from tbprof.preflight.proof.claim import Claim, Line
from tbprof.preflight.proof.judging import Proof
from tbprof.texts.figures.quantities import size

_MOST_LINES = 8
"""Shown of each kind."""

_HOW = {
    "late": "comes one step later",
    "seldom": "comes in fewer steps",
    "gone": "is not there any more",
    "other": "has another value",
}


def printed(proof: Proof, names: Sequence[str], form: str) -> str:
    """The proof as `--format` asks for it; `names` are those of the two sides."""
    if form == "json":
        return json_text({**msgspec.to_builtins(proof), "before": names[0], "after": names[1]}, indent=1)
    lines = _markdown(proof, names) if form == "markdown" else _text(proof, names)
    return "\n".join(lines) + "\n"


def _text(proof: Proof, names: Sequence[str]) -> Iterator[str]:
    yield f"{names[0]} -> {names[1]}: {proof.verdict}"
    yield proof.sentence
    if proof.claim is not None:
        yield ""
        yield f"{'a step':<18}{'before':>12}{'after':>12}"
        yield from (f"{name:<18}{old:>12}{new:>12}" for name, old, new in _rows(proof.claim))
        for what, line in _lines(proof.claim):
            yield f"{what}: {line.source}  {line.code}  [{line.before:g} -> {line.after:g}]"
    yield from _remarks(proof)


def _markdown(proof: Proof, names: Sequence[str]) -> Iterator[str]:
    yield f"**`tbprof prove`: {proof.verdict}.** {prose(proof.sentence)}"
    if proof.claim is not None:
        yield ""
        yield f"| a step | {prose(names[0])} | {prose(names[1])} |"
        yield "|---|---|---|"
        yield from (f"| {name} | {old} | {new} |" for name, old, new in _rows(proof.claim))
        yield ""
        for what, line in _lines(proof.claim):
            text, source = code(line.code), prose(line.source)
            yield f"- {what}: {source}: {text} ({line.before:g} → {line.after:g})"
    yield from (f"- {prose(each)}" for each in _remarks(proof))
    yield ""
    yield "A run without a GPU: it shows equality and counts, and no times."


def _rows(claim: Claim) -> Iterator[tuple[str, str, str]]:
    counted = {"sync points": claim.sync_points, "copies": claim.copies}
    yield from ((name, f"{old:g}", f"{new:g}") for name, (old, new) in counted.items())
    yield ("bytes copied", size(round(claim.bytes[0])), size(round(claim.bytes[1])))
    yield ("device operators", f"{claim.operators[0]:g}", f"{claim.operators[1]:g}")
    old, new = claim.peak_bytes
    if old is not None and new is not None:
        yield ("peak memory", size(old), size(new))


def _lines(claim: Claim) -> Iterator[tuple[str, Line]]:
    kinds = {"gone": claim.gone, "new": claim.new, "moved": claim.moved, "more or less often": claim.changed}
    for what, lines in kinds.items():
        yield from ((what, line) for line in lines[:_MOST_LINES])


def _remarks(proof: Proof) -> Iterator[str]:
    """What is to be known besides the first sentence."""
    for fault in proof.safety:
        yield f"Unsafe: {fault.sentence}."
    if proof.result is not None:
        said = {each.words: _HOW[each.how] for each in proof.result.printed}
        yield from (f"What is printed or tracked as `{words}` {how}." for words, how in said.items())
        if proof.result.own_noise is not None:
            absolute, relative = proof.result.own_noise
            yield (
                "With another number of threads and sums in another order, the program differs from itself "
                f"there by {absolute:.3g} ({relative:.2g} of the largest value)."
            )
    yield from (f"Note: {note.rstrip('.')}." for note in proof.notes)
