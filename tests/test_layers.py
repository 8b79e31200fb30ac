"""The law of imports: which folder may import which, in Python and in the frontend.

Every import counts, those inside functions and under `TYPE_CHECKING` as well.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class Allowed:
    """What a folder may import besides itself, `FOR_ALL` and the standard library."""

    folders: frozenset[str] = frozenset()
    """Others than itself."""
    packages: tuple[str, ...] = ()
    """Modules of other packages, each with everything beneath it."""
    never: frozenset[str] = frozenset()
    """Modules of the standard library that the folder has no business with."""


def allowed(folders: str = "", packages: str = "", never: str = "") -> Allowed:
    return Allowed(frozenset(folders.split()), tuple(packages.split()), frozenset(never.split()))


FORMER_NAMES = {"lightning": "pytorch_lightning"}
"""Of frameworks: each file of `integrations` may import the one that it is named after."""

FOR_ALL = frozenset(["errors", "escaping", "file_names", "folders", "records", "version"])
"""What everybody may import, as the standard library."""

NO_FILES = "io json os pathlib"
"""Where figures are made, nothing is read or written."""

KINDS = "trace.importers.sniffing trace.export.classic_mark"
"""What a file is; nothing there reads one."""

FRAMES = f"texts.* views judge report store snapshot {KINDS} window_names safe_open process remote model"
"""What prints a window needs these; it decides nothing."""

LAW = {
    # What imports nothing but what everybody may.
    **{name: allowed() for name in (*FOR_ALL, *("model", "framework_options", "optable", "line_rules"))},
    "records": allowed("", "msgspec"),
    **{name: allowed() for name in ("standard_streams", "plain_pickle", "process", "rules.files")},
    "calibration": allowed("safe_open"),
    "command_process": allowed("standard_streams"),
    "__init__": allowed("executors hook html_report notebook preflight"),
    "__main__": allowed("cli"),
    "program": allowed("", "torch"),
    "remote": allowed("process model", "fsspec"),
    "safe_open": allowed("remote"),
    "window_names": allowed("trace.importers trace.importers.sniffing"),
    "trace.columns": allowed("model", "numpy"),
    "trace.importers": allowed("plain_pickle trace.columns process safe_open model", "msgspec numpy isal"),
    "trace.export": allowed(
        "trace.columns trace.importers trace.export.classic_mark safe_open model", "msgspec numpy"
    ),
    "trace.importers.sniffing": allowed("trace.importers safe_open"),
    "trace.export.classic_mark": allowed("safe_open"),
    "trace": allowed(
        "trace.columns trace.importers trace.importers.sniffing safe_open model", "msgspec numpy"
    ),
    "analysis": allowed("line_rules trace.columns model", "numpy", NO_FILES),
    # Its table of devices is a file of the package.
    "analysis.limits": allowed("analysis trace.columns", "numpy"),
    "analysis.figures": allowed(
        "analysis analysis.limits trace.columns trace.export model", "numpy", NO_FILES
    ),
    "texts.figures": allowed("model"),
    # And the `words.py` of each family, so that a stored report is printed without numpy.
    "rules.words": allowed("rules.files texts.figures model"),
    "rules": allowed(
        "analysis.* framework_options line_rules optable rules.* texts.figures trace.columns model", "numpy"
    ),
    "judge": allowed("analysis.* rules.* texts.figures trace.columns model", "numpy", NO_FILES),
    "report": allowed("analysis.* judge rules.* trace.* window_names model", "numpy"),
    "texts": allowed("framework_options rules.* texts.figures model"),
    "store": allowed(
        "judge process remote report rules.words safe_open trace.* window_names model",
        "google.protobuf tensorboard.compat.tensorflow_stub tensorboard.summary",
    ),
    "job": allowed("model", "numpy", NO_FILES),
    "snapshot": allowed("plain_pickle analysis safe_open model"),
    "manual": allowed("texts.*"),
    "executors": allowed("process store model", "distributed ray"),
    "views": allowed(
        "analysis.* job judge line_rules rules.* session_file snapshot texts.* trace.columns trace.export "
        "model",
        "numpy",
    ),
    "html_report": allowed(f"manual {FRAMES}"),
    "plugin": allowed(f"manual session_file {FRAMES}", "msgspec numpy tensorboard werkzeug"),
    "notebook": allowed("html_report preflight standard_streams", "torch"),
    "session_file": allowed("safe_open"),
    "mcp": allowed("safe_open session_file", "anyio mcp pydantic"),
    "cli": allowed(
        "calibration executors hook html_report job line_rules manual mcp rules.* session_file "
        f"standard_streams {FRAMES}",
        "pynvml shtab",
    ),
    "hook": allowed("process program remote safe_open model", "torch"),
    "integrations": allowed("hook"),
    "preflight": allowed(
        "framework_options line_rules optable program session_file standard_streams texts.* model",
        "libcst msgspec pytest torch",
    ),
    "experiment": allowed(
        "calibration plain_pickle preflight program session_file standard_streams texts.* model",
        "libcst msgspec numpy torch",
    ),
    "demo": allowed("hook", "torch torchvision"),
}
"""By folder, or module of the package's own folder, what it may import of the others."""

