"""Real TensorBoard on a real log directory, and a real Chromium that looks at it."""

from __future__ import annotations

import os
import pathlib
import shutil
import urllib.parse
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from recorded_runs import put_runs
from tab import PATIENCE_MS
from tensorboard_server import tensorboard
from trained_demo import TrainedDemo

expect.set_options(timeout=PATIENCE_MS)

_CHROMIUMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first takes half the processor time of the others."""

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
    installed = filter(None, map(shutil.which, _CHROMIUMS))
    chromium = os.environ.get("TBPROF_CHROMIUM") or next(installed, None)
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
    context.set_default_timeout(PATIENCE_MS)
    opened = context.new_page()
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        # TensorBoard's own page asks for files that it lacks under a path prefix. The tab asks each second
        # whether there are new windows, and also a server that the test has ended.
        if (
            message.type == "error"
            and "tbprof" in url
            and not urllib.parse.urlsplit(url).path.endswith("/version")
        ):
            errors.append(f"{message.text} {message.location}")

    opened.on("console", note)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory, trained_demo: TrainedDemo) -> pathlib.Path:
    """A run of the demo, recorded by the hook, beside runs that others recorded and known ones."""
    folder = tmp_path_factory.mktemp("logs")
    shutil.copytree(trained_demo.logs, folder / "demo", ignore=shutil.ignore_patterns("samples"))
    put_runs(folder)
    return folder


@pytest.fixture(scope="session")
def address(logdir: pathlib.Path) -> Iterator[str]:
    with tensorboard(logdir) as started:
        yield started
