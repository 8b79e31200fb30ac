"""What is played run by run comes out as it does row by row, to the ns."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from row_by_row import played_row_by_row
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.replay import launched_rows, writing
from tbprof.analysis.replay.launched_rows import LaunchedRows
from tbprof.analysis.replay.replay import Replay, play
from tbprof.trace.importers.kineto.reader import read_trace


def assert_played_alike(replay: Replay, chance: random.Random) -> None:
    """Without no wait, any or all of them, and with longer and shorter rows."""
    script = replay._script
    rows = LaunchedRows.of(
        replay.order, replay.schedule, replay.waits, replay._start_ns, replay._end_ns
    )  # fmt: skip
    episodes = replay.waits.episode.tolist()
    shares = (0.0, 0.1, 0.5, 0.9, 1.0)
    for removed in [frozenset(one for one in episodes if chance.random() < share) for share in shares]:
        assert play(script, removed) == played_row_by_row(replay, rows, script.length_ns, removed)
    for factor in (0.2, 6):
        length_ns = (script.length_ns * factor).astype(np.int64)
        by_row = played_row_by_row(replay, rows, length_ns, frozenset())
        assert play(script.stretched(length_ns), frozenset()) == by_row


def any_window(chance: random.Random) -> TraceBuilder:
    """Kernels, copies, waits and frees on two streams of two devices; a thread beside launches some."""
    built = TraceBuilder()
    free: dict[tuple[int, int], float] = {}
    built.step(1, 0, 3000)
    built.step(2, 3000, 6000)
    host, launched = 0.0, 0
    while host < 5900 and launched < 120:
        device, stream = chance.choice((0, 0, 1)), chance.choice((7, 7, 7, 20))
        ready = free.get((device, stream), 0.0)
        kind = chance.random()
        if kind < 0.1:
            end = max(host + 3, ready + chance.choice((0, 3)))
            name = chance.choice(("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"))
            built.synchronize(name, host, end, awaited=stream, device=device)
            host = end
        elif kind < 0.15:
            end = max(host + 10, ready)
            built.copy("HtoD", "pageable", host, end, runs=(end - 4, end - 1), size_bytes=1_000_000,
                       stream=stream, device=device)  # fmt: skip
            free[device, stream] = host = end
        elif kind < 0.2:
            record = built.record_event(host, host + 1)
            other = 27 - stream
            built.stream_wait(host + 2, host + 3, stream=other, awaited=stream, record=record)
            free[device, other] = max(free.get((device, other), 0.0), ready)
            host += 4
        elif kind < 0.23:
            end = max(host + 3, *free.values(), ready) + 2 if chance.random() < 0.8 else host + 3
            built.call("cudaFree", host, end)
            host = end
        else:
            start = max(host + chance.choice((8, 10, 60)), ready + chance.choice((0, 1)))
            end = start + chance.choice((2, 20, 200))
            thread = SIDE if chance.random() < 0.05 else MAIN
            built.launch(host, host + 5, runs=(start, end), stream=stream, device=device, thread=thread)
            free[device, stream] = end
            host, launched = host + 5, launched + 1
        host += chance.choice((0, 1, 30))
    return built


@pytest.mark.parametrize("seed", range(40))
def test_any_window(seed: int) -> None:
    chance = random.Random(seed)
    assert_played_alike(any_window(chance).facts().replay, chance)


@pytest.mark.parametrize("seed", range(40))
def test_any_window_whose_queue_is_soon_full(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launched_rows, "QUEUE_LIMIT", 5)
    monkeypatch.setattr(writing, "_SPAN_ROWS", 3)
    chance = random.Random(1000 + seed)
    assert_played_alike(any_window(chance).facts().replay, chance)


def test_what_is_launched_between_two_steps_does_not_lengthen_the_window() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 15, runs=(20, 500), stream=20)
    built.launch(1100, 1105, runs=(1110, 9000), stream=20)
    built.step(2, 1200, 2000)
    built.launch(1300, 1305, runs=(1310, 1400))
    replay = built.facts().replay
    assert replay.unchanged_ns == 2_000_000
    assert_played_alike(replay, random.Random(3))


def test_rows_whose_launches_are_not_known_end_as_recorded() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.kernel(100, 1500, correlation=1)
    replay = built.facts().replay
    assert replay.unchanged_ns == replay.recorded_ns
    assert_played_alike(replay, random.Random(4))


@pytest.mark.parametrize(
    "name",
    [
        "hta_df_index_memory/df_index_resolver.json.gz",
        "hta_trace_diff/test.json.gz",
        "sam_amg_a100/amg_HEAD.json.gz",
    ],
)
def test_a_real_window(traces: Path, name: str) -> None:
    facts = Facts(read_trace(traces / name, tables=FACTS_TABLES))
    assert_played_alike(facts.replay, random.Random(7))
