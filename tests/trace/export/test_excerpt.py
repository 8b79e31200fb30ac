"""A part of a trace, for another viewer."""

from __future__ import annotations

import json

import numpy as np
from trace_builder import TraceBuilder

from tbprof.trace.export.excerpt import Note, excerpt


def test_rows_arrows_and_notes_are_in_one_file() -> None:
    built = TraceBuilder()
    built.launch(100, 110, runs=(120, 150), name="k<1>")
    trace = built.trace()
    zero = int(trace.slices.start_ns.min()) - 1000
    call, kernel = 0, 1
    notes = [Note("ours", "dry", zero + 2000, zero + 5500)]
    events = json.loads(excerpt(trace, np.array([call, kernel]), [(call, kernel)], notes, zero_ns=zero))[
        "traceEvents"
    ]
    rows = {event["name"]: (event["ts"], event["dur"]) for event in events if event["ph"] == "X"}
    assert rows == {"dry": (2.0, 3.5), "cudaLaunchKernel": (1.0, 10.0), "k<1>": (21.0, 30.0)}
    arrows = [(event["ph"], event["ts"], event["pid"]) for event in events if event["ph"] in "sf"]
    places = {event["name"]: event["pid"] for event in events if event["ph"] == "X"}
    assert arrows == [("s", 1.0, places["cudaLaunchKernel"]), ("f", 21.0, places["k<1>"])]
    named = {event["args"]["name"] for event in events if event["name"] in ("process_name", "thread_name")}
    assert {"tbprof", "ours", "GPU 0", "host 100"} <= named


def test_without_notes_there_is_no_track_of_ours() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 1)
    assert b"tbprof" not in excerpt(built.trace(), np.array([0]), [], [], zero_ns=0)
