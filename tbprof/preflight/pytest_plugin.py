"""The pytest plugin: a fixture that watches a test, and a marker that holds it to a budget.

    @pytest.mark.tbprof(max_syncs_per_step=1)
    def test_training_step(tbprof_preflight):
        train()

On a machine with a GPU the test runs as it does without one; with `tbprof_with_gpu = skip` in the
ini file it is skipped there. Loading the plugin brings pytest alone; torch comes with the first test
that asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tbprof.preflight.session import Preflight

_WITH_GPU = "tbprof_with_gpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    """What the fixture does on a machine with a GPU."""
    parser.addini(_WITH_GPU, "tests with tbprof_preflight where there is a GPU: run or skip", default="run")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, so that `--strict-markers` lets it pass."""
    config.addinivalue_line(
        "markers", "tbprof(max_syncs_per_step=N): with tbprof_preflight, fail beyond N predicted sync points"
    )


@pytest.fixture
def tbprof_preflight(request: pytest.FixtureRequest) -> Iterator[Preflight]:
    """The whole test runs as if there were a GPU; what it would wait for is held to the marker's budget.

    Without optimizer steps the test is one step; with several, the first is no part of the budget.
    """
    from tbprof.preflight.session import Preflight

    _skip_on_a_gpu(request.config.getini(_WITH_GPU))
    preflight = Preflight(steps=None, program=request.node.name, force=True)
    with preflight:
        yield preflight
    marker = request.node.get_closest_marker("tbprof")
    if marker is not None and "max_syncs_per_step" in marker.kwargs:
        preflight.assert_max_syncs(marker.kwargs["max_syncs_per_step"])


def _skip_on_a_gpu(choice: str) -> None:
    """Where the ini file asks for it.

    Raises:
        pytest.UsageError: it asks for something else.
    """
    if choice not in ("run", "skip"):
        raise pytest.UsageError(f"{_WITH_GPU} = {choice} means nothing: give run or skip")
    if choice == "skip":
        import torch

        if torch.cuda.is_available():
            pytest.skip(f"this machine has a GPU, and {_WITH_GPU} = skip")
