"""The runs that all tests look at, in one log directory: recorded, known and damaged ones."""

from __future__ import annotations

import pathlib
import shutil

from communication_scenes import exchanging
from job_scenes import write_job
from source_scene import known_training
from trace_builder import TraceBuilder

from tbprof.store.codec import encode_report

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"

HARD_NAMES = ["<img src=x onerror=alert(1)>", "\u6a21\u578b" * 150, "\u05d0\u05d9\u05de\u05d5\u05df\u202e"]
"""Of the kernels and ops of the run `named`: markup, long Chinese, right to left."""

_WINDOW = "1752215573993169006"


def put_runs(folder: pathlib.Path) -> None:
    """Into `folder`, each in a folder of its name; nothing takes longer to read than a second."""
    for name in ("sam_amg_a100", "h100_bert_small_infer", "h100_transformer_clean"):
        (folder / name).mkdir()
        for trace in (SAMPLES / name).glob("*.json.gz"):
            shutil.copy(trace, folder / name)
    put_known(folder / "known", "lib/metrics.py")
    put_known(folder / "known_moved", "lib/late_metrics.py")
    _put_ranks(folder / "ranks")
    _put_named(folder / "named")
    write_job(folder / "job", 4)
    next((folder / "job").glob("*rank2*")).unlink()
    (folder / "exchanging").mkdir()
    exchanging(2_000, elements=1_000).write(folder / "exchanging" / f"w.{_WINDOW}.pt.trace.json")
    (folder / "damaged").mkdir()
    whole = next((SAMPLES / "h100_transformer_clean").glob("*.json.gz")).read_bytes()
    (folder / "damaged" / "cut.pt.trace.json.gz").write_bytes(whole[:40])


def put_known(run: pathlib.Path, metrics: str) -> None:
    """The report of a training whose code is known; its trace is gone."""
    run.mkdir(parents=True)
    report = encode_report(known_training(metrics=metrics), written_by="0.1")
    (run / f"w.{_WINDOW}.tbprof.pb").write_bytes(report)


def _put_ranks(run: pathlib.Path) -> None:
    """Two ranks with two windows each, under names that the standard plugin does not read too."""
    run.mkdir()
    sample = next((SAMPLES / "h100_bert_small_infer").glob("*.json.gz"))
    for rank in (0, 1):
        for number in (1, 2):
            shutil.copy(sample, run / f"node_{rank}_rank{rank}.{int(_WINDOW) + number}.trace.json.gz")


def _put_named(run: pathlib.Path) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for at, name in enumerate(HARD_NAMES):
        built.annotation(name, 300 * at, 300 * at + 290)
        built.op(name, 300 * at + 10, 300 * at + 200)
        built.launch(300 * at + 20, 300 * at + 30, runs=(300 * at + 40, 300 * at + 250), name=name)
    run.mkdir()
    built.write(run / f"w.{_WINDOW}.trace.json")
