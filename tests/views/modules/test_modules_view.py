"""The records of the page of modules."""

from __future__ import annotations

import pytest
from module_scenes import training
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.views.modules_view import modules_view


def test_times_are_those_of_a_step() -> None:
    view = modules_view(facts_of(training(steps=2)))
    nodes = {node.name: node for node in view.nodes}
    assert (view.steps, view.missing) == (2, "")
    assert view.headline.startswith("A step's GPU work takes")
    assert view.headline.endswith(" in `Block_0-3`.")
    layers = nodes["Block_0-3"]
    assert (layers.device_us, layers.device_forward_us, layers.launches, layers.calls) == (184, 60, 12, 4)
    assert layers.equal is not None
    assert (layers.equal.count, layers.equal.median_us, layers.equal.odd, layers.equal.odd_us) == (
        4,
        31,
        "Block_2",
        91,
    )
    assert [kernel.name for kernel in nodes["Linear"].kernels] == ["AddmmBackward0", "gemm", "add"]
    assert sum(node.device_own_us or 0 for node in view.nodes) == pytest.approx(view.nodes[0].device_us)


def test_without_a_device_and_modules_there_is_what_was_recorded() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.annotation("Optimizer.step#SGD.step", 20, 50)
    view = modules_view(facts_of(built))
    assert view.missing.startswith("No modules were recorded")
    assert [(node.name, node.host_us, node.device_us) for node in view.nodes] == [
        ("", 100, None),
        ("SGD.step", 30, None),
        ("outside modules", 70, None),
    ]
    assert view.headline.endswith(": 70\u202f% outside modules and 30\u202f% in `SGD.step`.")
