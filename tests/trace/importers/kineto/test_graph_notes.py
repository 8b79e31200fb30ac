"""What torch writes of the nodes of CUDA graphs, in the trace and beside it."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphed_products import GRAPH, NODES, SGEMM, annotated, graphed_products, number_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.kernel_table import KERNEL_TABLES, kernel_table
from tbprof.analysis.figures.row_details import parts_of_kernel
from tbprof.model import HealthFact, Source
from tbprof.report import build_report
from tbprof.safe_open import CONFINED_VARIABLE
from tbprof.store.discovery import Discovery
from tbprof.store.report_cache import report_key
from tbprof.texts.health import health_sentence
from tbprof.trace.columns.columns import Trace
from tbprof.trace.importers.graph_files import graph_files
from tbprof.trace.importers.kineto.reader import read_trace
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.opening import opening_of

SCOPES: dict[int, list[Any]] = {
    number_of(0): [{"str": "qkv"}],
    number_of(2): [{"name": "mlp"}],
    number_of(3): [{"name": "mlp", "stream": 62}],
}
"""By number of the node: a list for each, as torch 2.13 keeps them."""
STACKS = {
    str(number_of(node)): f"/app/model.py:{40 + node}:forward\n/app/train.py:12:main" for node in range(4)
}
NAMES = 'mark_kernels("mlp")', 'mark_kernels("qkv")'


def of_nodes(trace: Trace) -> list[tuple[str, str, str]]:
    """Label, module and line of each node of the first replay; "" of what is not known."""
    facts = Facts(trace)
    places = facts.graph_places
    order = np.argsort(facts.work.rows)[:4].tolist()
    lines = [f"{one.file}:{one.line}" for one in places.sources]
    tables = ((places.label, places.labels), (places.module, places.modules), (places.source, lines))
    return [tuple("" if of[at] < 0 else names[of[at]] for of, names in tables) for at in order]  # type: ignore[misc]


def read(built: TraceBuilder, folder: Path, name: str = "host_1.1000.pt.trace.json") -> Trace:
    return read_trace(built.write(folder / name), tables=FACTS_TABLES)


def codes(trace: Trace) -> list[HealthFact]:
    return [fact for fact in trace.health if fact.code.startswith("graph_notes")]


def test_rows_without_notes_have_no_place(tmp_path: Path) -> None:
    trace = read(graphed_products(), tmp_path)
    assert not Facts(trace).graph_places
    assert of_nodes(trace) == [("", "", "")] * 4


def test_torchs_joiner_writes_scopes_into_the_rows(tmp_path: Path) -> None:
    """With its own functions, which torch 2.12 and 2.13 have: texts, and lanes in place of streams."""
    joiner = pytest.importorskip("torch.cuda._annotate_cuda_graph_trace")
    raw = graphed_products().to_json()
    joined = copy.deepcopy(raw)
    assert joiner.annotate_trace(joined, SCOPES) == 12
    joiner._move_overlapping_to_stream(joined)
    joiner._fix_overlapping_timestamps(joined)
    for name, content in (("raw", raw), ("joined", joined)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    trace = read_trace(tmp_path / "joined.json", tables=FACTS_TABLES)
    assert [label for label, _, _ in of_nodes(trace)] == [NAMES[1], "", NAMES[0], NAMES[0]]
    before, after = build_report(tmp_path / "raw.json"), build_report(tmp_path / "joined.json")
    assert after.idle == before.idle
    assert [one.rule for one in after.findings] == [one.rule for one in before.findings]


def test_torchs_export_has_lanes_and_the_stream_of_each_row(tmp_path: Path) -> None:
    """As torch writes it since 2.14: with `graph_lanes="all"` rows are moved, and say where they ran."""
    fields = {
        0: {"name": "qkv", "autograd_phase": "backward", "stream": 7, "original_stream": 12},
        1: {"module_fqn": "layers.0.attention", "stream": 62, "original_stream": 9},
    }
    trace = read(annotated(graphed_products(steps=1), fields), tmp_path)
    found = of_nodes(trace)
    assert found[0] == ('the backward of mark_kernels("qkv")', "", "")
    assert ("", "layers.0.attention", "") in found
    assert sorted(Facts(trace).work.stream.tolist()) == [7, 7, 9, 12]


def test_collectives_of_a_graph_are_told_as_texts(tmp_path: Path) -> None:
    """What torch notes of a collective while a graph is recorded, each field as a text."""
    fields = {"Collective name": "allreduce", "In msg nelems": 1024, "Group size": 2, "dtype": "float32"}
    built = annotated(graphed_products(steps=1), {0: {**fields, "Process Group Ranks": [0, 1], "Seq": 3}})
    trace = read(built, tmp_path)
    assert trace.collectives is not None
    assert trace.collectives.in_message_elements.values.tolist() == [1024]
    assert trace.collectives.sequence_number.values.tolist() == [3]
    assert [trace.names[name] for name in trace.collective_name.values.tolist()] == ["allreduce"]


@pytest.mark.parametrize("whole_numbers", [True, False], ids=["Kineto", "halves"])
@pytest.mark.parametrize("packed", [True, False], ids=["gz", "plain"])
def test_stacks_beside_the_trace_give_lines(tmp_path: Path, whole_numbers: bool, packed: bool) -> None:
    content = json.dumps(STACKS).encode()
    name = "py_stacks_rank0.json.gz" if packed else "py_stacks_rank0.json"
    (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    trace = read(graphed_products(whole_numbers=whole_numbers), tmp_path)
    assert [line for _, _, line in of_nodes(trace)] == [f"/app/model.py:{line}" for line in range(40, 44)]
    (told,) = codes(trace)
    assert told.severity == "info"
    assert health_sentence(told) == (
        f"The file `{name}` beside the trace says where 16 of 16 rows of CUDA graphs come from."
    )


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickled_scopes_are_read_beside_the_trace_and_above_it(tmp_path: Path, protocol: int) -> None:
    """Beside it as torch's tutorial has it; above it where torch's joiner looks, by the rank in the name."""
    content = pickle.dumps(SCOPES, protocol)
    (tmp_path / "kernel_annotations_rank0_fwd_bwd.pkl").write_bytes(content)
    (tmp_path / "kernel_annotations_rank1_fwd_bwd.pkl").write_bytes(
        pickle.dumps({number_of(1): [{"name": "x"}]})
    )
    (tmp_path / "step_000000000014").mkdir()
    own = [label for label, _, _ in of_nodes(read(graphed_products(), tmp_path))]
    above = read(graphed_products(), tmp_path / "step_000000000014", "000000.ab1.pt.trace.json")
    assert own == [label for label, _, _ in of_nodes(above)] == [NAMES[1], "", NAMES[0], NAMES[0]]
    other = read(graphed_products(), tmp_path / "step_000000000014", "000001.ab1.pt.trace.json")
    assert [label for label, _, _ in of_nodes(other)] == ["", 'mark_kernels("x")', "", ""]


def test_nothing_above_a_log_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernel_annotations_rank0_fwd_bwd.pkl").write_bytes(pickle.dumps(SCOPES))
    (tmp_path / "logs").mkdir()
    path = graphed_products().write(tmp_path / "logs" / "000000.ab1.pt.trace.json")
    assert len(graph_files(path)) == 1
    monkeypatch.setenv(CONFINED_VARIABLE, str(tmp_path / "logs"))
    assert graph_files(path) == ()


def test_what_lies_beside_traces_is_no_recording(tmp_path: Path) -> None:
    graphed_products().write(tmp_path / "host_1.1000.pt.trace.json")
    for name, content in (("stacks.json", b"{}"), ("annotations.pkl", pickle.dumps(SCOPES))):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "py_stacks.json.gz").write_bytes(gzip.compress(json.dumps(STACKS).encode()))
    listing = Discovery(tmp_path, looks_like_trace).find()
    assert [window.trace_path for window in listing.windows] == [str(tmp_path / "host_1.1000.pt.trace.json")]
    assert listing.skipped == ()


def test_scopes_as_json_merge_as_torch_merges_them(tmp_path: Path) -> None:
    """Later ones of a list win; what has no name goes by all that it says."""
    scopes = {
        number_of(0): [{"name": "outer", "module_fqn": "layers.0"}, {"name": "inner"}],
        number_of(1): {"layer": "3", "stream": 60},
        number_of(2): ["a text"],
    }
    (tmp_path / "annotations.json").write_text(json.dumps({str(key): one for key, one in scopes.items()}))
    found = of_nodes(read(graphed_products(steps=1), tmp_path))
    assert found[0] == ('mark_kernels("inner")', "layers.0", "")
    assert {label for label, _, _ in found} == {
        *('mark_kernels("inner")', 'mark_kernels("layer=3")', 'mark_kernels("a text")', ""),
    }


def test_a_list_in_a_row_is_read_like_one_beside_it(tmp_path: Path) -> None:
    """As the recorder on CUPTI's own callbacks writes the annotations of torch 2.13."""
    scopes = [json.dumps([{"str": "qkv"}]), json.dumps([{"layer": "3"}]), "[no list", "mine"]
    built = annotated(
        graphed_products(steps=1), {node: {"annotation": one} for node, one in enumerate(scopes)}
    )
    assert [label for label, _, _ in of_nodes(read(built, tmp_path))] == [
        f'mark_kernels("{name}")' for name in ("qkv", "layer=3", "[no list", "mine")
    ]


