"""The process that reads traces: one line in, lines of progress and one answer out."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

from tbprof.plugin.worker import answers as worker_answers
from tbprof.plugin.worker.main import answering
from tbprof.process.answering import received, serve
from tbprof.report import build_report
from tbprof.store.codec import decode_report
from tbprof.store.report_cache import cached_report

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def answers(*paths: Path, ask: str = "report") -> list[tuple[dict[str, Any], bytes]]:
    """What the process tells when it is asked for these: each message with the bytes behind it."""
    questions = [
        ({"id": at, "path": str(path), "ask": ask, "parameters": {}}, b"") for at, path in enumerate(paths)
    ]
    told = io.BytesIO()
    serve(questions, told, answering)
    told.seek(0)
    return list(received(told))


def test_a_trace_gives_its_report_and_is_kept_in_the_cache(sample: Path) -> None:
    *progress, (last, content) = answers(sample)
    assert all(set(message) == {"read_bytes", "total_bytes"} for message, _ in progress)
    assert last == {"id": 0, "size": len(content)}
    report = build_report(sample)
    assert decode_report(content, name="x") == report
    assert cached_report(str(sample)) == report


def test_progress_is_told_while_a_trace_is_read(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbprof.process.answering.TELL_EVERY_S", 0.0)
    *progress, _ = answers(sample)
    read = [message["read_bytes"] for message, _ in progress]
    assert read == sorted(read)
    assert read[-1] == progress[-1][0]["total_bytes"] == sample.stat().st_size


def test_a_broken_trace_costs_itself_only(sample: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("no trace", encoding="utf-8")
    results = [message for message, _ in answers(broken, sample, broken) if "read_bytes" not in message]
    assert [(message["id"], message.get("kind", "")) for message in results] == [
        (0, "NotATrace"),
        (1, ""),
        (2, "NotATrace"),
    ]
    assert str(broken) in results[0]["error"]


def test_a_trace_that_is_gone_is_told_as_gone(tmp_path: Path) -> None:
    [(message, _)] = answers(tmp_path / "nothing.json", ask="timeline")
    assert message["kind"] == "Gone"


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (MemoryError(), "does not fit into this machine's memory"),
        (ZeroDivisionError("x"), "can't be shown; this is a fault of tbprof's (ZeroDivisionError: x)"),
    ],
)
def test_a_fault_is_told_and_not_raised(
    sample: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception, sentence: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(worker_answers, "build_report", fail)
    [(message, _)] = answers(sample)
    assert message["error"] == f"{sample} {sentence}"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that takes seconds to read, by several processes where there are several cores."""
    event = (
        b'{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1.5, "dur": 1, '
        b'"args": {"External id": 1, "Concrete Inputs": ["' + b'", "'.join([b""] * 20) + b'"]}}'
    )
    path = tmp_path_factory.mktemp("large") / "large.json"
    path.write_bytes(b'{"schemaVersion": 1, "traceEvents": [' + b",\n".join([event] * 500_000) + b"]}")
    return path


def started_by(pid: int) -> set[int]:
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"


def wait_for_the_end_of(pids: set[int]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < deadline, "a process goes on"
        time.sleep(0.02)


@on_linux
@pytest.mark.parametrize("interrupting", [signal.SIG_DFL, signal.SIG_IGN])
def test_the_end_of_the_input_ends_what_is_being_read(large: Path, interrupting: signal.Handlers) -> None:
    """In the background, where Ctrl-C is ignored, as well."""
    command = [sys.executable, "-m", "tbprof.plugin.worker.main"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, interrupting),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        question = {"id": 1, "path": str(large), "ask": "report", "parameters": {}}
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        assert "read_bytes" in json.loads(process.stdout.readline())
        others = started_by(process.pid)
        process.stdin.close()
        told = process.stdout.read()
        assert b"size" not in told
        assert (process.wait(PATIENCE_S), process.stderr.read()) == (0, b"")
    assert bool(others) == (len(os.sched_getaffinity(0)) > 1)
    wait_for_the_end_of(others)


DROPPING = """
import sys, threading, weakref
from tbprof.process import answering

class Thing:
    pass

def handler(_):
    def answer(question):
        # The first interrupt comes here, where Python can only name an exception and drop it.
        gone = threading.Event()
        sys.unraisablehook = lambda dropped: print(dropped.exc_type.__name__, file=sys.stderr, flush=True)
        thing = Thing()
        reference = weakref.ref(thing, lambda _: print("waits", file=sys.stderr, flush=True) or gone.wait(60))
        del thing
        gone.wait(60)
        return b"went on"
    return answer

answering.main(handler)
"""


@on_linux
def test_an_interrupt_that_python_drops_comes_again() -> None:
    command = [sys.executable, "-c", DROPPING]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"id": 1, "path": "", "ask": "", "parameters": {}}\n')
        process.stdin.flush()
        assert process.stderr.readline() == b"waits\n"
        process.stdin.close()
        assert process.stderr.readline() == b"KeyboardInterrupt\n"
        assert process.stdout.read() == b""
        assert process.wait(PATIENCE_S) == 0


ASKING = """
import sys, time
from tbprof.plugin.worker.kept import Kept, Key
from tbprof.plugin.worker.pool import Pool
from tbprof.plugin.worker.traces import Traces

pool = Pool(Kept())
Traces(pool).report(sys.argv[1])
Traces(pool).ask(sys.argv[1], Key("timeline", (sys.argv[1],)), patience_s=0)
print(*pool.pids(), flush=True)
# Python may miss Ctrl-C between two threads' turns, and not notice it in one long sleep.
while True:
    time.sleep(0.1)
"""


@on_linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_one_that_asks(large: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", ASKING, str(large)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        workers = {int(pid) for pid in process.stdout.readline().split()}
        assert len(workers) == 2
        process.send_signal(how)
    wait_for_the_end_of(workers)
