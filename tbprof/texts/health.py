"""What is to be known of a trace, and why a file or a rule was left out."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import HealthFact, Numbers
from tbprof.texts.quantities import count, duration, share, size

__all__ = ["health_sentence", "not_checked_sentence", "skipped_sentence"]


def health_sentence(fact: HealthFact) -> str:
    """The sentence of a code; a fact from another version is named with its numbers."""
    try:
        return _SENTENCES[fact.code](fact.numbers)
    except (KeyError, ValueError):
        return _plain(fact)


def _plain(fact: HealthFact) -> str:
    figures = ", ".join(f"{name} {value}" for name, value in fact.numbers.items())
    return f"{fact.code.replace('_', ' ')}{': ' + figures if figures else ''}."


def not_checked_sentence(needs: str) -> str:
    return f"not checked: no {needs} recorded"


def skipped_sentence(reason: str) -> str:
    """Why a file that looks like a window is not offered."""
    return _SKIPPED.get(reason, reason.replace("_", " "))


def _integer(numbers: Numbers, name: str) -> int:
    return int(numbers[name])


def _compression_damaged(numbers: Numbers) -> str:
    kept = size(_integer(numbers, "unpacked_bytes"))
    return f"The gzip stream is damaged or broke off; the {kept} before that are kept."


def _truncated(_: Numbers) -> str:
    return "The file ends in the middle of its events (a killed writer, a full disk); those before are kept."


def _events_dropped(numbers: Numbers) -> str:
    reasons = ", ".join(
        f"{value} {name.replace('_', ' ')}" for name, value in numbers.items() if name != "dropped"
    )
    return f"{count(_integer(numbers, 'dropped'), 'event')} could not be read: left out ({reasons})."


def _text_repaired(_: Numbers) -> str:
    return "Some text of the file was no valid JSON and was put right; no event was lost by that."


def _negative_durations(numbers: Numbers) -> str:
    return f"{count(_integer(numbers, 'rows'), 'event')} ended before they began; they count as 0 long."


def _metadata_damaged(_: Numbers) -> str:
    return "A part of what the file says about itself can't be read: rank or device names may be missing."


def _facts_damaged(_: Numbers) -> str:
    return "What the trainer hook added to the trace can't be used; the figures of the trace stand."


def _no_gpu_rows(_: Numbers) -> str:
    return (
        "No GPU work was recorded: waits and idle can't be judged. On a machine with a GPU, record "
        "with ProfilerActivity.CUDA and check that the user may use CUPTI."
    )


def _no_steps(_: Numbers) -> str:
    return "The trace marks no steps: the whole window counts as one. Call step() of the profiler."


def _cold_steps(numbers: Numbers) -> str:
    cold = count(_integer(numbers, "cold"), "cold step")
    return f"{cold} of {_integer(numbers, 'steps')} left out of the medians: longer than the others by half."


def _gpu_lag(numbers: Numbers) -> str:
    late = count(_integer(numbers, "steps"), "step")
    return (
        f"The GPU ends {late} late, at worst by {duration(float(numbers['worst_us']))} "
        f"({share(float(numbers['worst_share']))} of the step): host step times are not GPU step times."
    )


def _gpu_before_launch(numbers: Numbers) -> str:
    rows = count(_integer(numbers, "rows"), "GPU event")
    worst = duration(_integer(numbers, "worst_ns") / 1000)
    return (
        f"{rows} before the call that launched them, at worst by {worst}: the clocks of host and GPU "
        "disagree by that much."
    )


def _gpu_rows_without_launch(numbers: Numbers) -> str:
    rows = count(_integer(numbers, "rows"), "GPU event")
    return f"{rows} of {_integer(numbers, 'of'):,} without the call that launched them."


def _launches_without_gpu_rows(numbers: Numbers) -> str:
    rows = count(_integer(numbers, "rows"), "kernel launch", "kernel launches")
    return f"{rows} of {_integer(numbers, 'of'):,} without the work on the GPU: the profiler lost it."


def _sync_events_missing(numbers: Numbers) -> str:
    waits = count(_integer(numbers, "waits"), "call")
    return f"{waits} made a stream wait, and the trace does not say for which: record CUDA sync events."


def _sync_events_without_streams(numbers: Numbers) -> str:
    rows = count(_integer(numbers, "rows"), "CUDA sync event")
    return f"{rows} of {_integer(numbers, 'of'):,} without the stream that was waited for."


def _steps_backwards(numbers: Numbers) -> str:
    steps = count(_integer(numbers, "steps"), "step")
    return f"{steps} earlier than the step before: the clock was set back while the trace was recorded."


def _device_names_unknown(numbers: Numbers) -> str:
    devices = count(_integer(numbers, "devices"), "device")
    return f"The trace does not name {devices} of {_integer(numbers, 'of'):,} that did work."


def _rank_unknown(numbers: Numbers) -> str:
    collectives = count(_integer(numbers, "collectives"), "collective")
    return f"The trace holds {collectives}, and does not say of which rank it is."


def _copies_without_call(numbers: Numbers) -> str:
    copies = count(_integer(numbers, "copies"), "copy", "copies")
    return f"{copies} on the GPU without a call on the host (graph nodes, or launched before the window)."


def _calls_without_record(numbers: Numbers) -> str:
    calls = count(_integer(numbers, "calls"), "copy call")
    return f"{calls} that blocked without a GPU record: direction and size are not known."


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
    return f"The step that tells lines was left out, because {_NO_AUDIT.get(reason, reason)}."


def _lines_not_exact(numbers: Numbers) -> str:
    waits = count(_integer(numbers, "episodes"), "sync point or copy", "sync points and copies")
    return f"{waits} of {_integer(numbers, 'of'):,} without an exact line: several can be it, or none did."


def _sites_shortened(numbers: Numbers) -> str:
    sites = count(_integer(numbers, "sites"), "site")
    return f"{sites} kept without steps and drawing, to keep the stored report small; the cheapest ones."


_SENTENCES: dict[str, Callable[[Numbers], str]] = {
    "compression_damaged": _compression_damaged,
    "truncated": _truncated,
    "events_dropped": _events_dropped,
    "text_repaired": _text_repaired,
    "negative_durations": _negative_durations,
    "metadata_damaged": _metadata_damaged,
    "facts_damaged": _facts_damaged,
    "no_gpu_rows": _no_gpu_rows,
    "gpu_before_launch": _gpu_before_launch,
    "gpu_rows_without_launch": _gpu_rows_without_launch,
    "launches_without_gpu_rows": _launches_without_gpu_rows,
    "sync_events_missing": _sync_events_missing,
    "sync_events_without_streams": _sync_events_without_streams,
    "steps_backwards": _steps_backwards,
    "device_names_unknown": _device_names_unknown,
    "rank_unknown": _rank_unknown,
    "no_steps": _no_steps,
    "cold_steps": _cold_steps,
    "gpu_lag": _gpu_lag,
    "copies_without_call": _copies_without_call,
    "calls_without_record": _calls_without_record,
    "no_stacks": _no_stacks,
    "no_user_frames": _no_user_frames,
    "no_audit_step": _no_audit_step,
    "lines_not_exact": _lines_not_exact,
    "sites_shortened": _sites_shortened,
}

_SKIPPED = {
    "remote_logdir": "log directories on other hosts are not read; copy the run, or mount it",
    "link_leaves_logdir": "a link that leads out of the log directory; --tbprof_follow_links allows your own",
    "name_not_text": "its name is not UTF-8: rename it",
    "no_permission": "it can't be read: check its permissions",
}
