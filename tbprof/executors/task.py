"""What a worker does with one file, whatever engine it belongs to."""

from __future__ import annotations

import functools
from pathlib import Path

from tbprof.errors import TbprofError
from tbprof.executors.executor import Answer, Failure, Task
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report
from tbprof.store.lookup.reports import report_of_file
from tbprof.version import __version__


def reading_task(*, use_cache: bool) -> Task:
    """`stored_report`, as an engine is given it."""
    return functools.partial(stored_report, use_cache=use_cache)


def stored_report(path: str, *, use_cache: bool) -> Answer:
    """The report of a trace, or of a stored report.

    Args:
        path: The file, as this machine names it.
        use_cache: Whether the cache of reports of the user who runs this process is read and written.
    """
    try:
        report = report_of_file(Path(path), use_cache=use_cache)
        return encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)
    except TbprofError as error:
        return Failure(str(error))
    except MemoryError:
        return Failure(f"{path} does not fit into the memory of the machine that read it")
    except Exception as error:  # noqa: BLE001 - one bad trace must not cost the others, nor an engine try it again
        return Failure(f"{path} can't be read; this is a fault of tbprof's ({type(error).__name__}: {error})")
