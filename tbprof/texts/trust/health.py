"""What to know of a trace before its figures are trusted."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import HealthFact, Numbers
from tbprof.texts.figures.names import numbers_in_words
from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.trust.file_health import FILE_SENTENCES
from tbprof.texts.trust.missing_facts import fact_in_words


def health_sentence(fact: HealthFact) -> str:
    """The sentence of a code; a fact from another version is named with its numbers."""
    try:
        return _SENTENCES[fact.code](numbers_in_words(fact.numbers))
    except (KeyError, ValueError):
        return _plain(fact)


def _plain(fact: HealthFact) -> str:
    figures = ", ".join(f"{name} {value}" for name, value in sorted(numbers_in_words(fact.numbers).items()))
    return f"{fact.code.replace('_', ' ')}{': ' + figures if figures else ''}."


def _no_steps(numbers: Numbers) -> str:
    if "without_length" in numbers:
        return "The steps that the trace marks have no length: the whole window counts as one."
    return "The trace marks no steps: the whole window counts as one. Call step() of the profiler."


def _cold_steps(numbers: Numbers) -> str:
    cold = count(int(numbers["cold"]), "cold step")
    return f"{cold} of {int(numbers['steps'])} left out of the medians: longer than the others by half."


def _gpu_lag(numbers: Numbers) -> str:
    late = count(int(numbers["steps"]), "step")
    # Earlier versions had shares above 1 here.
    part = float(numbers.get("worst_share", 2))
    of_step = f" ({share(part)} of the step on the host)" if part <= 1 else ""
    ends = f"The GPU ends {late} late, at worst by {duration(float(numbers['worst_us']))}{of_step}"
    if numbers["of_device"]:
        return f"{ends}: the host runs ahead, and the steps of this report are the GPU's."
    return f"{ends}: the steps of this report are the host's, and single ones may differ from the GPU's."


def _copies_without_call(numbers: Numbers) -> str:
    copies = count(int(numbers["copies"]), "copy", "copies")
    return f"{copies} on the GPU without a call on the host (graph nodes, or launched before the window)."


def _calls_without_record(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "copy call")
    return f"{calls} that blocked without a GPU record: direction and size are not known."


def _calls_cut(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "call")
    return f"{calls} would run beside another of the same thread, which can't be: counted up to its start."


def _shapes_not_true(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "call")
    return f"{calls} with shapes that can't be true: no device works so fast. They have no limit."


def _no_stacks(_: Numbers) -> str:
    return "No Python frames were recorded: lines are not known. Record with with_stack=True to see them."


def _no_user_frames(_: Numbers) -> str:
    return "No Python frame of yours lies around the calls: lines are not known."


_NO_AUDIT = {
    "no_step": "the training ended with the window",
    "compiled": "the program uses torch.compile, which would compile again",
    "fault": "of a fault of tbprof's",
}


def _no_audit_step(numbers: Numbers) -> str:
    reason = str(numbers["reason"])
    return f"The step that records lines was skipped, because {_NO_AUDIT.get(reason, reason)}."


def _only_warned_lines(numbers: Numbers) -> str:
    reason = str(numbers["reason"])
    return (
        f"Only lines that CUDA itself warned of are known, because {_NO_AUDIT.get(reason, reason)}: "
        "those of copies that do not wait are not."
    )


def _lines_not_exact(numbers: Numbers) -> str:
    waits = count(int(numbers["episodes"]), "sync point or copy", "sync points and copies")
    return f"{waits} of {int(numbers['of']):,} without an exact line: several are possible, or none."


def _inference(_: Numbers) -> str:
    return "The steps are those of a program that only infers."


def _accumulation(numbers: Numbers) -> str:
    if "steps" in numbers:
        made = count(int(numbers["optimizer_steps"]), "step")
        return f"Gradients accumulate: {int(numbers['steps'])} recorded steps hold {made} of the optimizer."
    calls = int(numbers["backward_calls"])
    return f"Gradients accumulate: a step goes back through the model {calls} times."


def _gpu_shared(numbers: Numbers) -> str:
    others = count(int(numbers["processes"]), "other process", "other processes")
    return f"{others} on the GPU: the figures hold the time that it worked for them."


def _fact_missing(numbers: Numbers) -> str:
    return f"Not recorded: {fact_in_words(str(numbers['fact']))} ({numbers['reason']})."


def _sites_shortened(numbers: Numbers) -> str:
    sites = count(int(numbers["sites"]), "site")
    return f"{sites} kept without steps and drawing, to keep the stored report small; the cheapest ones."


_SENTENCES: dict[str, Callable[[Numbers], str]] = {
    **FILE_SENTENCES,
    "no_steps": _no_steps,
    "cold_steps": _cold_steps,
    "gpu_lag": _gpu_lag,
    "copies_without_call": _copies_without_call,
    "calls_without_record": _calls_without_record,
    "calls_cut": _calls_cut,
    "shapes_not_true": _shapes_not_true,
    "no_stacks": _no_stacks,
    "no_user_frames": _no_user_frames,
    "no_audit_step": _no_audit_step,
    "only_warned_lines": _only_warned_lines,
    "lines_not_exact": _lines_not_exact,
    "inference": _inference,
    "accumulation": _accumulation,
    "gpu_shared": _gpu_shared,
    "fact_missing": _fact_missing,
    "sites_shortened": _sites_shortened,
}


def gaps_sentence(without_launch: int, before_launch: int, unnamed_waits: int) -> str:
    """What a trace lacks in the work of its devices; "" where it lacks nothing."""
    parts = (
        (without_launch, "row of the GPU without a launch", "rows of the GPU without a launch"),
        (before_launch, "row that begins before its launch", "rows that begin before their launch"),
        (unnamed_waits, "wait of a stream that names no stream", "waits of streams that name no stream"),
    )
    found = ", ".join(count(rows, one, many) for rows, one, many in parts if rows)
    return f"{found}: what explains a wait or an idle moment may be missing." if found else ""
