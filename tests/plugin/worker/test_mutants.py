"""Whatever stands in a stored report or a trace, each page of it is a page or one sentence."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tbprof.errors import TbprofError
from tbprof.model import Window
from tbprof.plugin.worker.answers import ANSWERS, OpenTraces
from tbprof.plugin.worker.report_answers import answer_of
from tbprof.plugin.worker.window_messages import AskedWindow, Part, packed_job, packed_windows, parts_in
from tbprof.process.answering import Question
from tbprof.report import build_report
from tbprof.store import report_pb2
from tbprof.store.codec import encode_report

SAMPLES = Path(__file__).parents[3] / "logs" / "samples"
TRAINED = SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz"
SMALL = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"

WAYS = 5
BYTES = (0, 1, 127, 128, 255)


def message_of(trace: Path) -> bytes:
    """Its report, as it stands within the envelope."""
    envelope = report_pb2.Envelope.FromString(encode_report(build_report(trace), written_by="0.1"))
    return zlib.decompress(envelope.report)


def sealed(message: bytes) -> bytes:
    packed = zlib.compress(message, 1)
    return report_pb2.Envelope(
        schema=1, written_by="0.1", checksum=zlib.crc32(message), report=packed
    ).SerializeToString()


def injured(content: bytes, chance: random.Random) -> bytes:
    """With one to four injuries."""
    mutant = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at, way, much = chance.randrange(len(mutant)), chance.randrange(WAYS), chance.randrange(1, 40)
        if way == 0:
            mutant[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            mutant[at] = chance.choice(BYTES)
        elif way == 2:
            del mutant[at : at + much]
        elif way == 3:
            mutant[at:at] = mutant[at : at + much]
        else:
            mutant[at:at] = chance.randbytes(much)
        mutant = mutant or bytearray(1)
    return bytes(mutant)


ODD: dict[type, tuple[Any, ...]] = {
    int: (0, -1, 1, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)),
    float: (0.0, -1.0, 1e300, -1e-300, 5e-324),
    str: ("", "a" * 9000, "\x1b[31m", "<b>", "a\0b", "nan", "SYN01", "../..", "\u202e", "%s%n"),
    bool: (True, False),
}


def with_odd_values(content: bytes, chance: random.Random) -> bytes:
    """With one to ten values of a stored report that no report has."""
    report = report_pb2.Report.FromString(content)
    for _ in range(chance.choice((1, 1, 3, 10))):
        spoil(report, chance)
    return bytes(report.SerializeToString())


def spoil(message: Any, chance: random.Random) -> None:
    """Change a value somewhere within a message."""
    fields = message.ListFields()
    if not fields:
        return
    descriptor, value = chance.choice(fields)
    if hasattr(value, "ListFields"):
        spoil(value, chance)
    elif hasattr(value, "keys"):
        key = chance.choice(sorted(value))
        if hasattr(value[key], "ListFields"):
            spoil(value[key], chance)
        else:
            value[key] = chance.choice(ODD[type(value[key])])
    elif hasattr(value, "append") or hasattr(value, "add"):
        at = chance.randrange(len(value))
        if hasattr(value[at], "ListFields"):
            spoil(value[at], chance) if chance.randrange(4) else value.pop(at)
        elif chance.randrange(4):
            value[at] = chance.choice(ODD[type(value[at])])
        else:
            value.append(value[at])
    else:
        setattr(message, descriptor.name, chance.choice(ODD[type(value)]))


def no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON that a browser reads")


def strict(content: bytes) -> Any:
    """JSON as a browser reads it."""
    return json.loads(content, parse_constant=no_constant)


def pages_of(stored: bytes) -> Iterator[bytes]:
    """All that is made of a stored report."""
    window = Window("run", "w_rank0", "w_rank0", 1, None, "w", 0)
    asked = AskedWindow(window, stored)
    one, two = packed_windows([asked]), packed_windows([asked, asked])
    for ask in ("window", "source", "checks"):
        yield answer_of(Question("w", ask, {"windows": one}))
    yield answer_of(Question("w", "compare", {"windows": two}))
    yield answer_of(Question("w", "summaries", {"windows": one}))
    for ask in ("figures", "rank_summary"):
        parts: list[Part] = parts_in(answer_of(Question("w", ask, {"windows": one})))
        yield from (part.record.encode() for part in parts if part.record)
    summaries = [part.record for part in parts if part.record]
    yield answer_of(Question("w", "job", {}, packed_job(summaries, (), (), ())))


def judge_reports(message: bytes, count: int, seed: int) -> Counter[str]:
    chance, outcome = random.Random(seed), Counter[str]()
    for number in range(count):
        mutant = injured(message, chance) if number % 2 else with_odd_values(message, chance)
        stored = sealed(mutant)
        try:
            for page in pages_of(stored):
                strict(page)
            outcome["shown"] += 1
        except TbprofError as error:
            assert "\n" not in str(error), number
            outcome["refused"] += 1
    return outcome


def test_a_report_that_was_injured_and_sealed_again_gives_pages_or_a_sentence() -> None:
    outcome = judge_reports(message_of(TRAINED), 60, seed=1)
    assert min(outcome["shown"], outcome["refused"]) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("trace", [TRAINED, SMALL], ids=["trained", "small"])
def test_ten_thousand_injured_reports_give_pages_or_a_sentence(trace: Path, seed: int) -> None:
    outcome = judge_reports(message_of(trace), 500, seed)
    assert min(outcome["shown"], outcome["refused"]) > 50


NAMES = (
    *(b'"ts"', b'"dur"', b'"name"', b'"cat"', b'"args"', b'"ph"', b'"tid"', b'"pid"', b'"correlation"'),
    *(b'"device"', b'"stream"', b'"External id"', b'"bytes"', b'"Input Dims"', b'"Addr"', b'"Python id"'),
)
VALUES = (
    *(b"null", b"[]", b"{}", b"-1", b"1e308", b"9223372036854775808", b'""', b'"x"', b"true", b"0", b"NaN"),
    *(
        b'"\\ud800"',
        b"1.5",
        b"-0.0",
        b"9" * 26,
        b"-9223372036854775808",
        b"[[[[]]]]",
        b'"' + b"z" * 9000 + b'"',
    ),
)


def with_other_values(content: bytes, chance: random.Random) -> bytes:
    """Some values of a trace are of another kind than any program writes."""
    mutant = content
    for _ in range(chance.choice((1, 3, 10, 100))):
        name = chance.choice(NAMES)
        at = mutant.find(name, chance.randrange(len(mutant)))
        if at < 0:
            continue
        start = mutant.index(b":", at) + 1
        end = min(place for stop in b",}]" if (place := mutant.find(stop, start)) >= 0)
        mutant = mutant[:start] + chance.choice(VALUES) + mutant[end:]
    return mutant


ASKED: tuple[tuple[str, dict[str, str]], ...] = (
    *((name, {}) for name in ("report", "timeline", "icicle", "modules", "memory", "roofline")),
    *((name, {"step": "0"}) for name in ("timeline_step", "timeline_excerpt")),
    ("timeline_tile", {"level": "12", "number": "0"}),
    ("timeline_find", {"text": "a"}),
    *(("timeline_selection", {"kind": kind, "number": "0"}) for kind in ("episode", "gap", "row")),
    *(("table", {"table": name}) for name in ("operators", "kernels", "collectives", "modules", "memory")),
    ("table_row", {"table": "operators", "row": "0"}),
)


def test_every_screen_of_a_trace_is_asked() -> None:
    assert {name for name, _ in ASKED} == ANSWERS.keys() - {"compared_table"}


def judge_traces(trace: Path, count: int, seed: int, folder: Path) -> int:
    """How many pages were made; an error that is no sentence comes through."""
    chance, content, shown = random.Random(seed), gzip.decompress(trace.read_bytes()), 0
    for number in range(count):
        mutant = with_other_values(content, chance)
        path = folder / f"{number}.json"
        path.write_bytes(mutant if number % 3 else injured(mutant, chance))
        traces = OpenTraces(lambda *_: None)
        for name, parameters in ASKED:
            with contextlib.suppress(TbprofError):
                answer = ANSWERS[name](traces, str(path), parameters)
                shown += 1
                if name not in ("report", "timeline_tile"):
                    strict(answer)
        path.unlink()
    return shown


def test_a_trace_with_values_of_other_kinds_gives_pages_or_a_sentence(tmp_path: Path) -> None:
    assert judge_traces(SMALL, 6, 1, tmp_path) > 3 * len(ASKED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2, 12))
def test_two_thousand_traces_with_values_of_other_kinds_give_pages_or_a_sentence(
    tmp_path: Path, seed: int
) -> None:
    assert judge_traces(SMALL, 200, seed, tmp_path) > 100 * len(ASKED)
