"""What one reader makes of files: `safe_open.py READER`, the path of a file on each line of its input.

For each it writes a line: a JSON object with how often each name of an event came out, null if it
did not open, with the processor's time that it took and the process's peak of memory so far.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

Names = Counter[str]
MAX_BYTES = 4 * 1024**3
"""Of memory. Some readers would take all that the machine has."""


def tbprof(path: str) -> Names:
    from tbprof.trace.importers.kineto.reader import read_trace

    trace = read_trace(path)
    return Counter(trace.names[name] for name in trace.slices.name.tolist())


def torch_tb_profiler(path: str) -> Names:
    """The standard plugin's parse; what it does before it shows anything."""
    from torch_tb_profiler.profiler.data import RunProfileData

    data = RunProfileData.parse("worker", None, path, str(Path(path).parent))
    return Counter(event.name for event in data.events if hasattr(event, "duration"))


def traceinsight(path: str) -> Names:
    """HolisticTraceAnalysis, now traceinsight, with the parser that keeps all rows."""
    from hta.common.trace_parser import parse_trace_dataframe
    from hta.configs.parser_config import ParserConfig

    _, rows, symbols = parse_trace_dataframe(path, ParserConfig())
    return Counter(symbols.sym_table[name] for name in rows["name"].tolist())


READERS: dict[str, Callable[[str], Names]] = {
    reader.__name__: reader for reader in (tbprof, torch_tb_profiler, traceinsight)
}


def opened(read: Callable[[str], Names], path: str) -> Names | None:
    try:
        names = read(path)
    except Exception:  # noqa: BLE001 - whatever it raises, it did not open the file
        return None
    return names or None


def main(read: Callable[[str], Names]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    # What a reader prints goes elsewhere: the lines of the answer are the only ones.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    logging.disable(logging.CRITICAL)
    # Imports are no part of what a file costs.
    with contextlib.suppress(Exception):
        read(os.devnull)
    for line in sys.stdin:
        started_s = time.process_time()
        names = opened(read, line.rstrip("\n"))
        cpu_s = time.process_time() - started_s
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        answers.write(json.dumps({"names": names, "cpu_s": cpu_s, "peak_mb": peak_mb}) + "\n")
        answers.flush()


if __name__ == "__main__":
    if sys.argv[1] == "tbprof":
        sys.path.insert(0, str(Path(__file__).parents[2]))
    main(READERS[sys.argv[1]])
