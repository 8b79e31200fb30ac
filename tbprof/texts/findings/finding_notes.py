"""What a finding's own numbers say, in a sentence; its rule's page says the rest."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import Finding, Numbers
from tbprof.texts.figures.quantities import count, duration, mean, share, size
from tbprof.texts.figures.scopes import Scope

__all__ = ["finding_note"]

_NS_PER_US = 1000


def finding_note(finding: Finding, scope: Scope) -> str:
    """The option of a framework that takes the wait away, or the figures; "" if neither is known.

    The numbers of another version may be others: then there is no sentence.
    """
    return " ".join(said for said in (_figures(finding, scope), _needed_here(finding.numbers)) if said)


def _figures(finding: Finding, scope: Scope) -> str:
    numbers = finding.numbers
    try:
        if "hint" in numbers:
            return _HINTS[str(numbers["hint"])]
        return _NOTES[finding.rule](numbers, scope)
    except (KeyError, ValueError):
        return ""


def _needed_here(numbers: Numbers) -> str:
    """That the program can't go on without the value, where its recorded code shows that."""
    if not numbers.get("used_at_once"):
        return ""
    return "Needed here: what the program does next depends on the value, so reading it later saves less."


def _duration(numbers: Numbers, name: str) -> str:
    return duration(float(numbers[name]) / _NS_PER_US)


def _number(numbers: Numbers, name: str) -> str:
    return f"{float(numbers[name]):g}"


def _dynamic_shape(numbers: Numbers, _: Scope) -> str:
    return f"{numbers['op']} reads back how large its result is."


def _per_loop(numbers: Numbers, scope: Scope) -> str:
    return f"{_number(numbers, 'per_step')} round trips {scope.each}."


def _stall(numbers: Numbers, _: Scope) -> str:
    launches = count(int(numbers["launches"]), "launch", "launches")
    return f"{launches} were held back by {_duration(numbers, 'lost_ns')} in all."


def _cluster(numbers: Numbers, _: Scope) -> str:
    return (
        f"Removing all of them saves {_duration(numbers, 'joint_ns')}, "
        f"one by one {_duration(numbers, 'singles_ns')}: each hides behind the others."
    )


def _blocking_launches(numbers: Numbers, _: Scope) -> str:
    return f"{share(float(numbers['share']))} of the launches return only when their kernel is done."


def _loader(numbers: Numbers, scope: Scope) -> str:
    exposed = _duration(numbers, "exposed_per_step_ns")
    return f"The GPU is idle {exposed} {scope.each} for it, {share(float(numbers['share']))} of {scope.name}."


def _small_kernels(numbers: Numbers, scope: Scope) -> str:
    length = _duration(numbers, "median_kernel_ns")
    kernels = f"{_number(numbers, 'kernels_per_step')} kernels of {length} {scope.each}"
    ops = f"launched by {_number(numbers, 'ops_per_step')} ops"
    return f"{numbers['place'] or 'Outside every labelled range and function'}: {kernels}, {ops}."


def _host_bound(numbers: Numbers, scope: Scope) -> str:
    place = numbers["place"] or "code that was not recorded"
    return f"{_duration(numbers, 'idle_per_step_ns')} {scope.each} in {place}."


def _empty_cache(numbers: Numbers, _: Scope) -> str:
    frees = count(int(numbers["frees"]), "block was freed", "blocks were freed")
    again = f"{int(numbers['allocations']):,} allocated again"
    return f"{frees} and {again}, {_duration(numbers, 'call_ns')} in the calls."


def _cold(numbers: Numbers, _: Scope) -> str:
    said = []
    if int(numbers["cold_steps"]):
        first, usual = _duration(numbers, "first_step_ns"), _duration(numbers, "median_step_ns")
        said.append(f"The first step took {first}, the others {usual}.")
    if "longest_call" in numbers:
        spent, longest = _duration(numbers, "loading_ns"), _duration(numbers, "longest_ns")
        op = f" in {numbers['longest_op']}" if numbers["longest_op"] else ""
        call = f"{numbers['longest_call']}{op}"
        if int(numbers["loading_calls"]) == 1:
            said.append(f"A first call, {call}, took {spent}.")
        else:
            calls = f"{int(numbers['loading_calls']):,} first calls"
            said.append(f"{calls} took {spent}; the longest, {call}, took {longest}.")
    return " ".join(said)


