"""Real traces and reports in which whatever a program names carries somebody's payload."""

from __future__ import annotations

import gzip
import itertools
import json
import pathlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from tbprof.errors import TbprofError
from tbprof.report import build_report
from tbprof.store import report_pb2
from tbprof.store.codec import decode_report, encode_report

MARKUP = (
    *('<img src=x onerror="top.ran=1">', "<script>top.ran=1</script>", "</script><script>top.ran=1</script>"),
    *("javascript:top.ran=1//", '"><svg onload=top.ran=1>', "{{constructor.constructor('top.ran=1')()}}"),
    *("<iframe srcdoc='<script>top.ran=1</script>'>", "<a href=javascript:top.ran=1>b</a>", "__proto__"),
    *("<style>@import'http://evil.example/x'</style>", "<link rel=stylesheet href=http://evil.example/y>"),
    *("&lt;b&gt;", "<!--<script>", "]]>", "${top.ran=1}", "\u202eevil", "\u2028top.ran=1", "z" * 3000),
    *("[b](javascript:top.ran=1)", "![b](http://evil.example/z)", "`+top.ran", "<base href=//evil.example>"),
)
"""For browsers, and for what shows Markdown."""

STEERING = (
    *("\x1b]0;owned\x07\x1b[2J\x9b31m", "\r\n::error file=x::owned", "\n::set-output name=x::owned"),
    *("##[add-mask]owned", "\r::stop-commands::t", "\u202e\u200f\u2066", "\x08\x08\x7f", "::warning::owned"),
)
"""For terminals, and for the logs of CI."""

_TRACE = pathlib.Path(__file__).parents[2] / "logs" / "samples" / "sam_amg_a100" / "amg_HEAD.json.gz"
_NAMED = ("cpu_op", "kernel", "user_annotation", "gpu_user_annotation", "python_function", "cuda_runtime")


def hostile_trace(payloads: Sequence[str]) -> bytes:
    """A trace with a payload behind each name, each argument and all that is said of processes."""
    document = json.loads(gzip.decompress(_TRACE.read_bytes()))
    following = itertools.cycle(payloads)
    for event in document["traceEvents"]:
        if event.get("cat") in _NAMED and not event["name"].startswith(("ProfilerStep", "cuda")):
            event["name"] += next(following)
        arguments = event.get("args", {})
        for name, value in arguments.items():
            if isinstance(value, str):
                arguments[name] = value + next(following)
    for device in document.get("deviceProperties", []):
        device["name"] = str(device.get("name")) + next(following)
    named = {name: f"{name}{next(following)}" for name in ("traceName", "host_name", "username")}
    return json.dumps({**document, **named, next(following): next(following)}).encode()


def hostile_report(payloads: Sequence[str]) -> tuple[bytes, int]:
    """A stored report with a payload in each text that may be any, and how many those are."""
    envelope = report_pb2.Envelope.FromString(encode_report(build_report(_TRACE), written_by="0.1"))
    report = report_pb2.Report.FromString(zlib.decompress(envelope.report))
    _fill(report)
    following = itertools.cycle(payloads)
    taken = 0
    refused = set[tuple[str, str]]()
    for message, name, kind in list(_texts(report)):
        before = getattr(message, name)
        if kind in refused:
            continue
        setattr(message, name, before + next(following))
        if not _is_read(report):
            # One of a few known words.
            setattr(message, name, before)
            refused.add(kind)
        else:
            taken += 1
    return _sealed(report), taken


def _fill(report: Any) -> None:
    """What the hook adds."""
    facts = report.facts
    facts.schema, facts.window, facts.first_step, facts.recorded_steps = 1, 1, 1, 1
    facts.worker, facts.torch_version, facts.tbprof_version, facts.git_commit = "w", "2.9", "0.1", "abc"
    facts.phase, facts.begun_by, facts.cuda_version, facts.driver_version = "training", "schedule", "12", "5"
    facts.device_names.append("GPU")
    report.sources.add(file="/a.py", first_line=1, text="loss = model(x)\n" * 9)
    report.recorded_calls.add(file="/a.py", line=3, function="f", call="item", count=5)
    report.failed_rules.add(rule="SYN01", error="boom")
    for site in report.sites[:3]:
        site.source.file, site.source.line, site.source.function, site.source.exact = "/a.py", 3, "f", True


def _texts(message: Any) -> Iterator[tuple[Any, str, tuple[str, str]]]:
    """Each text within a message: the message that holds it, its field, and what that is called."""
    for field, value in message.ListFields():
        if field.message_type is None:
            # A verdict of an unknown case says nothing, which no screen waits for.
            if isinstance(value, str) and field.name != "case":
                yield message, field.name, (message.DESCRIPTOR.name, field.name)
        elif hasattr(value, "keys"):
            continue
        elif hasattr(value, "add"):
            for one in value[:40]:
                yield from _texts(one)
        else:
            yield from _texts(value)


def _sealed(report: Any) -> bytes:
    content = report.SerializeToString()
    packed = zlib.compress(content)
    return report_pb2.Envelope(
        schema=1, written_by="0.1", checksum=zlib.crc32(content), report=packed
    ).SerializeToString()


def _is_read(report: Any) -> bool:
    try:
        decode_report(_sealed(report), name="x")
    except TbprofError:
        return False
    return True
