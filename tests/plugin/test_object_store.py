"""A log directory in a real object store, on this machine: the tab, the commands and what the hook sends."""

from __future__ import annotations

import gzip
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import SAMPLES
from timeouts import PATIENCE_S

from tbprof.cli.main import main
from tbprof.remote import placeholders
from tbprof.remote.outbox import send

moto = pytest.importorskip("moto.server", reason="pip install 'tbprof[stores]'")
s3fs = pytest.importorskip("s3fs", reason="pip install 'tbprof[stores]'")

RUN = "classifier_0_before_h200"
ADDRESS = "s3://team/logs"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server of objects with an empty bucket."""
    server = moto.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    for name in ("FSSPEC_S3_ENDPOINT_URL", "AWS_ENDPOINT_URL"):
        monkeypatch.setenv(name, url)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv(placeholders.MIRRORS_VARIABLE, "")
    # What it holds is the process's, and stays from test to test.
    urllib.request.urlopen(urllib.request.Request(f"{url}/moto-api/reset", method="POST")).close()
    s3fs.S3FileSystem(endpoint_url=url, skip_instance_cache=True).mkdir("team")
    yield url
    placeholders._store.cache_clear()
    server.stop()


def _send(tmp_path: Path, name: str = RUN) -> None:
    shutil.copytree(SAMPLES / RUN, tmp_path / "outbox" / name)
    send(tmp_path / "outbox", ADDRESS, patience_s=0)


@pytest.mark.usefixtures("store")
@pytest.mark.exhaustive
def test_the_tab_is_there_at_once_and_shows_what_is_listed(
    open_tab: Callable[..., Any], tmp_path: Path
) -> None:
    _send(tmp_path)
    tab = open_tab(ADDRESS)
    assert tab.plugin.is_active()
    first = tab.runs()
    assert (first["runs"], "being listed" in first["skipped"][0]["reason"]) == ([], True)
    deadline = time.monotonic() + PATIENCE_S
    while not (found := tab.runs()["runs"]) and time.monotonic() < deadline:
        time.sleep(0.2)
    [run] = found
    [worker] = run["workers"]
    [window] = worker["windows"]
    shown = tab.window(run["run"], worker["worker"], window["window"])
    assert (run["run"], shown["state"], window["has_report"]) == (RUN, "ready", True)
    assert str(tmp_path) not in str(shown)
    foreign = {"run": "../../other", "worker": worker["worker"], "window": window["window"]}
    assert tab.get("window", **foreign).status_code == 404


@pytest.mark.usefixtures("store")
def test_a_command_prints_of_an_address_what_it_prints_of_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _send(tmp_path)
    assert main(["report", str(SAMPLES / RUN)]) == 0
    _, _, local = capsys.readouterr().out.partition(".tbprof.pb: ")
    assert main(["report", f"{ADDRESS}/{RUN}"]) == 0
    path, _, remote = capsys.readouterr().out.partition(".tbprof.pb: ")
    assert (path.rpartition("/")[0], remote) == (f"{ADDRESS}/{RUN}", local)


@pytest.mark.usefixtures("store")
def test_without_credentials_or_bucket_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "s3://nobody/logs"]) == 2
    assert capsys.readouterr().err == "tbprof: s3://nobody/logs is not there: check the address\n"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    assert main(["report", ADDRESS]) == 2
    assert "check your credentials for s3" in capsys.readouterr().err


@pytest.mark.usefixtures("store")
@pytest.mark.exhaustive
def test_a_bomb_in_a_store_costs_itself(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    """Packed it has 0.6 MB, unpacked 600."""
    _send(tmp_path)
    folder = tmp_path / "outbox" / "bombs"
    folder.mkdir(parents=True)
    with gzip.open(folder / "bomb.trace.json.gz", "wb") as file:
        for _ in range(600):
            file.write(bytes(1_000_000))
    send(tmp_path / "outbox", ADDRESS, patience_s=0)
    tab = open_tab(ADDRESS)
    deadline = time.monotonic() + PATIENCE_S
    while len(found := tab.runs()["runs"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert [run["run"] for run in found] == [RUN, "bombs"]
    shown = tab.window("bombs", "bomb", "bomb.trace.json.gz")
    assert shown["state"] == "broken"
    assert "fault of tbprof" not in shown["problem"]["what"]
    kept = sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert kept < 10_000_000
    [worker] = found[0]["workers"]
    assert tab.window(RUN, worker["worker"], worker["windows"][0]["window"])["state"] == "ready"
