"""The pages of the site: README, the manual, a page for each rule, measured figures, and the changelog.

Each lies once in the repository, with links that hold there; a file that one of them links to is a page, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files

from tbprof.manual.pages import RULES_PAGE, all_pages, rule_markdown
from tbprof.texts.rule_pages import SITE, all_rules

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[2]
PICTURES = ("tests/e2e/pictures/tab-light.png",)
OF_SOURCES = {
    "README.md": "index.md",
    "README.zh-CN.md": "zh/index.md",
    ".github/CHANGELOG.md": "changelog.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/SECURITY.md": "security.md",
    "tbprof/ARCHITECTURE.md": "architecture.md",
}
"""Files of the repository by the page that each is."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(?=[)#])")
_NAMED_PAGE = re.compile(r"\b(pages?) `(\w+)`")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the address, and the order of the pages."""
    config.site_url = SITE
    manual = [{page.title: f"{page.name}.md"} for page in all_pages() if page.name != RULES_PAGE]
    rules = [{f"{rule.code} {rule.name}": f"rules/{rule.code}.md"} for rule in all_rules()]
    measured = [page for page in _sources().values() if page.startswith("measured/")]
    config.nav = [
        {"tbprof": "index.md"},
        {"Manual": manual},
        {"Rules": [f"{RULES_PAGE}/index.md", *rules]},
        {"Measured": measured},
        {"Project": [f"{name}.md" for name in ("changelog", "contributing", "architecture", "security")]},
        {"中文": ["zh/index.md", *(f"zh/{page}" for page in sorted(_chinese()))]},
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add all pages to those of the folder."""
    for picture in PICTURES:
        files.append(File.generated(config, picture, abs_src_path=str(ROOT / picture)))
    for page, text in _pages():
        files.append(File.generated(config, page, content=text))
    return files


def _pages() -> Iterator[tuple[str, str]]:
    """The path of each page, and its Markdown."""
    for source, page in _sources().items():
        yield page, _linked((ROOT / source).read_text(encoding="utf-8"), source, page)
    for text in all_pages():
        if text.name == RULES_PAGE:
            head = (ROOT / "tbprof/manual/rules.md").read_text(encoding="utf-8")
            rows = "".join(
                f"- [{rule.code} {rule.name}]({rule.code}.md): {rule.title}.\n" for rule in all_rules()
            )
            yield f"{RULES_PAGE}/index.md", f"{head}\n{rows}"
        else:
            yield f"{text.name}.md", _NAMED_PAGE.sub(_link_to_page, text.markdown)
    for rule in all_rules():
        yield f"rules/{rule.code}.md", f"#{rule_markdown(rule)[2:]}"


@cache
def _sources() -> dict[str, str]:
    """All files that are pages as they lie there: those named, and the Markdown that they link to."""
    sources, unread = dict(OF_SOURCES), list(OF_SOURCES)
    while unread:
        file = unread.pop()
        for _, link in _LINK.findall((ROOT / file).read_text(encoding="utf-8")):
            linked = _linked_file(link, file)
            if linked.endswith(".md") and linked not in sources:
                sources[linked] = f"measured/{PurePosixPath(linked).stem}.md"
                unread.append(linked)
    return sources


def _linked_file(link: str, source: str) -> str:
    """The file of the repository that a link in another one is of."""
    return normpath((PurePosixPath(source).parent / link).as_posix())


def _chinese() -> list[str]:
    folder = Path(__file__).parent / "chinese" / "zh"
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.md")]


def _linked(text: str, source: str, page: str) -> str:
    """The Markdown of a file with its links as those of the page."""
    sources = _sources()

    def link(found: re.Match[str]) -> str:
        words, where = found.groups()
        file = _linked_file(where, source)
        if re.match(r"\w+:", where):
            return found[0]
        return f"[{words}]({relpath(sources.get(file, file), PurePosixPath(page).parent.as_posix())}"

    return _LINK.sub(link, text)


def _link_to_page(found: re.Match[str]) -> str:
    known = {page.name for page in all_pages()}
    if found[2] not in known:
        return found[0]
    file = f"{RULES_PAGE}/index.md" if found[2] == RULES_PAGE else f"{found[2]}.md"
    return f"{found[1]} [`{found[2]}`]({file})"
