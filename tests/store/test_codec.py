"""The bytes of a stored report: what goes in comes out, and bad bytes give one sentence."""

from __future__ import annotations

import dataclasses
import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbprof.errors import ReportError, ReportNotReadable, ReportTooLarge, ReportTooNew
from tbprof.model import Report, Site, Source
from tbprof.report import build_report
from tbprof.store import report_pb2
from tbprof.store.codec import (
    MAX_REPORT_BYTES,
    MAX_STORED_BYTES,
    SCHEMA,
    decode_report,
    encode_report,
)

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"


@pytest.fixture(scope="module")
def report() -> Report:
    """That of a real trace, with sites, findings and drawn instances."""
    return build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz")


def sealed(unpacked: bytes, *, schema: int = SCHEMA) -> bytes:
    """An envelope whose checksum is right, around whatever there is."""
    envelope = report_pb2.Envelope(
        schema=schema, written_by="9.9", checksum=zlib.crc32(unpacked), report=zlib.compress(unpacked)
    )
    return envelope.SerializeToString()


def unpacked(data: bytes) -> bytes:
    envelope = report_pb2.Envelope()
    envelope.ParseFromString(data)
    return zlib.decompress(envelope.report)


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    assert encode_report(report, written_by="0.1") == encode_report(report, written_by="0.1")


def test_a_real_report_is_small_and_comes_back(report: Report) -> None:
    data = encode_report(report, written_by="0.1")
    assert len(data) < 8 * 1024
    assert decode_report(data, name="x") == report


def test_a_later_schema_says_who_wrote_it() -> None:
    with pytest.raises(ReportTooNew, match=r"^x\.tbprof\.pb was written by tbprof 9\.9.*upgrade it$"):
        decode_report(sealed(b"", schema=SCHEMA + 1), name="x.tbprof.pb")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-1], id="last byte missing"),
        pytest.param(lambda data: data[: len(data) // 2], id="half"),
        pytest.param(lambda _: b"", id="empty"),
        pytest.param(lambda _: b"not a report at all", id="another file"),
        pytest.param(lambda data: data[:999] + bytes([data[999] ^ 1]) + data[1000:], id="a bit flipped"),
        pytest.param(lambda data: sealed(unpacked(data)[:-1]), id="cut before it was sealed"),
        pytest.param(lambda data: sealed(unpacked(data), schema=0), id="no schema"),
        pytest.param(lambda _: sealed(b"\xff" * 100), id="no message"),
    ],
)
def test_damaged_bytes_are_refused(report: Report, damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ReportNotReadable, match=r"^x is damaged: run tbprof report on its trace$"):
        decode_report(damage(encode_report(report, written_by="0.1")), name="x")


def test_a_wrong_checksum_is_damage(report: Report) -> None:
    envelope = report_pb2.Envelope()
    envelope.ParseFromString(encode_report(report, written_by="0.1"))
    envelope.checksum ^= 1
    with pytest.raises(ReportNotReadable, match="damaged"):
        decode_report(envelope.SerializeToString(), name="x")


def test_a_bomb_is_refused_though_it_is_a_message() -> None:
    # Field 1000, which no version knows and every parser skips: 32 MB of zeros.
    bomb = sealed(b"\xc2\x3e\x80\x80\x80\x10" + bytes(32 * 1024 * 1024))
    assert len(bomb) < MAX_REPORT_BYTES
    with pytest.raises(ReportNotReadable, match="damaged"):
        decode_report(bomb, name="x")


def test_a_field_of_a_later_version_is_no_damage() -> None:
    assert decode_report(sealed(b"\xc2\x3e\x01\x00"), name="x").steps == ()


def test_more_bytes_than_any_report_has_are_refused() -> None:
    with pytest.raises(ReportNotReadable, match="larger than any report"):
        decode_report(bytes(MAX_REPORT_BYTES + 1), name="x")