def test_notes_are_joined_to_calls_that_bear_versions(tmp_path: Path) -> None:
    """Two names of one call become one text; what is added stands after them."""
    (tmp_path / "stacks.json").write_text(json.dumps(STACKS))
    built = graphed_products(steps=2)
    built.call("cudaGraphLaunch_v10000", 1_400, 1_410)
    built.call("cudaGraphLaunch_v11000", 1_420, 1_430)
    trace = read(built, tmp_path)
    assert [line for _, _, line in of_nodes(trace)] == [f"/app/model.py:{line}" for line in range(40, 44)]
    assert {trace.names[name] for name in trace.slices.name.tolist()} >= {SGEMM, "cudaGraphLaunch"}


def test_what_rows_say_themselves_counts_before_what_lies_beside(tmp_path: Path) -> None:
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps(SCOPES))
    built = annotated(graphed_products(steps=1), {0: {"name": "mine"}})
    assert of_nodes(read(built, tmp_path))[0][0] == 'mark_kernels("mine")'


def test_a_file_of_other_graphs_is_said_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "stacks.json").write_text(json.dumps({str((GRAPH + 1) << 32): "/app/model.py:1:forward"}))
    trace = read(graphed_products(), tmp_path)
    assert not Facts(trace).graph_places
    (told,) = codes(trace)
    assert told.severity == "warning"
    assert "of other CUDA graphs: it has the node of none of 16 rows" in health_sentence(told)


