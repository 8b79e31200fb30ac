"""The built page: looked up by name, kept by the browser where its name says what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from werkzeug.test import Client

from tbprof.plugin.routes.access_control import Bundle

ROOT = "/data/plugin/tbprof"


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a bundle, of a package installed elsewhere."""
    folder = tmp_path / "tbprof" / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.js").write_text("export function render() {}", encoding="utf-8")
    (folder / "assets" / "site-1a2b.css").write_text("a {}", encoding="utf-8")
    (folder / "notes.txt").write_text("not of the page", encoding="utf-8")
    monkeypatch.setattr("tbprof.plugin.routes.access_control.PACKAGE", tmp_path / "tbprof")
    return folder


def test_the_entry_is_asked_for_anew_each_time(static: Path) -> None:
    response = Client(Bundle().serve).get(f"{ROOT}/index.js")
    assert response.get_data() == (static / "index.js").read_bytes()
    assert response.mimetype == "text/javascript"
    assert "max-age" not in response.headers.get("Cache-Control", "")


@pytest.mark.usefixtures("static")
def test_an_asset_with_a_hash_in_its_name_may_be_kept() -> None:
    response = Client(Bundle().serve).get(f"{ROOT}/assets/site-1a2b.css")
    assert response.mimetype == "text/css"
    assert "max-age=86400" in response.headers["Cache-Control"]


@pytest.mark.usefixtures("static")
@pytest.mark.parametrize(
    "name", ["assets/other.css", "notes.txt", "assets/", "assets/../../__init__.py", "index.js.map"]
)
def test_what_is_not_of_the_page_is_not_found(name: str) -> None:
    response = Client(Bundle().serve).get(f"{ROOT}/{name}")
    assert response.status_code == 404
    assert response.get_data() == b""


def test_a_page_that_was_not_built_says_how_to_build_it(static: Path) -> None:
    (static / "index.js").unlink()
    response = Client(Bundle().serve).get(f"{ROOT}/index.js")
    assert response.status_code == 200
    assert "npm run build" in response.text
    assert "export function render" in response.text


@pytest.mark.usefixtures("static")
def test_a_path_prefix_changes_nothing() -> None:
    response = Client(Bundle().serve).get(f"/behind/a/proxy{ROOT}/index.js")
    assert response.status_code == 200
