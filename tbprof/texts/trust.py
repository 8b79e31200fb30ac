"""How far the figures of a window can be trusted: a title, a figure and a sentence each."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import Numbers
from tbprof.texts.figures.quantities import count, duration, share

_CALL = "call."
"""Starts the code of one of torch's functions, whose calls the audit step could not read."""

_SETTING = "settings."
"""Starts the code of one of torch's settings."""


def fact_in_words(code: str) -> str:
    """What a fact is, from its code; that of another version is named as it is."""
    if code.startswith(_CALL):
        return f"what some calls of `{code.removeprefix(_CALL)}` moved"
    if code.startswith(_SETTING):
        return f"torch's setting `{code.removeprefix(_SETTING)}`"
    return _MISSING_FACTS_WORDS.get(code, code.replace("_", " "))


_MISSING_FACTS_WORDS = {
    "allocator_counts": "what the GPU's allocator did",
    "compiler_counts": "what torch.compile compiled",
    "constructions": "modules and optimizers built in a step",
    "cuda_activity": "the work of the GPU",
    "device_names": "the GPU's name",
    "device_step_time": "step times on the GPU itself",
    "driver_version": "the driver's version",
    "environment": "the environment's variables",
    "function_calls": "the lines that call torch's functions",
    "gc_counts": "full runs of the garbage collector",
    "git_commit": "the commit of the checkout",
    "loaders": "the settings of a DataLoader",
    "module_marks": "marks around the calls of modules",
    "optimizers": "the settings of an optimizer",
    "other_gpu_processes": "other processes on the GPU",
    "places": "which tensors would be on a GPU",
    "rank": "rank and world size",
    "sources": "the code around recorded lines",
    "sync_callbacks": "the lines that torch's callbacks tell",
    "sync_warnings": "the lines that CUDA itself warns of",
}


Words = tuple[str, str, str]


def trust_words(code: str, numbers: Numbers) -> Words:
    """Title, figure ("" if none) and sentence.

    Raises:
        KeyError: The code is none of these, or its numbers are others.
    """
    return _WORDS[code](numbers)


FEWEST_FOR_COLD = 3
"""The fewest steps of which anything says that the first is unusually long."""

NOTEWORTHY = 1.05
"""A step that is recorded at less than this many times its usual length is hardly another one."""

VARIES = 0.8
"""Steps that take less than this part of the others' time have other reasons than the profiler."""


def _replay(numbers: Numbers) -> Words:
    return (
        "Replay matches the recording",
        f"{share(float(numbers['error']))} error",
        "Within 5\u202f%, so waits that can go have an estimate. It is uncalibrated: no prediction of "
        "this kind has been compared with measured runs on a GPU yet.",
    )


def _replay_without_plan(numbers: Numbers) -> Words:
    return (
        "Replay of the recording",
        f"{share(float(numbers['error']))} error",
        "It matches, but a replay can judge none of the changes found: there are only floor and ceiling.",
    )


def _replay_off(numbers: Numbers) -> Words:
    return (
        "Replay does not match the recording",
        f"{share(float(numbers['error']))} error",
        "More than 5\u202f%, so there is no estimate, only a floor and a ceiling.",
    )


def _replay_without_device(_: Numbers) -> Words:
    return "Replay of the recording", "none", "Without the work of the GPU there is nothing to replay."


def _replay_none(_: Numbers) -> Words:
    return "Replay of the recording", "none", "No sync point to replay was recorded, so there is no estimate."


def _inflation(numbers: Numbers) -> Words:
    profiled, unprofiled = (duration(float(numbers[name])) for name in ("profiled_us", "unprofiled_us"))
    measured = f"{profiled} recorded, {unprofiled} without it, both by the hook's own clock."
    factor = float(numbers["factor"])
    if factor < VARIES:
        return "Profiler slowed the step", "can't tell", f"{measured} Steps vary too much to compare them."
    if factor < 1:
        return (
            "Profiler slowed the step",
            "not at all",
            f"{measured} A step that is shorter while it is recorded shows how much steps vary.",
        )
    if factor >= NOTEWORTHY:
        measured += (
            " Gaps between launches are too long by as much."
            if numbers["devices"]
            else " The host's times are too long by as much."
        )
    return "Profiler slowed the step", f"\u00d7{factor:.2f}", measured


