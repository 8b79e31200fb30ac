"""The build hook: when it builds the web page, with what, and how it says that it can't."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("hatchling")

REPOSITORY = Path(__file__).parents[1]
needs_scripts = pytest.mark.skipif(os.name == "nt", reason="the stand-in for npm is a POSIX script")


def load_hook() -> ModuleType:
    """The hook as hatchling loads it: without an entry in `sys.modules`."""
    spec = importlib.util.spec_from_file_location("hatch_build", REPOSITORY / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hatch_build = load_hook()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two sources and no bundle; the switch is not set."""
    monkeypatch.delenv("TBPROF_FRONTEND", raising=False)
    source = tmp_path / "checkout" / "plugin_frontend" / "src"
    source.mkdir(parents=True)
    (source / "main.tsx").write_text("export function render() {}\n", encoding="utf-8")
    (source.parent / "package.json").write_text("{}\n", encoding="utf-8")
    return tmp_path / "checkout"


def stand_in(folder: Path, name: str, body: str) -> None:
    """An executable Python script of this name."""
    folder.mkdir(exist_ok=True)
    script = folder / name
    script.write_text(f"#!{sys.executable}\nimport pathlib, sys\n{body}\n", encoding="utf-8")
    script.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH: a new node, and an npm that notes its calls and writes a bundle."""
    folder = tmp_path / "tools"
    stand_in(folder, "node", "print('v20.19.0')")
    stand_in(
        folder,
        "npm",
        f"with open({str(tmp_path / 'calls')!r}, 'a') as calls: print(*sys.argv[1:], file=calls)\n"
        "if sys.argv[1] == 'run':\n"
        "    static = pathlib.Path('../tbprof/static'); static.mkdir(parents=True, exist_ok=True)\n"
        "    (static / 'index.js').write_text('export {}')",
    )
    monkeypatch.setenv("PATH", str(folder))
    return folder


def npm_calls(tools: Path) -> list[str]:
    calls = tools.parent / "calls"
    return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []


def hook_of(project: Path) -> object:
    return hatch_build.FrontendBuildHook(str(project), {}, None, None, str(project / "dist"), "wheel")


def run_hook(project: Path) -> None:
    hook_of(project).initialize("standard", {})  # type: ignore[attr-defined]


def dependencies(project: Path) -> list[str]:
    return hook_of(project).dependencies()  # type: ignore[attr-defined, no-any-return]


def test_the_digest_follows_names_and_contents(project: Path) -> None:
    frontend = project / "plugin_frontend"
    first = hatch_build.source_digest(frontend)
    assert hatch_build.source_digest(frontend) == first

    (frontend / "src" / "main.tsx").rename(frontend / "src" / "other.tsx")
    renamed = hatch_build.source_digest(frontend)
    (frontend / "src" / "other.tsx").write_text("export {}\n", encoding="utf-8")
    assert len({first, renamed, hatch_build.source_digest(frontend)}) == 3


@pytest.mark.parametrize("folder", ["node_modules", ".vite", "dev"])
def test_the_digest_leaves_out_what_no_bundle_comes_from(project: Path, folder: str) -> None:
    frontend = project / "plugin_frontend"
    before = hatch_build.source_digest(frontend)
    (frontend / folder / "preact").mkdir(parents=True)
    (frontend / folder / "preact" / "index.js").write_text("", encoding="utf-8")
    assert hatch_build.source_digest(frontend) == before


@needs_scripts
def test_a_checkout_without_a_bundle_is_built_once(project: Path, tools: Path) -> None:
    run_hook(project)
    assert (project / "tbprof" / "static" / "index.js").is_file()
    assert hatch_build.is_fresh(project)
    assert npm_calls(tools) == ["ci --ignore-scripts --fetch-retries=1", "run build"]

    run_hook(project)
    assert len(npm_calls(tools)) == 2


@needs_scripts
def test_a_changed_source_makes_the_bundle_stale(project: Path, tools: Path) -> None:
    run_hook(project)
    (project / "plugin_frontend" / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    assert not hatch_build.is_fresh(project)
    run_hook(project)
    assert len(npm_calls(tools)) == 4


@needs_scripts
def test_skip_builds_nothing_and_needs_nothing(
    project: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBPROF_FRONTEND", "skip")
    run_hook(project)
    assert npm_calls(tools) == []
    assert not (project / "tbprof").exists()
    shutil.rmtree(tools)
    assert dependencies(project) == []


@needs_scripts
def test_a_fresh_bundle_needs_no_node(project: Path, tools: Path) -> None:
    run_hook(project)
    shutil.rmtree(tools)
    assert dependencies(project) == []
    run_hook(project)


@needs_scripts
@pytest.mark.parametrize(
    ("version", "needed"),
    [
        ("v18.20.1", True),
        ("v20.18.3", True),
        ("v20.19.0", False),
        ("v22.11.0", True),
        ("v22.12.0", False),
        ("?", True),
    ],
)
def test_an_old_node_is_replaced_by_the_wheel(project: Path, tools: Path, version: str, needed: bool) -> None:
    stand_in(tools, "node", f"print({version!r})")
    assert dependencies(project) == ([hatch_build.NODE_WHEEL] if needed else [])


@needs_scripts
def test_an_unreachable_registry_is_said_in_one_sentence(
    project: Path, tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(tools, "npm", "print('npm error code ECONNREFUSED', file=sys.stderr); sys.exit(1)")
    with pytest.raises(SystemExit) as exit_of:
        run_hook(project)
    assert exit_of.value.code == 1
    said = "".join(capsys.readouterr())
    assert "the npm registry can't be reached (ECONNREFUSED)" in said
    assert "TBPROF_FRONTEND=skip" in said
    assert not hatch_build.is_fresh(project)


@needs_scripts
def test_a_failed_build_shows_the_last_words_of_npm(project: Path, tools: Path) -> None:
    stand_in(tools, "npm", "print('main.tsx(1,1): error TS2322'); sys.exit(sys.argv[1] == 'run')")
    with pytest.raises(hatch_build.FrontendNotBuilt, match=r"`npm run build` failed(.|\n)*TS2322"):
        hatch_build.build_frontend(project, hatch_build.find_npm())


def test_without_any_node_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)  # noqa: ARG005 - no wheel of node either
    with pytest.raises(hatch_build.FrontendNotBuilt, match=r"needs node 20\.19"):
        hatch_build.find_npm()
