"""A large trace opens in the tab with progress, and the other tabs answer meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from large_trace import Opening, logdir_with, open_large
from listing_watch import LISTINGS, watched_listings
from playwright.sync_api import Browser
from tensorboard_server import tensorboard

pytestmark = pytest.mark.browser

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
LARGE_BYTES = 50_000_000


def check(opening: Opening, trace: Path) -> None:
    size = trace.stat().st_size
    assert size > LARGE_BYTES
    assert opening.progress_bytes == sorted(opening.progress_bytes)
    assert 0 < opening.progress_bytes[-1] <= size
    assert "so far" in opening.said
    assert len(opening.listings_s) >= len(LISTINGS)


def test_other_tabs_answer_while_a_large_trace_is_read(browser: Browser, tmp_path: Path) -> None:
    logdir, trace = logdir_with(SAMPLES / "sam_amg_a100" / "amg_HEAD.json.gz", 12, tmp_path)
    with tensorboard(logdir) as address:
        check(open_large(browser, address, patience_s=120), trace)


@pytest.mark.exhaustive
def test_listings_take_less_than_a_second_while_a_gigabyte_is_read(
    browser: Browser, traces: Path, tmp_path: Path
) -> None:
    """Or at most half as much again as those of a TensorBoard with nothing to do, on a busy machine."""
    logdir, trace = logdir_with(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz", 18, tmp_path)
    (tmp_path / "empty").mkdir()
    with (
        tensorboard(logdir) as address,
        tensorboard(tmp_path / "empty") as idle,
        watched_listings(idle) as idle_s,
    ):
        opening = open_large(browser, address, patience_s=600)
    assert trace.stat().st_size > 1_000_000_000
    assert len(opening.progress_bytes) > 5
    check(opening, trace)
    assert max(opening.listings_s) < max(1, 1.5 * max(idle_s))