def _lag(numbers: Numbers, _: Scope) -> str:
    worst = _duration(numbers, "worst_lag_ns")
    return f"At worst the GPU ends {worst} after the step, {share(float(numbers['worst_share']))} of it."


def _repeated_upload(numbers: Numbers, _: Scope) -> str:
    each = size(int(numbers["copy_bytes"]))
    if int(numbers["proven"]):
        return f"The hook compared them: the same {each} in one step after another."
    return f"{each} each time; whether they are the same bytes was not compared."


def _constructions(numbers: Numbers, scope: Scope) -> str:
    objects = float(numbers["objects_per_step"])
    return f"{numbers['place']}: {mean(objects)} {'object' if objects == 1 else 'objects'} {scope.each}."


def _small_copies(numbers: Numbers, scope: Scope) -> str:
    copies = _number(numbers, "copies_per_step")
    return f"{copies} copies {scope.each}, of {size(int(numbers['median_bytes']))} each."


def _round_trips(numbers: Numbers, _: Scope) -> str:
    return f"{count(int(numbers['trips']), 'round trip')}, {size(int(numbers['bytes']))} in all."


def _exposed_copy(numbers: Numbers, _: Scope) -> str:
    exposed, device = _duration(numbers, "exposed_ns"), _duration(numbers, "device_ns")
    return f"{exposed} of the {device} that it takes are hidden by nothing."


def _slow_copy(numbers: Numbers, _: Scope) -> str:
    here, best = _number(numbers, "gb_per_s"), _number(numbers, "best_gb_per_s")
    return f"{here} GB/s, where {best} GB/s were seen in the same window."


def _unexplained(numbers: Numbers, scope: Scope) -> str:
    waits, queued = share(float(numbers["wait_share"])), share(float(numbers["queued_share"]))
    return f"{waits} of {scope.name} in such waits, {queued} idle with work queued."


def _pageable(numbers: Numbers, _: Scope) -> str:
    sizes = f"{size(int(numbers['bytes']))} in the window, {_duration(numbers, 'call_ns')} in the calls."
    if numbers.get("is_staged_without_wait", 0):
        sizes += (
            " Nothing is waited for there, but the host copies pageable memory itself and launches nothing"
            " meanwhile; what pinning it would save is not estimated."
        )
    return sizes if numbers.get("is_batch", 1) else f"{sizes} It is no batch: keep it on the device."


_NOTES: dict[str, Callable[[Numbers, Scope], str]] = {
    "SYN03": _dynamic_shape,
    "SYN05": _per_loop,
    "SYN09": _stall,
    "SYN10": _cluster,
    "SYN11": _blocking_launches,
    "SYN13": _unexplained,
    "CPY01": _pageable,
    "DAT01": _loader,
    "DAT02": _loader,
    "LCH01": _small_kernels,
    "LCH02": _host_bound,
    "MEM02": _empty_cache,
    "TRC01": _cold,
    "TRC04": _lag,
    "CPY03": _repeated_upload,
    "CPY06": _constructions,
    "CPY07": _small_copies,
    "CPY08": _round_trips,
    "CPY09": _exposed_copy,
    "CPY13": _slow_copy,
}

_HINTS = {
    "transformers_nan_filter": (
        "The Trainer asks this of every loss: logging_nan_inf_filter=False turns it off."
    ),
    "transformers_logging_steps": "The Trainer reads this when it logs: raise logging_steps.",
    "transformers_attention_mask": (
        "transformers asks whether the mask is all ones: give no attention_mask where nothing is padded."
    ),
    "lightning_log": "self.log brings its value to the host: log every n steps, and without prog_bar.",
    "torchmetrics_validate_args": "The metric looks at every batch: validate_args=False turns that off.",
}
