"""What every test may ask for."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator

import hypothesis
import pytest
from trained_demo import TrainedDemo, train_demo

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def trained_demo(tmp_path_factory: pytest.TempPathFactory) -> TrainedDemo:
    """The demo, trained once for all tests that look at it."""
    return train_demo(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def traces() -> pathlib.Path:
    """The folder of public GPU traces; tests that need it skip where it is not given."""
    folder = os.environ.get("TBPROF_TRACES")
    if folder is None:
        if os.environ.get("TBPROF_REQUIRE_TRACES") == "1":
            pytest.fail("TBPROF_REQUIRE_TRACES is set and TBPROF_TRACES is not")
        pytest.skip("TBPROF_TRACES does not name a folder of public traces")
    return pathlib.Path(folder)


@pytest.fixture(autouse=True, scope="session")
def no_proxy() -> Iterator[None]:
    """Servers of tests are on this machine, whatever the network needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "localhost,127.0.0.1")
        yield


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the cache of the person who runs it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
