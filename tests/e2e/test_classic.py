"""The standard PyTorch Profiler tab on classic copies: unmodified plugin, real TensorBoard.

Its page loads Google Charts and parts of its trace viewer from the internet, which tests do
without: charts are drawn as tables, and the trace view is judged by its data.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tensorboard_server import tensorboard
from timeouts import PATIENCE_MS, PATIENCE_S

torch = pytest.importorskip("torch")
pytest.importorskip("torch_tb_profiler")

pytestmark = pytest.mark.browser

HERE = pathlib.Path(__file__).parent
SAMPLES = HERE.parents[1] / "logs" / "samples"
CHARTS = (HERE / "offline_charts.js").read_text(encoding="utf-8")
ROUTES = "/data/plugin/pytorch_profiler/"
WORKER = "h100_bert_small"

Averages = dict[str, tuple[int, float, float]]
"""By name: calls, total and own time on the host in us."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, Averages]:
    """A training step on the processor and torch's own table of it."""
    from torch.profiler import ProfilerActivity, profile, record_function

    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with profile(activities=[ProfilerActivity.CPU]) as recorder:
        for _ in range(3):
            with record_function("forward"):
                loss = model(torch.randn(32, 64)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    # Its worker has another name than its run: the page has a button for each.
    trace = tmp_path_factory.mktemp("recorded") / "processor.json"
    recorder.export_chrome_trace(str(trace))
    rows = recorder.key_averages()
    return trace, {row.key: (row.count, row.cpu_time_total, row.self_cpu_time_total) for row in rows}


@pytest.fixture(scope="module")
def classic_address(
    recorded: tuple[pathlib.Path, Averages], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """TensorBoard on the copies of two traces, in one run each."""
    logdir = tmp_path_factory.mktemp("classic") / "logs"
    sources = {"gpu": SAMPLES / "h100_bert_small_infer" / f"{WORKER}.json.gz", "cpu": recorded[0]}
    for run, trace in sources.items():
        command = [sys.executable, "-m", "tbprof", "classic", str(trace), "--out", str(logdir / run)]
        subprocess.run(command, check=True, capture_output=True)
    with tensorboard(logdir) as started:
        wait_until_loaded(started, set(sources))
        yield started


def get(address: str, route: str, **arguments: str) -> Any:
    with urllib.request.urlopen(f"{address}{ROUTES}{route}?{urllib.parse.urlencode(arguments)}") as answer:
        content = answer.read()
    return json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)


def wait_until_loaded(address: str, runs: set[str]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        state = get(address, "runs")
        if not state["loading"] and runs <= set(state["runs"]):
            return
        time.sleep(0.5)
    pytest.fail(f"the plugin did not load {runs}")


def test_on_the_processor_the_table_of_operators_is_that_of_torch(
    classic_address: str, recorded: tuple[pathlib.Path, Averages]
) -> None:
    table = get(
        classic_address,
        "operation/table",
        run="cpu",
        worker="processor",
        span="default",
        group_by="Operation",
    )
    shown = {
        row["name"]: (row["calls"], row["host_total_duration"], row["host_self_duration"])
        for row in table["data"]
    }
    kept_out = {name for name in recorded[1] if name.startswith("Optimizer.")}
    assert set(shown) == set(recorded[1]) - kept_out
    for name, (calls, total, own) in shown.items():
        # The plugin shows whole us.
        assert (calls, total, own) == pytest.approx(recorded[1][name], abs=1), name


def test_every_view_has_its_data(classic_address: str) -> None:
    place = {"run": "gpu", "worker": WORKER, "span": "default"}
    views = get(classic_address, "views", run="gpu")
    assert views == ["Overview", "Operator", "Kernel", "Trace", "Memory", "Module"]
    assert get(classic_address, "overview", **place)["steps"]["rows"][0][0] == "6"
    assert get(classic_address, "operation", group_by="Operation", **place)["device_self_time"]["rows"]
    table = get(classic_address, "operation/table", group_by="Operation", **place)["data"]
    assert all(row["has_call_stack"] for row in table)
    stacks = get(classic_address, "operation/stack", op_name="aten::linear", group_by="Operation", **place)
    assert "forward" in stacks["data"][0]["call_stack"]
    kernels = get(classic_address, "kernel/table", group_by="Kernel", **place)["data"]
    assert sum(row[2] for row in kernels["rows"]) == 60
    assert get(classic_address, "kernel/tc_pie", **place)["total"]["rows"][0][1] > 0
    assert get(classic_address, "memory", **place)["rows"]["GPU0"]
    assert get(classic_address, "memory_curve", **place)["rows"]["GPU0"]
    assert get(classic_address, "memory_events", **place)["rows"]["GPU0"]
    assert get(classic_address, "module", **place)["data"]
    assert get(classic_address, "tree", **place)
    events = get(classic_address, "trace", **place)["traceEvents"]
    assert {event["ph"] for event in events} >= {"X", "M", "s", "f", "i", "C"}


def test_a_run_of_the_hook_is_shown_with_its_loader(logdir: pathlib.Path, address: str) -> None:
    run = "demo/before/classic"
    wait_until_loaded(address, {run})
    [copy] = (logdir / run).iterdir()
    [worker] = get(address, "workers", run=run, view="Overview")
    span = get(address, "spans", run=run, worker=worker)[0]
    overview = get(address, "overview", run=run, worker=worker, span=span)
    parts = {part["name"]: part["value"] for part in overview["performance"][0]["children"]}
    assert copy.name.startswith(worker)
    assert parts["DataLoader"] > 0
    assert len(overview["steps"]["rows"]) == 5


@pytest.fixture
def classic_page(browser: Browser, classic_address: str) -> Iterator[Page]:
    """The plugin's page, with the one script that it needs from the internet replaced."""
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.route(
        re.compile(r"//www\.gstatic\.com/charts/"),
        lambda route: route.fulfill(body=CHARTS, content_type="application/javascript"),
    )
    opened.goto(f"{classic_address}{ROUTES}index.html")
    yield opened
    opened.close()
    assert errors == []


def choose(page: Page, shown: str, wanted: str) -> None:
    """Choose another value in the list box that shows one now."""
    page.get_by_role("button", name=shown, exact=True).click(timeout=PATIENCE_MS)
    page.get_by_role("option", name=wanted, exact=True).click(timeout=PATIENCE_MS)


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("Overview", "Kernel Time using Tensor Cores"),
        ("Operator", "aten::linear"),
        ("GPU Kernel", "sm90_xmma_gemm"),
        ("Memory", "aten::empty_strided"),
        ("Module", "BertLMHeadModel_0"),
    ],
)
def test_a_view_opens_in_the_browser(classic_page: Page, view: str, text: str) -> None:
    choose(classic_page, "cpu", "gpu")
    expect(classic_page.get_by_text("NVIDIA H100 80GB HBM3").first).to_be_visible(timeout=PATIENCE_MS)
    if view != "Overview":
        choose(classic_page, "Overview", view)
    expect(classic_page.locator("body")).to_contain_text(text, timeout=PATIENCE_MS)
