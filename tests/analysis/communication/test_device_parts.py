"""What a device did at each moment: computing, communication, copying, nothing."""

from __future__ import annotations

from trace_builder import TraceBuilder


def mixed() -> TraceBuilder:
    """100 us: computing for 40, 10 of them beside communication of 30, then 15 of copying beside nothing."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(10, 50))
    built.launch(2, 3, runs=(40, 70), name="ncclDevKernel_AllGather", stream=20)
    built.copy("HtoD", "pinned", 4, 5, runs=(45, 85), stream=30)
    return built


def test_the_parts_and_the_idle_add_up_to_the_step() -> None:
    (step,) = mixed().report().steps
    assert (step.computing_ns, step.communication_exposed_ns, step.copying_ns) == (40_000, 20_000, 15_000)
    assert step.device_idle_ns == 25_000


def test_communication_beside_computing_is_told_apart() -> None:
    communication = mixed().report().communication
    assert communication is not None
    assert (communication.exposed_ns, communication.overlapped_ns) == (20_000, 10_000)


def test_a_copy_between_devices_is_communication_and_no_copying() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.copy("PtoP", "", 0, 1, runs=(10, 50))
    built.copy("HtoD", "pinned", 2, 3, runs=(40, 60), stream=30)
    (step,) = built.report().steps
    assert (step.communication_exposed_ns, step.copying_ns, step.device_idle_ns) == (40_000, 10_000, 50_000)


def test_memory_that_is_set_counts_as_computing() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.memset(0, 1, runs=(10, 50))
    built.launch(2, 3, runs=(40, 70), name="ncclDevKernel_AllGather", stream=20)
    (step,) = built.report().steps
    assert (step.computing_ns, step.communication_exposed_ns) == (40_000, 20_000)
