"""What all findings have alike."""

from __future__ import annotations

from rule_scenes import each_step, found
from scenes import host_bound, read_scalar

from tbprof.model import Evidence, fingerprint
from tbprof.trace.columns.columns import Category


def test_a_finding_has_the_bracket_of_its_site() -> None:
    (finding,) = found(host_bound(steps=4), "SYN07")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 4 * 322_000
    assert finding.severity == "critical"


def test_evidence_are_the_three_longest_waits() -> None:
    lengths = {200.0: 10, 1200.0: 40, 2200.0: 20, 3200.0: 30}
    built = each_step(lambda built, at: read_scalar(built, at, wait=lengths[at]), steps=4)
    (finding,) = found(built, "SYN01")

    shown = [(item.start_ns, item.duration_ns, item.step) for item in finding.evidence]
    assert shown == [(1_200_000, 42_000, 1), (3_200_000, 32_000, 3), (2_200_000, 22_000, 2)]


def test_the_row_of_evidence_is_that_of_the_first_call() -> None:
    built = host_bound(steps=1)
    (finding,) = found(built, "SYN07")
    (evidence,) = finding.evidence
    trace = built.trace()

    assert evidence == Evidence("wait", 110_000, 322_000, 0, evidence.row)
    assert trace.names[trace.slices.name[evidence.row]] == "cudaMemcpyAsync"
    assert trace.slices.category[evidence.row] == Category.RUNTIME


def test_what_lies_outside_the_steps_counts_and_names_no_step() -> None:
    built = host_bound(steps=2)
    read_scalar(built, 2500, wait=400)
    (finding,) = found(built, "SYN01")
    assert (finding.count, finding.steps) == (3, (0, 1))
    assert finding.evidence[0].step is None


def test_a_source_makes_it_sure_and_names_it() -> None:
    built = host_bound()
    (finding,) = found(built, "SYN07")
    ops = ("aten::_local_scalar_dense", "aten::item")
    assert (finding.confidence, finding.fingerprint) == ("medium", fingerprint("SYN07", "", "", ops))

    built.frame("train.py(12): step", 0, 4000)
    (finding,) = found(built, "SYN07")
    assert finding.confidence == "high"
    assert finding.fingerprint == fingerprint("SYN07", "train.py", "step", ops)


def test_a_fingerprint_outlives_edits_above_it_in_the_file() -> None:
    prints = set()
    for line in (12, 99):
        built = host_bound()
        built.frame(f"train.py({line}): step", 0, 4000)
        prints.add(found(built, "SYN07")[0].fingerprint)
    assert len(prints) == 1