RULE_FILE = re.compile(r"[a-z]{3}(\d\d_|_rules$)")


def imports_of(source: str, package: str) -> Iterator[str]:
    """The full names of what a file imports; `package` is the one that it lies in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(node, package)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in ("import_module", "__import__"):
                yield str(node.args[0].value)


def _imported_from(node: ast.ImportFrom, package: str) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([node.module] if node.module else [])])
    if base.partition(".")[0] != "tbprof" or _is_module(base):
        yield base
    else:
        # `from tbprof import cli` names a folder, `from tbprof.rules.sync import syn01` a file of one.
        yield from (f"{base}.{name.name}" for name in node.names)


def _is_module(name: str) -> bool:
    inner = name.removeprefix("tbprof").removeprefix(".")
    return bool(inner) and not REPOSITORY.joinpath("tbprof", *inner.split("."), "__init__.py").is_file()


def folder_of(module: str) -> str:
    """The folder of a module, both as in the law; "" for the package itself."""
    parts = module.split(".")
    if (parts[0], parts[-1]) == ("rules", "words"):
        return "rules.words"
    heads = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((head for head in heads if head in LAW), "")


def violations(package: Path) -> list[str]:
    """Every import that the law forbids, as `file imports module`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        folder = folder_of(".".join(parts))
        if not folder:
            found.append(f"{'/'.join(parts)} belongs to no folder of the law")
            continue
        modules = imports_of(path.read_text(encoding="utf-8"), ".".join((package.name, *parts[:-1])))
        forbidden = (name for name in modules if not is_allowed(name, folder, path.stem))
        found += [f"{'/'.join(parts)} imports {name}" for name in forbidden]
    return found


def is_allowed(module: str, folder: str, file: str) -> bool:
    top, _, inner = module.partition(".")
    if top != "tbprof":
        row = LAW[folder]
        framework = folder == "integrations" and top in (file, FORMER_NAMES.get(file))
        within = any(module == package or module.startswith(f"{package}.") for package in row.packages)
        return within or framework or (top in sys.stdlib_module_names and top not in row.never)
    if RULE_FILE.match(file) and any(RULE_FILE.match(part) for part in inner.split(".")):
        return False
    return folder_of(inner) in {folder, *reached_from(folder)}


def reached_from(folder: str) -> set[str]:
    """The folders that a folder may import."""
    named = LAW[folder].folders | (frozenset() if folder in FOR_ALL else FOR_ALL)
    whole = tuple(name.removesuffix("*") for name in named if name.endswith("*"))
    return {name for name in LAW if name in named or f"{name}.".startswith(whole)} - {folder}


def test_every_import_of_the_package_obeys_the_law() -> None:
    assert violations(REPOSITORY / "tbprof") == []


def test_the_law_goes_one_way() -> None:
    order = tuple(TopologicalSorter({folder: reached_from(folder) for folder in LAW}).static_order())
    assert set(order) == set(LAW)


def test_a_law_that_goes_round_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LAW, "model", allowed("trace.*"))
    with pytest.raises(CycleError):
        TopologicalSorter({folder: reached_from(folder) for folder in LAW}).prepare()


def test_the_law_speaks_of_folders_that_are_there() -> None:
    package = REPOSITORY / "tbprof"
    there = [package.joinpath(*folder.split(".")) for folder in LAW]
    assert [str(path) for path in there if not (path.is_dir() or path.with_suffix(".py").is_file())] == []
    named = {name.removesuffix(".*") for row in LAW.values() for name in row.folders}
    assert named - LAW.keys() == set()


def folders_of(package: Path) -> list[Path]:
    """Those of sources, whatever Python and a build have put beside them."""
    return sorted({path.parent for path in package.rglob("*.py") if "static" not in path.parts})


def test_a_folder_says_what_belongs_there() -> None:
    folders = folders_of(REPOSITORY / "tbprof")
    heads = {folder: ast.parse((folder / "__init__.py").read_text(encoding="utf-8")) for folder in folders}
    assert [str(folder) for folder, head in heads.items() if not ast.get_docstring(head)] == []