def run_by_no_reader() -> None:
    raise AssertionError("a pickle was run")


class Runs:
    def __reduce__(self) -> tuple[Any, ...]:
        return run_by_no_reader, ()


@pytest.mark.parametrize(
    "value",
    [defaultdict(list, SCOPES), {number_of(0): [Runs()]}, {number_of(0): [{"dtype": complex(1)}]}],
    ids=["torch's own mapping", "a call", "a number of another kind"],
)
def test_nothing_of_a_pickle_is_run(tmp_path: Path, value: object) -> None:
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps(value))
    trace = read(graphed_products(), tmp_path)
    (told,) = codes(trace)
    assert told.code == "graph_notes_unread"
    assert "Write plain values, as `pickle.dump(dict(get_kernel_annotations()), file)`" in health_sentence(
        told
    )


@pytest.mark.parametrize("content", [b'{"5": ', b'{"5": 1', b"\x80\x04\x95", b"", b"[1]"])
@pytest.mark.parametrize("name", ["stacks.json", "annotations.pkl", "annotations.json.gz"])
def test_damage_costs_that_file_alone(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    trace = read(graphed_products(), tmp_path)
    assert len(trace.slices) == len(read(graphed_products(), tmp_path / "..").slices)
    assert {fact.code for fact in codes(trace)} <= {"graph_notes_unread"}


def test_a_shared_list_is_not_written_out(tmp_path: Path) -> None:
    """Each list holds the one before twice: all of it would have a million million texts."""
    shared: list[Any] = ["x"]
    for _ in range(40):
        shared = [shared, shared]
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps({number_of(0): [{"name": shared}, shared]}))
    assert of_nodes(read(graphed_products(steps=1), tmp_path))[0][0] == ""


