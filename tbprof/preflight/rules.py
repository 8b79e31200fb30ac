"""Which rule a site breaks, and in one sentence how it is mended; the codes are those of traces."""

from __future__ import annotations

from tbprof.preflight.copies import STAGED_BYTES
from tbprof.preflight.prediction import PredictedSite

__all__ = ["FIXES", "rule_of"]

LOOP_READS = 3
"""As in rule SYN05: reads in one step that make a loop."""

_FROM_VALUES = frozenset({"tensor", "as_tensor", "asarray", "new_tensor", "__getitem__", "__setitem__"})

FIXES: dict[str, str] = {
    "SYN01": "Add up on the device and read rarely, or read the value one step late.",
    "SYN02": "Choose on the device with torch.where, or check with torch._assert_async.",
    "SYN03": "Keep the shape and blend with the mask, or pass the size where the host knows it.",
    "SYN04": "Reduce on the device and copy the result rarely, into a pinned buffer without blocking.",
    "SYN05": "Stack the numbers and read them at once, or add them up on the device.",
    "SYN06": "Take it out; measure time with events and read them some steps later.",
    "SYN08": "Use a fused optimizer, which looks for overflows on the device, or bfloat16 without a scaler.",
    "SYN12": "Check gradients on the device; turn error_if_nonfinite and anomaly detection off.",
    "CPY01": "Let the loader pin its batches (pin_memory=True), and copy with non_blocking=True.",
    "CPY02": "The memory is pinned: copy with non_blocking=True.",
    "CPY03": "The same bytes go up in each step: make it once, and keep it on the device as a buffer.",
    "CPY04": "Make it on the device: name device= where the tensor is made.",
    "CPY05": "Make the tensor once, outside the step; take slices for ranges, torch.full for one number.",
    "CPY10": "Wait for an event, or synchronise, before the host reads what a copy still fills.",
    "MEM02": "Leave it out; where memory is short, set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
    "DEV01": "Move both tensors to one device before this line: on a GPU it raises an error.",
}

_BY_KIND = {
    "control_flow": "SYN02",
    "dynamic_shape": "SYN03",
    "host_read": "SYN04",
    "synchronise": "SYN06",
    "race": "CPY10",
    "device_mismatch": "DEV01",
}


def rule_of(site: PredictedSite) -> str:
    """The code of the rule that a site breaks."""
    if site.kind == "upload":
        return _rule_of_upload(site)
    if site.call == "empty_cache":
        return "MEM02"
    if site.kind == "scalar_read":
        via = "" if site.via is None else site.via.file
        if via.endswith("grad_scaler.py"):
            return "SYN08"
        if via.endswith("clip_grad.py"):
            return "SYN12"
    if site.kind in ("scalar_read", "control_flow") and max(site.per_step, default=0) >= LOOP_READS:
        return "SYN05"
    return _BY_KIND.get(site.kind, "SYN01")


def _rule_of_upload(site: PredictedSite) -> str:
    if site.call in _FROM_VALUES and site.bytes // site.count < STAGED_BYTES:
        return "CPY05"
    if site.is_constant:
        return "CPY03"
    if site.made_by is not None:
        return "CPY04"
    return "CPY02" if site.memory == "pinned" else "CPY01"