FORBIDDEN = (
    ("model/sites.py", "import numpy", "numpy"),
    ("trace/importers/kineto/reader.py", "def f():\n    import torch", "torch"),
    (
        "trace/columns/columns.py",
        "from tbprof.trace.importers.source import Source",
        "tbprof.trace.importers.source",
    ),
    (
        "trace/importers/kineto/reader.py",
        "from tbprof.trace.importers import sniffing",
        "tbprof.trace.importers.sniffing",
    ),
    ("analysis/steps.py", "import json", "json"),
    ("analysis/steps.py", "from pathlib import Path", "pathlib"),
    ("analysis/steps.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
    (
        "analysis/steps.py",
        "from tbprof.analysis.figures.savings import saving_of",
        "tbprof.analysis.figures.savings",
    ),
    ("analysis/figures/savings.py", "from tbprof.judge import verdict", "tbprof.judge.verdict"),
    ("rules/sync/syn01_a.py", "from tbprof.rules.sync import syn02_b", "tbprof.rules.sync.syn02_b"),
    ("rules/sync/syn01_a.py", "from . import syn02_b", "tbprof.rules.sync.syn02_b"),
    (
        "rules/sync/syn01_a.py",
        "from tbprof.rules.copies.cpy01_b import RULE",
        "tbprof.rules.copies.cpy01_b",
    ),
    (
        "rules/sync/syn01_a.py",
        "from tbprof.trace.importers.kineto.reader import read_trace",
        "tbprof.trace.importers.kineto.reader",
    ),
    ("texts/idle.py", "from tbprof.views.window import SiteRow", "tbprof.views.window"),
    ("texts/figures/quantities.py", "from tbprof.texts import idle", "tbprof.texts.idle"),
    ("store/codec.py", "from tensorboard.compat import tf", "tensorboard.compat"),
    ("store/codec.py", "from tbprof.views.window import SiteRow", "tbprof.views.window"),
    ("views/window.py", "from tbprof import store", "tbprof.store"),
    ("views/window.py", "from ..report import build_report", "tbprof.report"),
    ("views/window.py", "import tbprof", "tbprof"),
    (
        "plugin/plugin.py",
        "from tbprof.trace.importers.kineto.reader import read_trace",
        "tbprof.trace.importers.kineto.reader",
    ),
    ("plugin/plugin.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
    ("plugin/worker/main.py", "from tbprof.cli import terminal", "tbprof.cli.terminal"),
    ("cli/main.py", "from tensorboard import program", "tensorboard"),
    ("cli/main.py", "import importlib\nimportlib.import_module('torch')", "torch"),
    ("integrations/lightning.py", "import lightning, transformers", "transformers"),
    ("hook/spool.py", "from tbprof.store.files import appearing", "tbprof.store.files"),
    ("preflight/watching/mode.py", "from tbprof.hook.turn import Turn", "tbprof.hook.turn"),
    (
        "hook/window/facts.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np",
        "numpy",
    ),
)
"""A file, what it says, and the import in it that the law forbids."""


def test_the_checker_sees_a_forbidden_import(tmp_path: Path) -> None:
    for at, (file, source, forbidden) in enumerate(FORBIDDEN):
        path = tmp_path / str(at) / "tbprof" / file
        path.parent.mkdir(parents=True)
        path.write_text(source, encoding="utf-8")
        found = violations(tmp_path / str(at) / "tbprof")
        assert found == [f"{file.removesuffix('.py')} imports {forbidden}"]


def test_the_checker_sees_a_file_of_no_folder(tmp_path: Path) -> None:
    (tmp_path / "tbprof" / "elsewhere").mkdir(parents=True)
    (tmp_path / "tbprof" / "helpers.py").touch()
    (tmp_path / "tbprof" / "elsewhere" / "a.py").touch()
    assert violations(tmp_path / "tbprof") == [
        "elsewhere/a belongs to no folder of the law",
        "helpers belongs to no folder of the law",
    ]


LOWEST = "model format api"
FRONTEND_LAW = {
    "main": allowed(f"views state widgets draw theme {LOWEST}", "preact @preact/signals"),
    "views": allowed(f"state widgets draw {LOWEST}", "preact @preact/signals"),
    "state": allowed(LOWEST, "@preact/signals"),
    "widgets": allowed(LOWEST, "preact @preact/signals @tanstack/virtual-core"),
    "draw": allowed(f"theme {LOWEST}", "preact @preact/signals uplot"),
    "model": allowed("format api"),
    "format": allowed("api"),
    "api": allowed(),
    "theme": allowed(),
}
"""Downwards only; `packages` are those of npm."""

TYPESCRIPT_IMPORT = re.compile(r"""\b(?:from|import)\s*\(?\s*["']([^"']+)["']""")


def frontend_imports(source: Path) -> dict[str, list[str]]:
    """By file of the frontend, the modules that it imports, types included, as it names them."""
    paths = sorted((*source.rglob("*.ts"), *source.rglob("*.tsx")))
    return {
        path.relative_to(source).as_posix(): TYPESCRIPT_IMPORT.findall(path.read_text(encoding="utf-8"))
        for path in paths
        if not path.name.endswith(".d.ts")
    }


def frontend_violations(source: Path, law: dict[str, Allowed]) -> list[str]:
    """Every import that the frontend's law forbids, as `file imports module`."""
    return [
        f"{name} imports {module}"
        for name, modules in frontend_imports(source).items()
        for module in modules
        if not _is_allowed_in_frontend(module, source / name, source, law[name.split("/")[0].split(".")[0]])
    ]


def frontend_cycle(source: Path) -> list[str]:
    """Files of the frontend that import each other in a ring, the first again at the end."""
    ring = TopologicalSorter(
        {
            name: {
                posixpath.normpath(posixpath.join(name, "..", module))
                for module in modules
                if module[0] == "."
            }
            for name, modules in frontend_imports(source).items()
        }
    )
    try:
        ring.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _is_allowed_in_frontend(module: str, path: Path, source: Path, row: Allowed) -> bool:
    if not module.startswith("."):
        return any(module == package or module.startswith(f"{package}/") for package in row.packages)
    target = (path.parent / module).resolve()
    if not target.is_relative_to(source.resolve()):
        return False
    own, to = (file.relative_to(source.resolve()).parts[0].split(".")[0] for file in (path.resolve(), target))
    return to == own or to in row.folders


def test_every_import_of_the_frontend_obeys_the_law() -> None:
    assert frontend_violations(REPOSITORY / "plugin_frontend" / "src", FRONTEND_LAW) == []


def test_no_file_of_the_frontend_imports_what_imports_it() -> None:
    assert frontend_cycle(REPOSITORY / "plugin_frontend" / "src") == []


def test_the_frontend_checker_sees_a_ring(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "a.ts").write_text('import { b } from "./b.ts";', encoding="utf-8")
    (tmp_path / "state" / "b.ts").write_text('import type { C } from "../model/c.ts";', encoding="utf-8")
    assert frontend_cycle(tmp_path) == []
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "c.ts").write_text('export * from "../state/a.ts";', encoding="utf-8")
    assert set(frontend_cycle(tmp_path)) == {"state/a.ts", "state/b.ts", "model/c.ts"}


def test_the_frontend_has_no_other_layers() -> None:
    source = REPOSITORY / "plugin_frontend" / "src"
    there = {path.name.split(".")[0] for path in source.iterdir() if not path.name.endswith(".d.ts")}
    assert there <= FRONTEND_LAW.keys()


FORBIDDEN_IN_FRONTEND = (
    ("state/runs.ts", 'import { App } from "../views/App.tsx";', "../views/App.tsx"),
    ("views/App.tsx", 'import { style } from "../theme/style.ts";', "../theme/style.ts"),
    ("draw/Bars.tsx", 'import { runs } from "../state/runs.ts";', "../state/runs.ts"),
    ("widgets/Icon.tsx", 'import type { A } from "../draw/A.tsx";', "../draw/A.tsx"),
    ("format/size.ts", 'import { a } from "../model/a.ts";', "../model/a.ts"),
    ("api/routes.ts", 'const all = await import("../model/a.ts");', "../model/a.ts"),
    ("api/routes.ts", 'import "../../elsewhere.ts";', "../../elsewhere.ts"),
    ("model/a.ts", 'export * from "preact";', "preact"),
    ("views/App.tsx", 'import {\n  a,\n  b,\n} from "lodash";', "lodash"),
)


def test_the_frontend_checker_sees_a_forbidden_import(tmp_path: Path) -> None:
    for at, (file, source, module) in enumerate(FORBIDDEN_IN_FRONTEND):
        path = tmp_path / str(at) / file
        path.parent.mkdir(parents=True)
        path.write_text(source, encoding="utf-8")
        assert frontend_violations(tmp_path / str(at), FRONTEND_LAW) == [f"{file} imports {module}"]