def test_a_file_that_comes_later_makes_another_report(tmp_path: Path) -> None:
    path = graphed_products().write(tmp_path / "host_1.1000.pt.trace.json")
    alone = report_key(str(path))
    (tmp_path / "notes.txt").write_text("stacks")
    assert report_key(str(path)) == alone
    (tmp_path / "stacks.json").write_text(json.dumps(STACKS))
    beside = report_key(str(path))
    assert beside != alone
    (tmp_path / "stacks.json").write_text("{}")
    assert report_key(str(path)) not in (alone, beside)


def test_findings_about_a_graphs_kernels_name_the_scope_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps(SCOPES))
    (tmp_path / "stacks.json").write_text(json.dumps(STACKS | {str(number_of(3)): STACKS[str(number_of(2))]}))
    path = graphed_products().write(tmp_path / "host_1.1000.pt.trace.json")
    report = build_report(path)
    found = {one.rule: one for one in report.findings}
    assert (found["PRC02"].severity, found["PRC02"].remedy.graphed_in) == (
        "medium",
        'mark_kernels("mlp"), model.py:42 forward',
    )
    code = {(one.kind, one.name): one.device_ns // 1000 for one in report.code}
    assert code["label", 'mark_kernels("mlp")'] == 4 * 400
    assert code["function", "/app/model.py(42): forward"] == 4 * 400
    assert sum(ns for (kind, _), ns in code.items() if kind == "label") == 4 * 200 * len(NODES)


def test_the_table_of_kernels_and_its_details_name_the_scope_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps(SCOPES))
    (tmp_path / "stacks.json").write_text(json.dumps(STACKS))
    path = graphed_products().write(tmp_path / "host_1.1000.pt.trace.json")
    facts = Facts(read_trace(path, tables=FACTS_TABLES | KERNEL_TABLES))
    products, softmax = kernel_table(facts).rows
    assert (products.name, products.origin.region) == (SGEMM, 'CUDA graph 5 > mark_kernels("mlp")')
    assert products.origin.places == 3
    assert (softmax.origin.region, softmax.origin.source) == (
        "CUDA graph 5",
        Source("/app/model.py", 41, "forward", True, ()),
    )
    details = parts_of_kernel(facts, products, in_steps=False)
    assert [(part.name, part.calls, part.device_ns) for part in details.parts] == [
        ('mark_kernels("mlp")', 8, 8 * 200_000),
        ('mark_kernels("qkv")', 4, 4 * 200_000),
    ]
    assert sorted(one.source.line or 0 for one in details.code) == [40, 42, 43]


def test_a_gpu_that_is_the_limit_is_said_to_be_so_in_a_scope(tmp_path: Path) -> None:
    scopes = {number_of(node): [{"module_fqn": "layers.0.mlp" if node else "embed"}] for node in range(4)}
    (tmp_path / "annotations.pkl").write_bytes(pickle.dumps(scopes))
    built = graphed_products()
    built.events = [event for event in built.events if event["name"] != "cudaStreamSynchronize"]
    opening = opening_of(build_report(built.write(tmp_path / "host_1.1000.pt.trace.json")))
    assert opening.verdict.startswith("The GPU is busy 94")
    assert "Most of that is replayed by a CUDA graph, from module layers.0.mlp." in opening.detail
