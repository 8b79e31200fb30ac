"""What every test may ask for."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import pathlib
import signal
import sys
from collections.abc import Iterator

import hypothesis
import pytest
from public_report import PublicReport
from script_runner import ScriptRunner, script_runner
from trained_demo import TrainedDemo, train_demo

_OF_WHO_RUNS_THEM = (
    "COLUMNS",
    "CUDA_LAUNCH_BLOCKING",
    "LOCAL_RANK",
    # Without it, each of the hundreds of processes that are started compiles what it imports.
    "PYTHONDONTWRITEBYTECODE",
    "RANK",
    "TBPROF_DEBUG",
    "TBPROF_MAX_TRACE_BYTES",
    "TBPROF_SPOOL",
    "WORLD_SIZE",
)
"""Variables that would change what is tested, or how long it takes."""

_TESTS = pathlib.Path(__file__).parent

_SLOW = tuple(
    _TESTS / name
    for name in (
        "cli/commands/test_check_program.py",
        "cli/commands/test_doctor.py",
        "cli/input/test_window_reading.py",
        "cli/processes",
        "cli/test_main.py",
        "cli/test_printed_forms.py",
        "demo",
        "e2e",
        "examples",
        "executors",
        "frameworks",
        "hook/faults",
        "hook/memory",
        "hook/programs",
        "hook/safety",
        "hook/session/test_run_warnings.py",
        "hook/spool",
        "hook/trackers/test_real_trackers.py",
        "hook/unchanged",
        "integrations",
        "mcp/test_scripted_clients.py",
        "mcp/test_server.py",
        "plugin/test_object_store.py",
        "plugin/worker",
        "preflight/fix/test_command.py",
        "preflight/program",
        "preflight/proof",
        "preflight/test_bisect.py",
        "preflight/test_programs.py",
        "preflight/test_pytest_plugin.py",
        "process/test_messages.py",
        "real_pairs",
        "recorded",
        "remote",
        "served",
        "simulated",
        "test_release.py",
        "test_site.py",
        "trace/importers/kineto/parallel",
    )
)
"""What needs a browser, a server, a framework or whole programs, injects faults, or starts processes.

Single tests elsewhere have the mark.
"""

_SLOW_FIXTURES = frozenset(("open_tab", "traces"))
"""A plugin with its processes, and public traces."""

_FAST_TIER, _SLOW_TIER = "not slow and not exhaustive", "slow"

_MOST_PROCESSES = 4
"""Each may hold a torch, a TensorBoard and a Chromium."""

_IN_SECOND_BROWSER = frozenset(("test_timeline.py", "test_source.py", "test_series.py", "test_compare.py"))
"""About half of what is seen in a browser, so that no process is left with all of it."""

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_configure() -> None:
    """Make all machines alike, for the tests and for the processes that they start."""
    if missing := [path for path in _SLOW if not path.exists()]:
        raise pytest.UsageError(f"tests/conftest.py calls slow what is not there: {missing}")
    for name in _OF_WHO_RUNS_THEM:
        os.environ.pop(name, None)
    sys.dont_write_bytecode = False
    # What a GPU does is tested with a stand-in for it, or where one was lent for that.
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["HIP_VISIBLE_DEVICES"] = ""
    # Several tests run at a time, and a thread of OpenMP that waits for the others keeps its processor busy.
    os.environ["OMP_NUM_THREADS"] = "1"
    # A shell that starts pytest in the background hands on that Ctrl-C is ignored.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """The fast tier does not import the slow one, unless that is what was named."""
    return True if config.option.markexpr == _FAST_TIER and collection_path in _SLOW else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Several processes for a whole tier; a part of it, or what measures times, has one for itself."""
    tiers = (_FAST_TIER, _SLOW_TIER, "not exhaustive")
    is_whole = config.args == config.getini("testpaths") and config.option.markexpr in tiers
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Many slow tests wait for a process that they have started.
    more = 0 if config.option.markexpr == _FAST_TIER else 1
    return min(cores + more, _MOST_PROCESSES) if is_whole and cores > 1 else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each test gets its tier and its process.

    What a file sets up, or all that looks at one TensorBoard or report, belongs to one process.
    """
    if config.option.markexpr == _SLOW_TIER:
        # A file that calls all of its tests slow may have exhaustive ones.
        exhaustive = [item for item in items if item.get_closest_marker("exhaustive") is not None]
        config.hook.pytest_deselected(items=exhaustive)
        items[:] = [item for item in items if item not in set(exhaustive)]
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        # The tiers share no test: `-m slow` has none of those that take hours.
        if item.get_closest_marker("exhaustive") is None and (
            _is_slow(item.path) or not _SLOW_FIXTURES.isdisjoint(fixtures)
        ):
            item.add_marker(pytest.mark.slow)
        if "e2e" in item.path.parts or "trained_demo" in fixtures:
            group = "second browser" if item.path.name in _IN_SECOND_BROWSER else "browser"
        elif "public_report" in fixtures:
            group = "public reports"
        else:
            group = _name(item.path)
        item.add_marker(pytest.mark.xdist_group(group))


@functools.cache
def _is_slow(path: pathlib.Path) -> bool:
    return any(path.is_relative_to(slow) for slow in _SLOW)


@functools.cache
def _name(path: pathlib.Path) -> str:
    return str(path.relative_to(_TESTS))


def pytest_collection_finish() -> None:
    """Let no later collection of garbage look at torch, pytest and thousands of tests again."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session")
def public_report() -> PublicReport:
    """The report of a public trace, by its path: built once for all tests that look at it."""
    from tbprof.report import build_report

    return functools.cache(build_report)


@pytest.fixture(scope="session")
def processes() -> Iterator[ScriptRunner]:
    """Processes that need not import torch first."""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    with script_runner() as started:
        yield started


@pytest.fixture(autouse=True, scope="session")
def no_proxy() -> Iterator[None]:
    """Servers of tests are on this machine, whatever the network needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "localhost,127.0.0.1")
        yield


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """Folders of caches, not made yet: to make one for each test takes longer than many tests do."""
    folder = tmp_path_factory.mktemp("caches")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_cache(caches: Iterator[pathlib.Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the cache of the person who runs it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(next(caches)))