def with_message(change: Callable[[report_pb2.Report], None], report: Report) -> bytes:
    message = report_pb2.Report()
    message.ParseFromString(unpacked(encode_report(report, written_by="0.1")))
    change(message)
    return sealed(message.SerializeToString())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda m: setattr(m.findings[0], "severity", "dire"), id="a severity of another kind"),
        pytest.param(lambda m: m.verdict.numbers["points"].ClearField("kind"), id="a number without value"),
        pytest.param(lambda m: setattr(m.savings, "replay_error", float("nan")), id="not a number"),
        pytest.param(lambda m: setattr(m.verdict.numbers["x"], "real", float("inf")), id="infinite"),
        pytest.param(lambda m: setattr(m.sites[0].instance, "step", 10**6), id="the step of a drawing"),
        pytest.param(lambda m: setattr(m.sites[0].instance, "step", -1), id="a negative step"),
        pytest.param(lambda m: m.sites[0].per_step.append(1), id="a step too many"),
        pytest.param(lambda m: m.findings[0].sites.append(10**6), id="the site of a finding"),
        pytest.param(lambda m: m.idle.places.add(site=10**6), id="the site of an idle place"),
        pytest.param(lambda m: m.idle.places.add(drained_by=-1), id="the site that drained a queue"),
        pytest.param(lambda m: m.findings[0].steps.append(10**6), id="the step of a finding"),
        pytest.param(lambda m: m.fix_plan.add(finding=10**6), id="the finding of a plan"),
    ],
)
def test_a_value_that_can_not_be_is_refused(
    report: Report, change: Callable[[report_pb2.Report], None]
) -> None:
    with pytest.raises(ReportNotReadable, match=r"^x holds .*: run tbprof report on its trace$"):
        decode_report(with_message(change, report), name="x")


def mutants(data: bytes, count: int, seed: int) -> list[bytes]:
    """Bits flipped, parts cut, doubled, moved and overwritten; always the same for a seed."""
    chance = random.Random(seed)

    def mutant() -> bytes:
        changed = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            at, length = chance.randrange(len(changed) + 1), chance.randint(1, 32)
            part = bytes(changed[at : at + length])
            kind = chance.randrange(5)
            if kind == 0 and at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            elif kind == 1:
                del changed[at : at + length]
            elif kind == 2:
                changed[at:at] = part
            elif kind == 3:
                changed[at:at] = chance.randbytes(length)
            else:
                changed[at : at + length] = b"\xff" * len(part)
        return bytes(changed)

    return [mutant() for _ in range(count)]


def test_mutants_of_the_file_give_a_report_or_one_sentence(report: Report) -> None:
    for data in mutants(encode_report(report, written_by="0.1"), 1000, seed=1):
        try:
            decode_report(data, name="x")
        except ReportError as error:
            assert "\n" not in str(error)


def test_mutants_within_the_envelope_give_a_report_or_one_sentence(report: Report) -> None:
    message = unpacked(encode_report(report, written_by="0.1"))
    read = 0
    for data in mutants(message, 1000, seed=2):
        try:
            decoded = decode_report(sealed(data), name="x")
        except ReportError as error:
            assert "\n" not in str(error)
        else:
            read += 1
            encode_report(decoded, written_by="0.1", max_bytes=MAX_REPORT_BYTES)
    assert 0 < read < 1000


def large(report: Report, sites: int) -> Report:
    """A report of many sites, as unlike each other as those of a large code base."""
    chance = random.Random(3)
    steps = report.steps * 32
    template = next(site for site in report.sites if site.instance is not None)

    def site(number: int) -> Site:
        source = Source(f"/src/{chance.randbytes(8).hex()}.py", number, f"function_{number}", True, ())
        per_step = tuple(chance.randrange(1000) for _ in steps)
        return dataclasses.replace(
            template, source=source, per_step=per_step, wait_ns=10**9 - number, bytes=chance.randrange(10**9)
        )

    return dataclasses.replace(report, steps=steps, sites=tuple(site(number) for number in range(sites)))


