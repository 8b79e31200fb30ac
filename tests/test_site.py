"""The documentation as a site: built as it is published, with a page at each address that tbprof prints."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tbprof.manual.pages import all_pages
from tbprof.texts.rule_pages import SITE, all_rules, rule_address

pytest.importorskip("mkdocs")
ROOT = Path(__file__).parents[1]
BUILD = (sys.executable, "-m", "mkdocs", "build", "--strict", "-f", ".github/site/mkdocs.yml", "-d")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run([*BUILD, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_address_that_is_printed_has_its_page(site: Path) -> None:
    addresses = [rule_address(rule.code) for rule in all_rules()]
    addresses += [f"{SITE}{page.name}/" for page in all_pages()]
    assert [one for one in addresses if not (site / one.removeprefix(SITE) / "index.html").is_file()] == []


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert len(texts) > len(all_rules())
    lost, loaded = list[str](), list[str]()
    for path, text in texts.items():
        targets = {html.unescape(found) for found in re.findall(r' (?:href|src)="([^"]+)"', text)}
        inner = {target for target in targets if not re.match(r"\w+:|/tbprof/", target)}
        lost += [f"{path.relative_to(site)}: {one}" for one in sorted(inner) if not _leads(path, one, texts)]
        loaded += re.findall(r'<(?:script|link rel="stylesheet"|img)[^>]* (?:src|href)="(http[^"]*)', text)
    assert (lost, loaded) == ([], [])


def _leads(page: Path, target: str, texts: dict[Path, str]) -> bool:
    where, anchor = urldefrag(unquote(target))
    file = (page.parent / where).resolve() if where else page
    file = file / "index.html" if file.is_dir() else file
    is_known = not anchor or file not in texts or f'id="{html.escape(anchor)}"' in texts[file]
    return file.is_file() and is_known
