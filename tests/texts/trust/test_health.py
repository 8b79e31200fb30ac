"""Every code that tbprof itself writes has a sentence; a code of another version is named."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import tbprof
from tbprof.model import HealthFact
from tbprof.texts.health import health_sentence

PACKAGE = Path(tbprof.__file__).parent

NUMBERS: dict[str, dict[str, int | float | str]] = {
    "compression_damaged": {"unpacked_bytes": 1_500_000},
    "truncated": {"unpacked_bytes": 1_500_000},
    "array_unclosed": {},
    "events_dropped": {"dropped": 3, "damaged": 2, "no_time": 1},
    "text_repaired": {"repaired": 4},
    "inputs_joined": {"steps": 2, "calls": 3250, "of": 3445},
    "negative_durations": {"rows": 1},
    "stray_times": {"rows": 2},
    "gpu_clock_offset": {"behind_us": 4_000.0, "rows": 80},
    "gpu_rows_joined": {"rows": 24},
    "steps_left_out": {"steps": 2, "of": 4, "launches": 40},
    "part_left_out": {"rows": 40, "of": 120, "part": "end", "device": 2},
    "gpu_rows_cut": {"rows": 2, "worst_us": 9_900.0, "name": "gemm"},
    "no_gpu_rows": {"rows": 812, "ran_on": "cpu"},
    "gpu_not_recorded": {"device": "NVIDIA H100"},
    "gpu_work_lost": {"launches": 812},
    "no_operators": {},
    "gpu_before_launch": {"rows": 2, "worst_ns": 48_000},
    "gpu_rows_without_launch": {"rows": 7, "of": 1200},
    "launches_without_gpu_rows": {"rows": 1, "of": 1200},
    "sync_events_missing": {"waits": 44},
    "sync_events_without_streams": {"rows": 20, "of": 41},
    "frames_backwards": {"rows": 2, "of": 1200, "worst_ns": 48_000},
    "steps_backwards": {"steps": 1},
    "device_names_unknown": {"devices": 1, "of": 8},
    "rank_unknown": {"collectives": 27},
    "cold_steps": {"cold": 1, "steps": 6},
    "no_audit_step": {"reason": "compiled"},
    "only_warned_lines": {"reason": "compiled"},
    "fact_missing": {"fact": "allocator_counts", "reason": "RuntimeError: no statistics"},
    "mean_lines": {"steps": 4},
    "lines_not_exact": {"episodes": 3, "of": 12},
    "launches_captured": {"rows": 421, "of": 428},
    "graphs_whole": {"rows": 20, "share": 0.97},
    "graph_notes_joined": {"rows": 3, "of": 1200, "name": "scopes.pkl"},
    "graph_notes_unread": {"name": "scopes.pkl", "reason": "SnapshotError"},
    "gpu_lag": {"steps": 2, "worst_us": 61_000.0, "worst_share": 0.42, "of_device": 0},
    "copies_without_call": {"copies": 2},
    "calls_cut": {"calls": 2},
    "all_far_from_limits": {"operators": 3, "best_share": 0.044},
    "shapes_not_true": {"calls": 2},
    "calls_without_record": {"calls": 3},
    "accumulation": {"steps": 4, "optimizer_steps": 1},
    "gpu_shared": {"processes": 1},
    "sites_shortened": {"sites": 40},
}


def codes_written() -> set[str]:
    """The first argument of every `HealthFact(...)` in the package, both arms of a choice."""
    found: set[str] = set()
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for source in sources:
        for node in ast.walk(ast.parse(source)) if "HealthFact(" in source else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "HealthFact" and node.args:
                first = node.args[0]
                arms = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
                found |= {str(ast.literal_eval(arm)) for arm in arms}
    return found


def test_every_code_has_a_sentence_of_its_own() -> None:
    codes = codes_written()
    assert len(codes) >= 15
    assert {"no_stacks", "no_user_frames", "truncated", "sites_shortened"} <= codes
    for code in sorted(codes):
        sentence = health_sentence(HealthFact(code, "info", NUMBERS.get(code, {})))
        assert sentence[0].isupper() or sentence[0].isdigit(), sentence
        assert sentence.endswith("."), sentence
        assert not sentence.lower().startswith(code.replace("_", " ")), sentence
        assert "_" not in re.sub("with_stack|get_kernel_annotations", "", sentence), sentence


def test_numbers_that_the_sentence_needs_may_be_missing() -> None:
    # Another version may count something else under the same code.
    for code, numbers in NUMBERS.items():
        assert health_sentence(HealthFact(code, "info", {"other": 1})).endswith("."), code
        assert health_sentence(HealthFact(code, "info", dict.fromkeys(numbers, "?"))).endswith("."), code


def test_a_code_of_another_version_is_named_with_its_numbers() -> None:
    fact = HealthFact("graph_nodes_unnamed", "info", {"nodes": 3, "share": 0.5})
    assert health_sentence(fact) == "graph nodes unnamed: nodes 3, share 0.5."
    assert health_sentence(HealthFact("graph_nodes_unnamed", "info", {})) == "graph nodes unnamed."


def test_figures_are_in_the_sentence() -> None:
    lag = health_sentence(HealthFact("gpu_lag", "warning", NUMBERS["gpu_lag"]))
    assert "2 steps late" in lag
    assert "61.0\u202fms" in lag
    assert "42\u202f%" in lag
    dropped = health_sentence(HealthFact("events_dropped", "warning", NUMBERS["events_dropped"]))
    assert dropped.startswith("3 events could not be read")
    assert "2 damaged, 1 no time" in dropped
    repaired = health_sentence(HealthFact("text_repaired", "info", {"repaired": 4}))
    assert repaired.endswith("was repaired; no event was lost.")
    beside_lost = health_sentence(HealthFact("text_repaired", "info", {"repaired": 4, "lost": 1}))
    assert beside_lost.endswith("was repaired.")
    early = health_sentence(HealthFact("gpu_before_launch", "warning", NUMBERS["gpu_before_launch"]))
    assert "2 GPU events" in early
    assert "48\u202fµs" in early