def _inflation_none(_: Numbers) -> Words:
    return (
        "Profiler slowed the step",
        "not recorded",
        "The trace has no unprofiled steps to compare with; the trainer hook times them.",
    )


def _after(numbers: Numbers) -> Words:
    after, before = (duration(float(numbers[name])) for name in ("after_us", "before_us"))
    slower = float(numbers["factor"]) >= float(numbers["limit"])
    if float(numbers["factor"]) < VARIES:
        said = "Steps vary too much to compare them."
    elif not slower:
        said = "Back to normal."
    elif numbers["recorder"] == "CUPTI":
        said = "CUPTI may still be at work: TEARDOWN_CUPTI=1 makes it leave."
    else:
        said = "The training has changed, or the machine has other work."
    figure = f"\u00d7{float(numbers['factor']):.2f}"
    return "Steps after the window", figure, f"{after} after it, {before} before it. {said}"


def _start(numbers: Numbers) -> Words:
    return (
        "Start of the profiler",
        duration(float(numbers["start_us"])),
        "It held the training up for that long before the recorded steps; no figure includes it.",
    )


def _untypical(_: Numbers) -> Words:
    return (
        "Window typical of the program",
        "no",
        "Most of what was recorded happens once, or is outside the window: record again before any change.",
    )


def _cold(numbers: Numbers) -> Words:
    longest = duration(float(numbers["longest_us"]))
    return (
        "Cold steps left out",
        f"{numbers['cold']} of {numbers['steps']}",
        f"The first step took {longest}, more than 1.5 times the median of the others.",
    )


def _cold_none(_: Numbers) -> Words:
    return "Cold steps left out", "none", "The first step is at most 1.5 times the median of the others."


def _cold_unknown(numbers: Numbers) -> Words:
    steps = count(int(numbers["steps"]), "step")
    return "Cold steps left out", "not known", f"With {steps} a cold one can't be recognized."


def _own_sync(numbers: Numbers) -> Words:
    return (
        "Profiler's own sync left out",
        duration(float(numbers["wait_us"])),
        "The device sync at the end of the window is not yours.",
    )


def _own_sync_none(_: Numbers) -> Words:
    return "Profiler's own sync left out", "none", "The trace holds none."


def _others(numbers: Numbers) -> Words:
    return (
        "Other processes on this GPU",
        f"{int(numbers['processes']):,}",
        "They were there when the window ended: idle with work queued, and slow kernels, can be theirs.",
    )


def _others_none(_: Numbers) -> Words:
    return "Other processes on this GPU", "none", "The driver listed none when the window ended."


def _others_unseen(_: Numbers) -> Words:
    return (
        "Other processes on this GPU",
        "not recorded",
        "A trace does not say; the trainer hook does, where torch can ask the driver.",
    )


def _fact_missing(numbers: Numbers) -> Words:
    what = fact_in_words(str(numbers["fact"]))
    reason = f"{numbers['reason']}. Nothing else is missing because of it."
    return what[0].upper() + what[1:], "not recorded", reason


_WORDS: dict[str, Callable[[Numbers], Words]] = {
    "replay": _replay,
    "replay_without_plan": _replay_without_plan,
    "replay_off": _replay_off,
    "replay_without_device": _replay_without_device,
    "replay_none": _replay_none,
    "inflation": _inflation,
    "inflation_none": _inflation_none,
    "after": _after,
    "start": _start,
    "untypical": _untypical,
    "cold": _cold,
    "cold_none": _cold_none,
    "cold_unknown": _cold_unknown,
    "own_sync": _own_sync,
    "own_sync_none": _own_sync_none,
    "others": _others,
    "others_none": _others_none,
    "others_unseen": _others_unseen,
    "fact_missing": _fact_missing,
}
