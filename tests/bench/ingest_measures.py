"""What the benchmark of reading measures, each in a process of its own: `ingest_measures.py WHAT PATH`.

Prints one JSON object of figures about the work itself.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

Figures = dict[str, float]

STEPS = 45
"""Of the training that is recorded: some 200 MB of JSON, and traces of users are larger still."""


def floor(path: str) -> Figures:
    """Unpack, and let the same decoder check the JSON of the same chunks and keep nothing of it."""
    import msgspec

    from tbprof.trace.importers.kineto.events.batch import ARRAY_END
    from tbprof.trace.importers.kineto.events.chunks import EventStream
    from tbprof.trace.importers.kineto.reader import CHUNK_BYTES
    from tbprof.trace.importers.source import open_source

    decoder = msgspec.json.Decoder(list[msgspec.Raw])
    events = 0
    with open_source(path) as source:
        stream = EventStream(source, CHUNK_BYTES)
        while (chunk := stream.next_chunk()) is not None:
            if chunk.bounded:
                events += len(decoder.decode(chunk.array))
                stream.consume(chunk, len(chunk.array) - 1, ended=False)
                continue
            # The array closes at the first place that leaves valid JSON.
            for end in ARRAY_END.finditer(chunk.events):
                with contextlib.suppress(msgspec.DecodeError):
                    events += len(decoder.decode(b"[%b]" % chunk.events[: end.start(1)]))
                    break
            stream.consume(chunk, len(chunk.events), ended=True)
        return {"events": events, "json_mb": source.unpacked_bytes / 1e6}


def ingest(path: str) -> Figures:
    """Every column."""
    from tbprof.trace.importers.kineto.reader import read_trace

    imports_mb = _peak_mb()
    return {**_of(read_trace(path)), "imports_mb": imports_mb}


def ingest_without_isal(path: str) -> Figures:
    """The same where isal has no wheel."""
    sys.modules["isal"] = None  # type: ignore[assignment]
    return ingest(path)


def table(path: str) -> Figures:
    """Every column, and then every sync point and copy with its op, source and site."""
    from tbprof.trace.importers.kineto.reader import read_trace

    imported_s = time.process_time()
    return {**_table(read_trace(path)), "work_s": time.process_time() - imported_s}


def table_together(path: str) -> Figures:
    """The same with the processes that the command line and the tab start for a large file."""
    from tbprof.trace.importers.kineto.parallel_reader import other_processes, read_trace_in_parallel

    figures = _table(read_trace_in_parallel(path))
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        **figures,
        "others": other_processes(path),
        "others_cpu_s": others.ru_utime + others.ru_stime,
        "others_mb": _megabytes(others.ru_maxrss),
    }


def _table(trace: Any) -> Figures:
    from tbprof.analysis.facts import Facts

    read_s = time.process_time()
    facts = Facts(trace)
    points = len(facts.episodes.first)
    sites = len(facts.sites)
    correlated_s = time.process_time() - read_s
    return {**_of(trace), "points": points, "sites": sites, "correlated_s": correlated_s}


def cached(path: str) -> Figures:
    """From the cache, or into it."""
    from tbprof.trace import column_cache

    column_cache.WORTH_KEEPING_BYTES = 0
    started_s = time.process_time()
    trace = column_cache.read_trace_cached(path)
    return {**_of(trace), "without_imports_s": time.process_time() - started_s}


def torch_tb_profiler(path: str) -> Figures:
    """What the standard plugin does before it shows anything."""
    from torch_tb_profiler.profiler.data import RunProfileData

    imported_s = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        data = RunProfileData.parse("worker", None, path, folder)
    return {"events": len(data.events), "work_s": time.process_time() - imported_s}


def traceinsight(path: str) -> Figures:
    """HolisticTraceAnalysis, now traceinsight, with its default parser, the one that keeps all rows."""
    from hta.common.trace_parser import parse_trace_dataframe
    from hta.configs.parser_config import ParserConfig

    imported_s = time.process_time()
    _, rows, _ = parse_trace_dataframe(path, ParserConfig())
    return {"rows": len(rows), "work_s": time.process_time() - imported_s}


def record(path: str) -> Figures:
    """Not a measure: train a small transformer on the CPU, and write a trace with all that it can hold."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(4, 16, 64)
    every = {"record_shapes": True, "profile_memory": True, "with_stack": True, "with_modules": True}
    with torch.profiler.profile(**every) as profiler:
        for _ in range(STEPS):
            model(batch).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    profiler.export_chrome_trace(path)
    return {}


def _of(trace: Any) -> Figures:
    tables = [getattr(trace, field.name) for field in fields(trace)]
    # Some columns share the array of their rows.
    arrays = {
        id(array): array
        for table in tables
        if is_dataclass(table)
        for column in fields(table)
        if hasattr(array := getattr(table, column.name), "nbytes")
    }
    return {"rows": len(trace.slices), "columns_mb": sum(array.nbytes for array in arrays.values()) / 1e6}


def _peak_mb() -> float:
    return _megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _megabytes(ru_maxrss: int) -> float:
    return ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)


MEASURES: dict[str, Callable[[str], Figures]] = {
    measure.__name__: measure
    for measure in (
        floor,
        ingest,
        ingest_without_isal,
        table,
        table_together,
        cached,
        torch_tb_profiler,
        traceinsight,
        record,
    )
}

if __name__ == "__main__":
    if sys.argv[1] != "traceinsight":
        sys.path.insert(0, str(Path(__file__).parents[2]))
    sys.stdout.write(json.dumps(MEASURES[sys.argv[1]](sys.argv[2])))
