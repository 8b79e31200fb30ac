"""How far the figures of a window can be trusted: a title, a figure and a sentence each."""

from __future__ import annotations

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
    "collections": "when Python collected garbage",
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
    "open_ranges": "an end to ranges that were open",
    "optimizers": "the settings of an optimizer",
    "other_gpu_processes": "other processes on the GPU",
    "places": "which tensors would be on a GPU",
    "rank": "rank and world size",
    "samples": "what runs where torch runs no operator",
    "sources": "the code around recorded lines",
    "sync_callbacks": "the lines that torch's callbacks tell",
    "sync_warnings": "the lines that CUDA itself warns of",
}


Words = tuple[str, str, str]
"""A title, a figure ("" if none) and a sentence."""

FEWEST_FOR_COLD = 3
"""The fewest steps of which anything says that the first is unusually long."""

NOTEWORTHY = 1.05
"""A step that is recorded at less than this many times its usual length is hardly another one."""

VARIES = 0.8
"""Steps that take less than this part of the others' time have other reasons than the profiler."""

REPLAY_WITHOUT_DEVICE: Words = (
    "Replay of the recording",
    "none",
    "Without the work of the GPU there is nothing to replay.",
)

REPLAY_NONE: Words = (
    "Replay of the recording",
    "none",
    "No sync point to replay was recorded, so there is no estimate.",
)


def replay_words(error: float) -> Words:
    """A replay that gives estimates; `error` is how far it is off its own window."""
    return (
        "Replay matches the recording",
        f"{share(error)} error",
        "Within 5\u202f%, so waits that can go have an estimate. It is uncalibrated: on the GPU on which "
        "such estimates were compared with measured runs, half of them were more than a fifth off.",
    )


def replay_without_plan_words(error: float) -> Words:
    """A replay that could give estimates, where there is nothing to give one for."""
    return (
        "Replay of the recording",
        f"{share(error)} error",
        "It matches, but a replay can judge none of the changes found: there are only floor and ceiling.",
    )


def replay_off_words(error: float) -> Words:
    """A replay that is too far off."""
    return (
        "Replay does not match the recording",
        f"{share(error)} error",
        "More than 5\u202f%, so there is no estimate, only a floor and a ceiling.",
    )


INFLATION_NONE: Words = (
    "Profiler slowed the step",
    "not recorded",
    "The trace has no unprofiled steps to compare with; the trainer hook times them.",
)


def inflation_words(factor: float, *, profiled_us: float, unprofiled_us: float, has_device: bool) -> Words:
    """How many times as long a step is while it is recorded, and how long it is then and otherwise."""
    profiled, unprofiled = duration(profiled_us), duration(unprofiled_us)
    measured = f"{profiled} recorded, {unprofiled} without it, both by the hook's own clock."
    if factor < VARIES:
        return "Profiler slowed the step", "can't tell", f"{measured} Steps vary too much to compare them."
    if factor < 1:
        return (
            "Profiler slowed the step",
            "not at all",
            f"{measured} A step that is shorter while it is recorded shows how much steps vary.",
        )
    if factor >= NOTEWORTHY:
        what = "Gaps between launches" if has_device else "The host's times"
        measured += f" {what} are too long by as much."
    return "Profiler slowed the step", f"\u00d7{factor:.2f}", measured


def after_words(factor: float, *, is_slower: bool, recorder: str, after_us: float, before_us: float) -> Words:
    """How many times as long steps are after the window as before it.

    Args:
        factor: That.
        is_slower: Whether they are visibly longer.
        recorder: The library that recorded the device; "" where none did.
        after_us: How long they are after it.
        before_us: How long they were before it.
    """
    if factor < VARIES:
        said = "Steps vary too much to compare them."
    elif not is_slower:
        said = "Back to normal."
    elif recorder == "CUPTI":
        said = "CUPTI may still be at work: TEARDOWN_CUPTI=1 makes it leave."
    else:
        said = "The training has changed, or the machine has other work."
    measured = f"{duration(after_us)} after it, {duration(before_us)} before it."
    return "Steps after the window", f"\u00d7{factor:.2f}", f"{measured} {said}"


def start_words(start_us: float) -> Words:
    """How long the start of the profiler took."""
    return (
        "Start of the profiler",
        duration(start_us),
        "It held the training up for that long before the recorded steps; no figure includes it.",
    )


UNTYPICAL: Words = (
    "Window typical of the program",
    "no",
    "Most of what was recorded happens once, or is outside the window: record again before any change.",
)

COLD_NONE: Words = (
    "Cold steps left out",
    "none",
    "The first step is at most 1.5 times the median of the others.",
)


def cold_words(cold: int, steps: int, longest_us: float) -> Words:
    """How many steps are cold, of how many, and how long the longest took."""
    return (
        "Cold steps left out",
        f"{cold} of {steps}",
        f"The first step took {duration(longest_us)}, more than 1.5 times the median of the others.",
    )


def cold_unknown_words(steps: int) -> Words:
    """A window of so few steps that none can be recognized as cold."""
    return "Cold steps left out", "not known", f"With {count(steps, 'step')} a cold one can't be recognized."


OWN_SYNC_NONE: Words = ("Profiler's own sync left out", "none", "The trace holds none.")


def own_sync_words(wait_us: float) -> Words:
    """How long the profiler's own sync call waited."""
    return (
        "Profiler's own sync left out",
        duration(wait_us),
        "The device sync at the end of the window is not yours.",
    )


OTHERS_NONE: Words = (
    "Other processes on this GPU",
    "none",
    "The driver listed none when the window ended.",
)

OTHERS_UNSEEN: Words = (
    "Other processes on this GPU",
    "not recorded",
    "A trace does not say; the trainer hook does, where torch can ask the driver.",
)


def others_words(processes: int) -> Words:
    """How many other processes were on the device."""
    return (
        "Other processes on this GPU",
        f"{processes:,}",
        "They were there when the window ended: idle with work queued, and slow kernels, can be theirs.",
    )


def fact_missing_words(fact: str, reason: str) -> Words:
    """A fact, by its code, that the hook could not have, and why."""
    what = fact_in_words(fact)
    return (
        what[0].upper() + what[1:],
        "not recorded",
        f"{reason}. Nothing else is missing because of it.",
    )