def test_a_report_of_3000_sites_keeps_to_the_limit_and_says_what_it_left_out(report: Report) -> None:
    whole = large(report, 3000)
    data = encode_report(whole, written_by="0.1")
    assert len(data) <= MAX_STORED_BYTES
    kept = decode_report(data, name="x")
    bare = [site for site in kept.sites if site.instance is None]
    assert 0 < len(bare) < 3000
    # The cheapest are the last; every total stays.
    assert kept.sites[-len(bare) :] == tuple(bare)
    assert [site.wait_ns for site in kept.sites] == [site.wait_ns for site in whole.sites]
    assert kept.sites[: -len(bare)] == whole.sites[: -len(bare)]
    [said] = [fact for fact in kept.trace.health if fact.code == "sites_shortened"]
    assert said.numbers == {"sites": len(bare)}


def test_a_report_that_fits_loses_nothing(report: Report) -> None:
    kept = decode_report(encode_report(large(report, 20), written_by="0.1"), name="x")
    assert kept == large(report, 20)


def test_one_of_many_lacks_what_only_its_own_pages_show(report: Report) -> None:
    stored = encode_report(report, written_by="0.1")
    part = decode_report(stored, name="x", is_one_of_many=True)
    assert report.findings
    assert (part.findings, part.fix_plan, part.code) == ((), (), ())
    kept = ("trace", "steps", "copies", "savings")
    assert [getattr(part, name) for name in kept] == [getattr(report, name) for name in kept]
    assert report.idle is not None
    assert report.communication is not None
    assert part.idle == dataclasses.replace(report.idle, places=())
    assert part.communication == dataclasses.replace(report.communication, collectives=(), peers=())
    assert [site.source for site in part.sites] == [site.source for site in report.sites]


def repeated(number: int, record: bytes = b"", *, times: int) -> bytes:
    """A list of a report with so many records, each empty or of these bytes."""
    return (varint(number << 3 | 2) + varint(len(record)) + record) * times


def varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + varint(value >> 7)


LISTS = [field for field in report_pb2.Report.DESCRIPTOR.fields if field.message_type is not None]


@pytest.mark.parametrize("field", LISTS, ids=lambda field: field.name)
def test_a_small_file_of_a_million_records_is_refused_before_one_is_made(field: Any) -> None:
    bomb = sealed(repeated(field.number, times=1_500_000))
    assert len(bomb) < 20_000
    began = time.process_time()
    with pytest.raises(ReportNotReadable, match=rf"more than 16,384 of Report\.{field.name}"):
        decode_report(bomb, name="x")
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("inner", "what"),
    [
        pytest.param(repeated(2, repeated(1, times=200_000), times=1), "Step.name", id="within one record"),
        pytest.param(repeated(2, varint(3 << 3) + b"\1", times=20_000), "Report.steps", id="small records"),
        pytest.param(
            repeated(2, repeated(1, b"x" * 1_100_000, times=1), times=1), "Step.name", id="a long text"
        ),
        pytest.param(
            repeated(3, repeated(6, bytes(1_100_000), times=1), times=1), "1,000,000 numbers", id="numbers"
        ),
        pytest.param(repeated(1000, times=20_000), "later version", id="what no version knows"),
        pytest.param(varint(1000 << 3 | 3) * 40_000, "groups", id="nesting"),
        pytest.param(
            repeated(2, times=16_384)[:-1] + b"\x80" * 9, "does not end", id="a length that leads out"
        ),
    ],
)
def test_each_field_has_its_bound(inner: bytes, what: str) -> None:
    with pytest.raises(ReportNotReadable, match=what):
        decode_report(sealed(inner), name="x")


def test_a_report_of_more_steps_than_any_can_hold_says_so_when_it_is_stored(report: Report) -> None:
    long = dataclasses.replace(report, steps=report.steps * (20_000 // len(report.steps)))
    with pytest.raises(ReportTooLarge, match=r"more than 16,384 of Report\.steps.*record fewer steps$"):
        encode_report(long, written_by="0.1")
