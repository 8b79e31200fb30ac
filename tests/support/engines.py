"""Every executor with two workers, started for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tbprof.executors.analyzing import Executor, InProcess
from tbprof.executors.dask_executor import DaskExecutor
from tbprof.executors.local_processes import LocalProcesses
from tbprof.executors.ray_executor import RayExecutor

Started = Callable[[], Any]


@contextmanager
def in_process() -> Iterator[Executor]:
    yield InProcess()


@contextmanager
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@contextmanager
def processes(count: int = 2) -> Iterator[Executor]:
    yield LocalProcesses(count)


@contextmanager
def four_processes() -> Iterator[Executor]:
    yield LocalProcesses(4)


@contextmanager
def dask_cluster() -> Iterator[Executor]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield DaskExecutor(cluster.scheduler_address)


@contextmanager
def ray_cluster() -> Iterator[Executor]:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        yield RayExecutor()
    finally:
        ray.shutdown()


ENGINES = [
    pytest.param(processes, id="processes"),
    pytest.param(four_processes, id="four processes", marks=pytest.mark.exhaustive),
    pytest.param(dask_cluster, id="dask", marks=pytest.mark.exhaustive),
    pytest.param(ray_cluster, id="ray", marks=pytest.mark.exhaustive),
]
"""In processes, so that a worker can die."""
