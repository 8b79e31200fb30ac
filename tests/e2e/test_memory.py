"""The page of memory in the tab."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from memory_file_scene import SNAPSHOT
from playwright.sync_api import Page, expect
from tab import IN_BOTH_THEMES, IN_LIGHT, axe_violations, open_tab
from tensorboard_server import tensorboard

pytestmark = pytest.mark.browser

TRAINING = """
import sys, torch, tbprof

model = torch.nn.Linear(1000, 500)
schedule = tbprof.Schedule(skip_first=0, wait=0, warmup=1, active=1)
with tbprof.TrainerHook(sys.argv[1], schedule=schedule) as hook:
    for _ in range(4):
        model(torch.randn(4, 1000)).sum().backward()
        hook.step()
    torch.empty(1 << 50, dtype=torch.uint8)
"""
"""A window, and then a request that no machine can meet."""


FAILED_AT_ONCE = """
import sys, torch, tbprof

model = torch.nn.Linear(1000, 500)
with tbprof.TrainerHook(sys.argv[1]) as hook:
    model(torch.randn(4, 1000)).sum().backward()
    hook.step()
    torch.empty(1 << 50, dtype=torch.uint8)
"""


def fail(program: str, folder: Path, run: Path) -> None:
    """A training that leaves on the exception that it would leave on without us."""
    (folder / "train.py").write_text(program, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, folder / "train.py", run],
        env={**os.environ, "TBPROF_SPOOL": str(folder / "spool")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.stderr.rstrip().splitlines()[-1].startswith("RuntimeError: "), ended.stderr


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A training that ran out of memory under the hook, with two snapshots beside its window."""
    folder = tmp_path_factory.mktemp("failed")
    run = folder / "logs" / "run"
    fail(TRAINING, folder, run)
    fail(FAILED_AT_ONCE, folder, folder / "logs" / "early")
    (run / "step.pickle").write_bytes(pickle.dumps(SNAPSHOT))
    (run / "hostile.pickle").write_bytes(pickle.dumps(print))
    os.utime(run / "step.pickle", (0, 0))
    with tensorboard(folder / "logs") as address:
        yield address


@IN_BOTH_THEMES
def test_a_moment_and_a_part_are_chosen_on_the_curve(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "memory")
    expect(frame.locator("h1")).to_contain_text("GPU 0 holds at most 101.3")
    expect(frame.get_by_role("table", name="At the peak")).to_contain_text("from before the recording")
    expect(frame.get_by_role("grid", name="Allocations")).to_contain_text("aten::empty")
    curve = frame.get_by_role("slider")
    curve.click(position={"x": 40, "y": 90})
    expect(frame.locator("#holders-title")).to_contain_text("At this moment")
    assert axe_violations(page) == ""
    page.keyboard.press("Escape")
    expect(frame.locator("#holders-title")).to_contain_text("At the peak")
    page.keyboard.press("w")
    frame.get_by_role("button", name="This part in the timeline").click()
    expect(page).to_have_url(re.compile(r"view=timeline.*start=\d"))


@IN_LIGHT
def test_the_cpu_has_a_curve_of_its_own_and_rows_open(page: Page, address: str) -> None:
    frame = open_tab(page, address, "h100_bert_small_infer", "memory")
    frame.get_by_role("group", name="Memory of").get_by_role("button", name="CPU").click()
    expect(frame.locator("h1")).to_contain_text("CPU holds at most 16")
    frame.get_by_role("row", name="aten::gelu").click()
    expect(frame.get_by_role("complementary")).to_contain_text("Called in")


@IN_LIGHT
def test_without_allocations_the_page_says_what_to_record(page: Page, address: str) -> None:
    frame = open_tab(page, address, "sam_amg_a100", "memory")
    expect(frame.locator(".answer")).to_contain_text("profile_memory=True")


@IN_BOTH_THEMES
def test_where_memory_ran_out_is_open_and_snapshots_are_beside_it(page: Page, failed: str) -> None:
    frame = open_tab(page, failed, "run", "memory")
    shown = frame.get_by_role("article")
    asked = shown.get_by_role("heading", level=3)
    expect(asked).to_contain_text("of the CPU could not be allocated, after 4 steps")
    expect(shown).to_contain_text("The request alone is larger than the memory")
    expect(shown.get_by_role("table", name="What held memory of the CPU")).to_contain_text("parameters")
    expect(shown).to_contain_text("train.py:10")
    assert axe_violations(page) == ""
    snapshots = frame.get_by_role("button", name="Snapshot of torch's allocator")
    snapshots.last.click()
    expect(frame.get_by_role("table", name="GPU 0")).to_contain_text("train.py(7): main")
    expect(frame.get_by_role("article")).to_contain_text("the largest block 300")
    snapshots.first.click()
    expect(shown).to_contain_text("nothing of it was run")


@IN_BOTH_THEMES
def test_a_run_that_failed_before_its_first_window_shows_why(page: Page, failed: str) -> None:
    frame = open_tab(page, failed, "early")
    expect(frame.locator("h1")).to_have_text("No window was recorded in early")
    asked = frame.get_by_role("article").get_by_role("heading", level=3)
    expect(asked).to_contain_text("of the CPU could not be allocated, after 1 step")
    assert axe_violations(page) == ""
    frame.get_by_role("button", name="Run").click()
    frame.get_by_role("option", name="run", exact=False).filter(has_not_text="no window").click()
    expect(page).to_have_url(re.compile("run=run"))
