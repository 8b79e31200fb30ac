"""Real TensorBoard on a real log directory, and a real Chromium that looks at it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from source_scene import known_training
from tab import PATIENCE_MS
from tensorboard_server import tensorboard

from tbprof.store.codec import encode_report

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"

expect.set_options(timeout=PATIENCE_MS)

# TensorBoard may have nothing to do with the network, and neither may the browser.
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = os.environ.get("TBPROF_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        message = "no Chromium: install it, or name it in TBPROF_CHROMIUM"
        if os.environ.get("TBPROF_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield started
        started.close()


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.exhaustive)])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page of its own for each test, in light; in dark where all figures are wanted, or the test is marked.

    An error of ours in its console fails the test.
    """
    context = browser.new_context(color_scheme=request.param, viewport={"width": 1280, "height": 720})
    opened = context.new_page()
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # TensorBoard's own page asks for files that it lacks under a path prefix.
        if message.type == "error" and "tbprof" in message.location.get("url", ""):
            errors.append(f"{message.text} {message.location}")

    opened.on("console", note)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A run of the demo, recorded by the hook, beside traces that others recorded and known trainings."""
    folder = tmp_path_factory.mktemp("logs")
    environment = {**os.environ, "TBPROF_SPOOL": str(tmp_path_factory.mktemp("spool"))}
    demo = [sys.executable, "-m", "tbprof.demo", "--logdir", str(folder / "demo"), "--steps", "11"]
    subprocess.run(demo, env=environment, check=True, capture_output=True, timeout=300)
    for name in ("sam_amg_a100", "h100_bert_small_infer", "h100_transformer_clean"):
        (folder / name).mkdir()
        for trace in (SAMPLES / name).glob("*.json.gz"):
            shutil.copy(trace, folder / name)
    for name, metrics in {"known": "lib/metrics.py", "known_moved": "lib/late_metrics.py"}.items():
        (folder / name).mkdir()
        report = encode_report(known_training(metrics=metrics), written_by="0.1")
        (folder / name / "w.1752215573993169006.tbprof.pb").write_bytes(report)
    (folder / "damaged").mkdir()
    whole = next((SAMPLES / "h100_transformer_clean").glob("*.json.gz")).read_bytes()
    (folder / "damaged" / "cut.pt.trace.json.gz").write_bytes(whole[:40])
    return folder


@pytest.fixture(scope="session")
def address(logdir: pathlib.Path) -> Iterator[str]:
    with tensorboard(logdir) as started:
        yield started
