"""Which line is named, and how often: generated code, libraries called from several lines, derivatives."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from marked_programs import run_here

torch = pytest.importorskip("torch")

from tbprof.preflight import user_frame  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402
from tbprof.preflight.text import text  # noqa: E402
from tbprof.program import caller_frame  # noqa: E402


def run(folder: Path, source: str) -> Any:
    program = folder / "train.py"
    program.write_text(source, encoding="utf-8")
    return run_here(program)["sites"]


GENERATED = """
import torch
total = torch.ones(2, device="cuda").sum()
names = {}
exec("def read(value):\\n    return value.item()", names)
names["read"](total)
"""


def test_generated_code_is_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Processes that run tests side by side are started with -c.
    monkeypatch.setattr(sys, "argv", ["train.py"])
    user_frame.is_programs.cache_clear()
    (site,) = run(tmp_path, GENERATED)
    assert (site["source"]["file"], site["source"]["line"]) == (str(tmp_path / "train.py"), 6)


LIBRARY = "def read(value):\n    return value.item()\n"
CALLS_IT_TWICE = """
import torch
from library_of_this_test import read
total = torch.ones(2, device="cuda").sum()
for _ in range(2):
    read(total)
read(total)
"""


def test_a_library_line_keeps_all_lines_that_call_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "library_of_this_test.py").write_text(LIBRARY, encoding="utf-8")
    folder = str(tmp_path / "site-packages")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(caller_frame, "_INSTALLED", (*caller_frame._INSTALLED, folder + "/"))
    for cached in (caller_frame.library_of, user_frame.is_programs):
        cached.cache_clear()
    program = tmp_path / "train.py"
    program.write_text(CALLS_IT_TWICE, encoding="utf-8")
    with Preflight(program="train.py") as preflight:
        exec(compile(CALLS_IT_TWICE, str(program), "exec"), {"__name__": "__main__"})
    (site,) = preflight.sites
    assert site.library == "library_of_this_test"
    assert [caller.line for caller in site.called_at] == [6, 7]
    assert "train.py:6 in <module> and" in text(preflight.prediction)


MASKED_TWICE = """
import torch
weight = torch.ones(4, device="cuda", requires_grad=True)
mask = weight.detach() > 0
a = weight[mask]
b = (weight * 2)[mask]
(a.sum() + b.sum()).backward()
"""


def test_the_derivative_of_a_mask_names_the_lines_of_the_mask(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(MASKED_TWICE, encoding="utf-8")
    with Preflight(program="train.py") as preflight:
        exec(compile(MASKED_TWICE, str(program), "exec"), {"__name__": "__main__"})
    *forward, backward = preflight.sites
    assert [site.derivative_of for site in forward] == [(), ()]
    assert (backward.count, {line.line for line in backward.derivative_of}) == (2, {5, 6})
    assert "by the derivative of" in text(preflight.prediction)
    assert forward[1].same_mask_as == (forward[0].source,)
    said = text(preflight.prediction)
    assert (
        "the same mask waits again at :6\n    Index by `rows = mask.nonzero(as_tuple=True)`, made once"
        in said
    )
    assert "train.py:6 in <module>  dynamic shape" not in said
    assert "2 findings, " in said


COMPUTED_ON_THE_HOST = """
import torch
weight = torch.ones(4, device="cuda", requires_grad=True)
far = weight.to("cpu") * 2
far.sum().backward()
"""


def test_a_gradient_that_is_copied_back_names_the_line_that_moved_its_tensor(tmp_path: Path) -> None:
    read, back = run(tmp_path, COMPUTED_ON_THE_HOST)
    assert (read["kind"], read["derivative_of"], back["kind"]) == ("host_read", [], "upload")
    assert [line["line"] for line in back["derivative_of"]] == [read["source"]["line"]]


INDEXED = """
import torch
weight = torch.ones(4, device="cuda", requires_grad=True)
rows = torch.tensor([0, 1])
picked = weight[rows]
again = weight[rows] * weight.detach()[rows]
(picked + again).sum().backward()
"""


def test_the_derivative_of_indexing_uploads_the_rows_again_at_the_same_line(tmp_path: Path) -> None:
    found = [(site["source"]["line"], site["count"], site["kind"]) for site in run(tmp_path, INDEXED)]
    assert found == [(5, 2, "upload"), (6, 3, "upload")]


def test_rows_that_change_are_no_constant_for_being_uploaded_twice() -> None:
    with Preflight(steps=2, warmup=0) as preflight:
        weight = torch.ones(4, device="cuda", requires_grad=True)
        optimizer = torch.optim.SGD([weight])
        for step in range(2):
            weight[torch.tensor([step])].sum().backward()
            optimizer.step()
    assert [site.is_constant for site in preflight.sites] == [False]


def fixes(program: str, folder: Path) -> dict[int, str]:
    """What to do about the lines of a program, by their numbers."""
    path = folder / "train.py"
    path.write_text("import torch\n" + program, encoding="utf-8")
    predicted = run_here(path)
    sites = [predicted["sites"][finding["sites"][0]] for finding in predicted["findings"]]
    return {
        site["source"]["line"]: finding["fix"]
        for site, finding in zip(sites, predicted["findings"], strict=True)
    }


MASKED = """
layer = torch.nn.TransformerEncoderLayer(4, 2, batch_first=True)
encoder = torch.nn.TransformerEncoder(layer, 1).to("cuda")
mask = torch.nn.Transformer.generate_square_subsequent_mask(3, device="cuda")
encoder(torch.ones(2, 3, 4, device="cuda"), mask)
"""
LINE_SEARCH = """
weight = torch.ones(4, device="cuda", requires_grad=True)
optimizer = torch.optim.LBFGS([weight], max_iter=2)
def closure():
    optimizer.zero_grad()
    loss = weight.square().sum()
    loss.backward()
    return loss
optimizer.step(closure)
"""
LEAF_ON_THE_HOST = """
leaf = torch.tensor([1.0, 2.0], requires_grad=True).double().to("cuda")
leaf.sum().backward()
"""


@pytest.mark.parametrize(
    ("program", "line", "said"),
    [(MASKED, 6, "is_causal="), (LINE_SEARCH, 10, "max_iter"), (LEAF_ON_THE_HOST, 4, "requires_grad_()")],
    ids=["mask", "line search", "leaf"],
)
def test_a_wait_in_torchs_own_code_is_told_what_its_caller_can_do(
    program: str, line: int, said: str, tmp_path: Path
) -> None:
    assert said in fixes(program, tmp_path)[line]


SAVED = """
import io
import torch
layer = torch.nn.Linear(4, 4, bias=False).to("cuda")
tied = [layer.weight, layer.weight.detach()]
torch.save(tied, io.BytesIO())
torch.save(tied, io.BytesIO(), _use_new_zipfile_serialization=False)
layer.weight.untyped_storage().cpu()
"""


def test_a_saved_storage_is_read_once_where_torch_copies_it(tmp_path: Path) -> None:
    zipped, former, by_hand = (site for site in run(tmp_path, SAVED) if site["kind"] == "host_read")
    for site in (zipped, former, by_hand):
        assert (site["count"], site["bytes"], site["blocking"], site["non_blocking"]) == (1, 64, 1, False)
    assert (zipped["source"]["line"], zipped["via"]["function"], zipped["call"]) == (6, "_save", "cpu")
    assert (former["source"]["line"], former["via"]["function"]) == (7, "_legacy_save")
    assert (by_hand["source"]["line"], by_hand["via"]) == (8, None)
