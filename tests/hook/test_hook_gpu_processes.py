"""Other processes on the GPU, as torch lists them."""

from __future__ import annotations

import pytest
import torch

from tbprof.hook.gpu_processes import count_others, other_gpu_processes


@pytest.mark.parametrize(
    ("listed", "others"),
    [
        ("GPU:0\nno processes are running", 0),
        ("GPU:0\nprocess       4711 uses      300.000 MB GPU memory", 0),
        (
            "GPU:0\nprocess       4711 uses      300.000 MB GPU memory\n"
            "process         12 uses    70123.250 MB GPU memory",
            1,
        ),
        ("pynvml module not found, please install nvidia-ml-py", None),
        ("cuda driver can't be loaded, is cuda enabled?", None),
    ],
)
def test_this_process_is_one_of_those_that_are_listed(listed: str, others: int | None) -> None:
    assert count_others(listed) == others


@pytest.mark.skipif(torch.cuda.is_initialized(), reason="CUDA is in use")
def test_without_cuda_in_use_nobody_is_asked() -> None:
    assert other_gpu_processes() is None
    assert not torch.cuda.is_initialized()
