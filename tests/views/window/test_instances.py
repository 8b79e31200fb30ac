"""One episode of a site, told in numbered sentences."""

from __future__ import annotations

from tbprof.model import Instance, Span, SpanKind
from tbprof.views.instances import InstanceRemark, instance_view

MS = 1_000_000


def span(kind: SpanKind, start_ms: float, end_ms: float) -> Span:
    return Span(kind, "", int(start_ms * MS), int((end_ms - start_ms) * MS))


def remarks(host: tuple[Span, ...], device: tuple[Span, ...], *, blocks: bool = True) -> list[InstanceRemark]:
    view = instance_view(Instance(None, host, device), (), is_blocking=blocks)
    return list(view.remarks)


def test_a_wait_after_which_the_host_works_while_nothing_is_queued() -> None:
    host = (span("copy_call", 1, 11), span("launch", 18, 18.1))
    device = (span("kernel", 0, 10.5), span("copy", 10.5, 11), span("kernel", 18.5, 20))
    waits, dry, own = remarks(host, device)
    assert (waits.lane, waits.start_us) == ("host", 1000)
    assert waits.text.startswith("The host waits 10.0\u202fms. All that time the GPU was working")
    assert (dry.lane, dry.start_us) == ("device", 11_000)
    assert "does nothing for 7.5\u202fms" in dry.text
    assert (own.lane, own.start_us) == ("host", 11_000)
    assert "other work for 7.0\u202fms" in own.text


def test_a_host_that_launches_at_once_does_no_other_work() -> None:
    host = (span("sync_call", 0, 5), span("launch", 5.1, 5.2))
    device = (span("kernel", 1, 5), span("kernel", 6, 7))
    assert [remark.lane for remark in remarks(host, device)] == ["host", "device"]


def test_work_that_is_still_there_when_the_call_returns() -> None:
    host = (span("copy_call", 0, 5),)
    _, after = remarks(host, (span("copy", 1, 4), span("kernel", 4, 9)))
    assert after.text == "When the call returns, the GPU still has work: it does not run dry."


def test_overlapping_work_is_counted_once() -> None:
    device = (span("kernel", 0, 3), span("kernel", 1, 2), span("copy", 2, 3))
    [waits] = remarks((span("sync_call", 0, 4),), device)
    assert "All but 1.0\u202fms of that the GPU was working" in waits.text


def test_a_copy_that_nobody_waits_for_says_so() -> None:
    [only] = remarks((span("copy_call", 0, 0.2),), (span("copy", 1, 2),), blocks=False)
    assert only.text == "The call returns after 0.2\u202fms: it does not hold up the host."


def test_without_a_recorded_call_there_is_nothing_to_tell() -> None:
    assert remarks((span("launch", 0, 1),), (span("kernel", 1, 2),)) == []
