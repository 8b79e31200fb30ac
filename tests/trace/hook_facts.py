"""The facts that a hook writes into a trace, as tests expect to read them."""

from __future__ import annotations

from tbprof.model import HookFacts

FACTS = HookFacts(
    schema=1,
    tbprof_version="0.1.0",
    torch_version="2.13.0",
    cuda_version="12.9",
    driver_version=None,
    device_names=("NVIDIA H100 80GB HBM3",),
    worker="gpu-7_851_rank3",
    rank=3,
    world_size=8,
    window=0,
    first_step=13,
    recorded_steps=5,
    options={"with_stack": False, "record_shapes": False},
    unprofiled_step_ns=91_000_000,
    profiled_step_ns=104_000_000,
)
