"""Which Python frame is the user's, and which line is known."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.model import Source


def source_of(built: TraceBuilder) -> Source | None:
    built.synchronize("cudaStreamSynchronize", 50, 60)
    return built.report().sites[0].source


@pytest.mark.parametrize(
    ("frame", "file", "line", "function"),
    [
        ("train.py(12): step", "train.py", 12, "step"),
        ("/home/me/a (b)/train.py(3): <module>", "/home/me/a (b)/train.py", 3, "<module>"),
        ("transformers/pipelines/base.py(1173): f", "transformers/pipelines/base.py", 1173, "f"),
        ("<ipython-input-3-0a1b>(4): <module>", "<ipython-input-3-0a1b>", 4, "<module>"),
        ("/tmp/ipykernel_41/99.py(7): train", "/tmp/ipykernel_41/99.py", 7, "train"),
        ("<stdin>(1): <module>", "<stdin>", 1, "<module>"),
        ("训练.py(5): 循环", "训练.py", 5, "循环"),
        ("C:\\Users\\me\\train.py(5): f", "C:\\Users\\me\\train.py", 5, "f"),
        ("torch_prof.py(114): main", "torch_prof.py", 114, "main"),
        ("dn/cdn.py(2): forward", "dn/cdn.py", 2, "forward"),
        ("mytorch/model.py(2): forward", "mytorch/model.py", 2, "forward"),
        ("torchvision/models/resnet.py(9): forward", "torchvision/models/resnet.py", 9, "forward"),
    ],
)
def test_a_users_frame_is_a_file_a_line_and_a_name(frame: str, file: str, line: int, function: str) -> None:
    assert parse_frame(frame, exact=False) == Source(file, line, function, exact=False, candidates=())


@pytest.mark.parametrize(
    "frame",
    [
        "tbprof/hook/turn.py(182): ours",
        "torch/nn/modules/module.py(1518): _call_impl",
        "torch\\nn\\functional.py(3): relu",
        "/opt/env/lib/python3.12/site-packages/torch/_tensor.py(9): item",
        "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py(2): __next__",
        "nn.Module: Linear_3",
        "<built-in method item of Tensor object at 0x7f>",
        "<string>(1): <lambda>",
        "<frozen importlib._bootstrap>(1165): _find_and_load",
        "no frame at all",
        "selectors.py(402): select",
        "/tmp/torchinductor_me/dn/cdniggnbpjo6ck7jj7d4oel3kskalexpxacrci3ow345jwe33wgw.py(165): call",
        "/scratch/compiled/dn/cdniggnbpjo6ck7jj7d4oel3kskalexpxacrci3ow345jwe33wgw.py(165): call",
        "/usr/lib/python3.11/multiprocessing/connection.py(930): wait",
    ],
)
def test_frames_of_torch_of_modules_and_of_no_file_are_not(frame: str) -> None:
    assert parse_frame(frame, exact=False) is None


def test_the_innermost_frame_of_the_user_counts_behind_those_of_torch() -> None:
    built = TraceBuilder()
    built.frame("train.py(1): <module>", 0, 100)
    built.frame("train.py(20): step", 10, 90)
    built.frame("nn.Module: Net_0", 20, 85)
    built.frame("torch/_tensor.py(30): item", 30, 80)
    built.frame("<built-in method item of Tensor object at 0x7f>", 40, 70)
    assert source_of(built) == Source("train.py", 20, "step", exact=False, candidates=())


def test_a_frame_of_another_thread_or_that_ends_before_the_call_is_not_its_source() -> None:
    built = TraceBuilder()
    built.frame("other.py(1): run", 0, 100, thread=SIDE)
    built.frame("early.py(1): run", 0, 59.999)
    assert source_of(built) is None


def test_in_2021_the_source_is_the_first_user_entry_of_the_ops_stack_and_its_line_is_the_calls() -> None:
    built = TraceBuilder("2021")
    built.op(
        "aten::item",
        40,
        70,
        stack="/env/site-packages/torch/tensor.py(8): item;train.py(44): <module>;run.py(1): main",
    )
    assert source_of(built) == Source("train.py", 44, "<module>", exact=True, candidates=())


def test_in_2021_an_op_without_a_stack_has_that_of_the_op_around_it() -> None:
    built = TraceBuilder("2021")
    built.op("aten::to", 30, 80, stack="train.py(44): <module>")
    built.op("aten::copy_", 40, 70)
    assert source_of(built) == Source("train.py", 44, "<module>", exact=True, candidates=())


def test_without_stacks_there_is_no_source() -> None:
    built = TraceBuilder()
    built.op("aten::item", 40, 70)
    assert source_of(built) is None
