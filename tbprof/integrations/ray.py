"""Ray Train: the hook in the loop of a worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ray.train

from tbprof.errors import UsageError
from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook


def worker_hook(logdir: AnyPath = "tbprof", **options: Any) -> TrainerHook:
    """A hook for `train_loop_per_worker`; the rank of the worker is in the names of its windows.

        with worker_hook() as hook:
            for batch in loader:
                train_step(batch)
                hook.step()

    A worker is ended without Python's exit: only the `with` publishes a window that is in progress.

    Args:
        logdir: beneath the storage of the run where it is relative, as a worker runs in a folder of its own.
        options: those of `TrainerHook`.

    Raises:
        UsageError: the run's storage is no folder of this machine, or an option can't be used.
    """
    folder = Path(logdir)
    if not folder.is_absolute():
        storage = ray.train.get_context().get_storage()
        if storage.storage_filesystem.type_name != "local":
            raise UsageError(
                f"the run is stored in {storage.storage_fs_path!r}, which is no folder of this machine:"
                " give worker_hook the absolute path of one."
            )
        folder = Path(storage.experiment_fs_path, folder)
    return TrainerHook(folder, **options)
