"""DAT01: the GPU waits for the next batch."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from loader_scenes import SINGLE, loading
from public_report import PublicReport
from rule_scenes import found
from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.texts.figures.places import scope_of


def test_a_loader_that_is_late_in_each_step_is_found() -> None:
    (finding,) = found(loading(40_050), "DAT01")

    assert (finding.severity, finding.removal, finding.count) == ("critical", "rewrite", 3)
    assert (finding.sites, finding.steps) == ((), (0, 1, 2))
    assert finding.numbers() == {"exposed_per_step_ns": 40_000_000, "share": 0.4, "place": ""}


def test_it_names_the_deepest_function_that_most_of_the_time_goes_to() -> None:
    built = loading(40_050, name=SINGLE)
    for call in [event for event in built.events if event["name"] == SINGLE]:
        start = call["ts"] - built.events[0]["ts"]
        built.frame("data.py(8): __getitem__", start + 10, start + 40_000)
        built.frame("data.py(3): load", start + 20, start + 5_000)
        built.frame("PIL/Image.py(2308): resize", start + 6_000, start + 39_000)
    (finding,) = found(built, "DAT01")
    assert finding.figures.place == "data.py:8 __getitem__ > resize"
    assert finding.numbers()["place_share"] == pytest.approx(33_000 / 40_000, rel=0.01)
    assert finding.remedy.fixed_as == "DAT02"


def test_where_workers_make_the_batches_it_names_who_takes_them() -> None:
    built = loading(40_050)
    built.frame("train.py(5): main", 0, 1_000_000)
    (finding,) = found(built, "DAT01")
    assert (finding.figures.place, finding.remedy.fixed_as) == ("train.py:5 main", "")
    assert "for it (train.py:5 main), 40" in finding.figures.sentence(scope_of(marks_steps=True))


_LOOP = (
    "/env/lib/python3.7/site-packages/torch/utils/data/dataloader.py(518): __next__;train.py(42): <module>"
)


@pytest.mark.parametrize(
    ("to_tensor_us", "place", "share"),
    [
        (30_000, "train.py:42 <module> > to_tensor", 0.75),
        (1_000, "train.py:42 <module>", None),
    ],
)
def test_it_reads_the_stacks_that_operators_of_2021_have(
    to_tensor_us: float, place: str, share: float | None
) -> None:
    built = loading(40_050, name=SINGLE)
    library = "/env/lib/python3.7/site-packages/torchvision/transforms"
    to_tensor = f"{library}/functional.py(138): to_tensor;{library}/transforms.py(97): __call__;{_LOOP}"
    for call in [event for event in built.events if event["name"] == SINGLE]:
        call["args"]["Call stack"] = _LOOP
        start = call["ts"] - built.events[0]["ts"]
        built.op("aten::div", start + 1_000, start + 1_000 + to_tensor_us, stack=to_tensor)
        built.op("aten::copy_", start + 1_010, start + 1_100, stack=to_tensor)
    (finding,) = found(built, "DAT01")
    assert finding.figures.place == place
    assert finding.numbers().get("place_share") == (share and pytest.approx(share, rel=0.01))


def test_the_public_pipeline_spends_it_in_resizing(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    (finding,) = (one for one in report.findings if one.rule == "DAT01")
    assert finding.figures.place == "image_processing_owlv2.py:301 resize > zoom"
    assert finding.numbers()["place_share"] == pytest.approx(531.0 / 619.0, abs=0.002)


def test_what_a_ready_batch_takes_is_not_sure_to_be_won() -> None:
    (finding,) = found(loading(40_050), "DAT01")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 40_010_000
    assert finding.saving.floor_ns == 3 * (40_000_000 - 1_400_000)
    assert finding.saving.estimate_ns is None


def test_evidence_is_the_idle_with_the_work_that_ended_it() -> None:
    built = loading(40_050)
    (finding,) = found(built, "DAT01")
    trace = built.trace()
    assert [(item.kind, item.duration_ns) for item in finding.evidence] == [("idle", 40_000_000)] * 3
    assert trace.names[trace.slices.name[finding.evidence[0].row]] == "kernel"


def test_a_loader_beside_a_busy_device_costs_nothing() -> None:
    assert found(loading(40_000, busy_until=50_000, name=SINGLE), "DAT01", "DAT02") == []


@pytest.mark.parametrize(("exposed", "codes"), [(4_999, []), (5_000, ["DAT01"])])
def test_from_5_percent_of_the_steps_on_the_device_starves(exposed: float, codes: list[str]) -> None:
    assert [finding.rule for finding in found(loading(50 + exposed), "DAT01")] == codes


def test_the_read_that_drained_the_queue_is_named() -> None:
    built = loading(40_050)
    for number in range(3):
        read_scalar(built, 100_000 * number + 60, wait=100)
    (finding,) = found(built, "DAT01")
    assert finding.numbers()["drained_by"] == 0


def test_without_gpu_work_it_is_not_checked() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.annotation(SINGLE, 0, 900)
    report = built.report()
    needs = {(rule.rule, rule.needs) for rule in report.not_checked}
    assert {("DAT01", "complete GPU work"), ("DAT02", "complete GPU work")} <= needs


def test_a_training_without_workers_starves_and_with_four_it_does_not(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    for path in (traces / "kineto_resnet50_nw0").glob("*.gz"):
        report = public_report(path)
        first = report.findings[0]
        assert (first.rule, first.severity) == ("DAT01", "critical")
        assert 0.2 < float(first.numbers()["share"]) < 0.4
        assert "DAT02" in [finding.rule for finding in report.findings]
    for path in (traces / "kineto_resnet50_nw4").glob("*.gz"):
        rules = {finding.rule for finding in public_report(path).findings}
        assert rules.isdisjoint({"DAT01", "DAT02"})


CASES = (
    CheckCases(
        "DAT01",
        boundary="5 % of the steps",
        positive=lambda: loading(40_050),
        negative=lambda: loading(40_000, busy_until=50_000),
        least=lambda: loading(5_050),
        below=lambda: loading(5_049),
    ),
)
