"""What a window records beyond operators and the device's work."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RecordOptions"]


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """torch.profiler's own switches; each makes the recorded steps slower."""

    with_stack: bool = False
    """Python's call stacks: the lines of sync points."""
    record_shapes: bool = False
    """The shapes of operators' inputs."""
    profile_memory: bool = False
    """Every allocation."""
    with_flops: bool = False
    """Estimated floating-point operations of matrix products and convolutions."""
    with_modules: bool = False
    """The `nn.Module` around each operator; only TorchScript modules are recorded by torch itself."""
