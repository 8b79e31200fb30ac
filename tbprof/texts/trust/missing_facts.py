"""What the trainer hook could not bring home, in words."""

from __future__ import annotations

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
    return _WORDS.get(code, code.replace("_", " "))


_WORDS = {
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
