"""The law of imports: which folder may import which, in Python and in the frontend.

Every import counts, those inside functions and under `TYPE_CHECKING` as well.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tbprof.rules.files import FAMILIES

REPOSITORY = Path(__file__).parents[1]

MOST_FILES = 20
"""In a folder; more hold more than one idea."""


@dataclass(frozen=True)
class Allowed:
    """What a folder may import besides itself, lower rungs of its layer, and the standard library."""

    folders: frozenset[str] = frozenset()
    """Of other layers; `analysis.*` is the folder with everything beneath it."""
    packages: tuple[str, ...] = ()
    """Modules of other packages, each with everything beneath it."""
    never: frozenset[str] = frozenset()
    """Modules of the standard library that the folder has no business with."""


def allowed(folders: str = "", packages: str = "", never: str = "") -> Allowed:
    return Allowed(frozenset(folders.split()), tuple(packages.split()), frozenset(never.split()))


FORMER_NAMES = {"lightning": "pytorch_lightning"}
"""Of frameworks: each file of `integrations` may import the one that it is named after."""

FOR_ALL = frozenset({"digests", "records", "escaping", "averages"})
"""What everybody may import, as the standard library."""

OF_RULES = allowed(
    "analysis.* framework_options line_rules optable texts.figures trace.columns model", "numpy"
)

LAW = {
    "__init__": allowed("executors hook hook.config html_report preflight version"),
    "__main__": allowed("cli"),
    "version": allowed(),
    "records": allowed(),
    "averages": allowed(),
    "digests": allowed(),
    "model": allowed(),
    "errors": allowed(),
    "framework_options": allowed(),
    "optable": allowed(),
    "line_rules": allowed(),
    "file_names": allowed(),
    "window_names": allowed("file_names trace.importers"),
    "folders": allowed(),
    "remote": allowed("process folders errors", "fsspec"),
    "remote.mirror": allowed("process file_names trace_files window_names errors model"),
    "safe_open": allowed("remote"),
    "escaping": allowed(),
    "process": allowed("errors folders"),
    "standard_streams": allowed("errors"),
    "program": allowed("errors", "torch"),
    "trace": allowed(),
    "trace.importers": allowed("safe_open errors model", "msgspec numpy"),
    "trace.columns": allowed("model", "numpy"),
    "trace.importers.conversion": allowed("safe_open errors", "msgspec"),
    "trace.importers.files": allowed("safe_open errors", "isal"),
    "trace.importers.kineto.events": allowed("errors model", "msgspec numpy"),
    "trace.importers.kineto": allowed("errors model", "msgspec numpy"),
    "trace.importers.kineto.parallel": allowed("process safe_open errors", "numpy"),
    "trace.stored": allowed("folders version safe_open errors model", "msgspec numpy"),
    "trace.export": allowed("errors model", "msgspec numpy"),
    "trace.export.classic": allowed("safe_open errors model", "msgspec numpy"),
    "analysis.arrays": allowed("trace.columns", "numpy", never="io json os pathlib"),
    "analysis.device": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    "analysis.communication": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    "analysis.events": allowed("trace.columns", "numpy", never="io json os pathlib"),
    "analysis.attribution": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.waits": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.idle": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.replay": allowed("line_rules trace.columns model", "numpy", never="io json os pathlib"),
    "analysis": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.health": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.gaps": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.operators": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    # Its table of devices is a file of the package.
    "analysis.limits": allowed("trace.columns", "numpy", never="io os"),
    "analysis.limits.formulas": allowed("trace.columns", "numpy", never="io json os pathlib"),
    "analysis.kernels": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    "analysis.modules": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    "analysis.memory": allowed("trace.columns model", "numpy", never="io json os pathlib"),
    "analysis.savings": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.ranges": allowed("trace.columns", "numpy", never="io json os pathlib"),
    "analysis.summary": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.verdict": allowed("trace.columns errors model", "numpy", never="io json os pathlib"),
    "analysis.timeline": allowed(
        "trace.columns trace.export errors model", "numpy", never="io json os pathlib"
    ),
    "rules.base": OF_RULES,
    "rules.notes": allowed("texts.figures model"),
    "rules.copies.search": OF_RULES,
    **{f"rules.{family}": OF_RULES for family in FAMILIES},
    "rules": OF_RULES,
    "manual": allowed("texts.* errors model"),
    "trace_writing": allowed("trace.export trace.export.classic"),
    "trace_importing": allowed("trace.export trace.importers trace.importers.conversion"),
    "trace_files": allowed("trace.export.classic trace.importers"),
    "report": allowed(
        "analysis.* rules rules.base trace.columns trace.export trace.export.classic "
        "trace.importers trace.stored window_names errors model",
        "numpy",
    ),
    "job": allowed(),
    "job.replay": allowed("errors", "numpy", never="io json os pathlib"),
    "job.ranks": allowed("errors model", "numpy", never="io json os pathlib"),
    "job.operations": allowed("errors", "numpy pyarrow"),
    "snapshot": allowed("safe_open analysis.attribution errors model"),
    "memory_files": allowed("safe_open file_names errors model"),
    "texts.figures": allowed("errors model"),
    "texts.trust": allowed("errors model"),
    "texts.screens": allowed("errors model"),
    "texts.fleet": allowed("errors model"),
    "texts.memory": allowed("errors model"),
    "texts.job": allowed("errors model"),
    "texts": allowed("rules errors model"),
    "texts.findings": allowed("framework_options rules rules.base errors model"),
    "store": allowed("safe_open folders version errors model", "google.protobuf"),
    "store.publishing": allowed(
        "safe_open file_names folders report trace_files trace_importing trace_writing version window_names "
        "errors model",
        "google.protobuf tensorboard.compat.tensorflow_stub tensorboard.summary",
    ),
    "store.lookup": allowed(
        "safe_open file_names folders process remote report trace_files version window_names errors model"
    ),
    "executors": allowed("process store store.lookup version errors model", "distributed ray"),
    "views.base": allowed("errors model"),
    "views.findings": allowed("texts.* errors model"),
    "views.pages": allowed("texts.* errors model"),
    "views.export": allowed("file_names texts.* errors model"),
    "views.communication": allowed("texts.* errors model"),
    "views.compare": allowed("texts.* errors model"),
    "views.job": allowed("analysis.communication job.* texts.* errors model", "numpy"),
    "views.source": allowed("texts.* errors model"),
    "views": allowed("errors model"),
    "views.overview": allowed("texts.* errors model"),
    "views.window": allowed("file_names texts.* errors model"),
    "views.series": allowed("file_names texts.* errors model"),
    "views.fleet": allowed("file_names texts.* errors model"),
    "views.timeline": allowed(
        "analysis.device analysis.events analysis.timeline texts.* trace.columns trace.export errors model"
    ),
    "views.icicle": allowed(
        "analysis analysis.attribution analysis.ranges texts.* trace.columns errors model"
    ),
    "views.memory": allowed("analysis analysis.memory snapshot texts.* trace.columns errors model"),
    "views.modules": allowed(
        "analysis analysis.kernels analysis.modules analysis.ranges texts.* errors model"
    ),
    "views.roofline": allowed(
        "analysis analysis.limits analysis.operators trace.columns texts.figures errors model"
    ),
    "views.tables": allowed(
        "analysis analysis.attribution analysis.kernels analysis.memory analysis.modules analysis.operators "
        "analysis.summary texts.* trace.columns errors model"
    ),
    "views.checks": allowed("texts.* errors model"),
    "views.check": allowed("line_rules rules texts.* version errors model"),
    "plugin": allowed(
        "folders manual report store.lookup texts.* version views.* errors model", "tensorboard werkzeug"
    ),
    "plugin.routes": allowed(
        "safe_open version file_names folders manual memory_files process remote store.lookup trace_files "
        "texts.* views.* errors model",
        "tensorboard werkzeug",
    ),
    "plugin.worker": allowed(
        "memory_files safe_open process file_names report snapshot store store.lookup texts.* version "
        "views.* errors model",
        "msgspec numpy",
    ),
    "html_report": allowed(
        "file_names folders manual report store.* trace_files texts.* version views.* errors model"
    ),
    "cli": allowed("process standard_streams version errors"),
    "cli.output": allowed("remote report snapshot standard_streams store texts.* views.* errors model"),
    "cli.input": allowed(
        "safe_open executors file_names remote.* report standard_streams store.* trace_files texts.* views.* "
        "window_names errors model"
    ),
    "cli.processes": allowed("safe_open standard_streams errors", "pynvml"),
    "cli.commands": allowed(
        "file_names executors folders hook.safety hook.trackers hook.spool html_report line_rules manual "
        "memory_files process remote rules safe_open "
        "job.* snapshot standard_streams store.* texts.* trace_files views.* window_names errors model"
    ),
    "hook": allowed("program errors model", "torch"),
    "hook.safety": allowed("errors model", "torch"),
    "hook.config": allowed("remote errors model"),
    "hook.trackers": allowed(""),
    "hook.spool": allowed("safe_open file_names folders process errors model"),
    "hook.steps": allowed("process safe_open errors model", "torch"),
    "hook.audit": allowed("program safe_open errors model", "torch"),
    "hook.facts": allowed("safe_open version errors model", "torch"),
    "hook.memory": allowed("process safe_open file_names model", "torch"),
    "hook.window": allowed("errors model", "torch"),
    "hook.session": allowed("process safe_open program remote errors model", "torch"),
    "integrations": allowed("hook hook.config hook.trackers errors"),
    "preflight.prediction": allowed("line_rules optable texts.figures texts.findings version errors model"),
    "preflight.base": allowed("program errors model", "torch"),
    "preflight.watching": allowed("line_rules optable errors model", "torch"),
    "preflight.program": allowed("program errors model", "torch"),
    "preflight.patches": allowed("optable errors model", "torch"),
    "preflight": allowed(
        "framework_options line_rules optable program standard_streams texts.findings errors model",
        "pytest torch",
    ),
    "preflight.fits": allowed("program standard_streams texts.figures errors", "torch"),
    "demo": allowed("hook hook.config errors", "torch torchvision"),
}
"""By folder, what it may import of other layers."""

INSIDE: dict[str, str] = {
    "trace": (
        "columns < importers.files < importers.conversion importers.kineto.events < importers.kineto "
        "< importers.kineto.parallel < importers < stored export < export.classic < ."
    ),
    "analysis": (
        "arrays limits.formulas < device limits < communication < events < attribution < waits < idle "
        "< replay < . < health < gaps savings operators ranges < modules < kernels < memory summary timeline "
        "< verdict"
    ),
    "rules": f"base < notes < copies.search < {' '.join(FAMILIES)} < .",
    "job": "replay < ranks operations < .",
    "texts": "figures < findings trust < screens fleet memory < job < .",
    "store": ". < publishing < lookup",
    "views": (
        "base < findings pages communication < checks overview < window < source "
        "< compare series timeline icicle memory modules roofline check export tables job < fleet < ."
    ),
    "plugin": "worker < routes < .",
    "remote": ". < mirror",
    "cli": "output < input < processes < commands < .",
    "hook": "safety trackers < spool < config < steps audit < facts memory < window < session < .",
    "preflight": "prediction base < watching < program < patches < . < fits",
}
"""By layer, its folders: each may import those of lower rungs, none beside it. `.` is the layer itself."""

RULE_FILE = re.compile(r"[a-z]{3}\d\d_")


def rungs_of(inside: Mapping[str, str]) -> dict[str, int]:
    """By folder, its height in its own layer."""
    return {
        layer if name == "." else f"{layer}.{name}": height
        for layer, ladder in inside.items()
        for height, rung in enumerate(ladder.split("<"))
        for name in rung.split()
    }


RUNGS = rungs_of(INSIDE)


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
    return bool(inner) and folder_of(inner) != inner


def folder_of(module: str) -> str:
    """The folder of a module, both as in the law; "" for the package itself."""
    parts = module.split(".")
    heads = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((head for head in heads if head in LAW), "")


def violations(package: Path) -> list[str]:
    """Every import that the law forbids, as `file imports module`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        folder = ".".join(parts[:-1]) or parts[0]
        if folder not in LAW:
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
    layer = folder.partition(".")[0]
    lower = {
        name
        for name, rung in RUNGS.items()
        if name.partition(".")[0] == layer and folder in RUNGS and rung < RUNGS[folder]
    }
    named = LAW[folder].folders | (frozenset() if folder in FOR_ALL else FOR_ALL)
    whole = tuple(name.removesuffix("*") for name in named if name.endswith("*"))
    return lower | {name for name in LAW if name in named or f"{name}.".startswith(whole)}


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
    assert {name for name in RUNGS if name not in LAW} == set()
    named = {name.removesuffix(".*") for row in LAW.values() for name in row.folders}
    assert named - LAW.keys() == set()


def folders_of(package: Path) -> list[Path]:
    """Those of sources, whatever Python and a build have put beside them."""
    return sorted({path.parent for path in package.rglob("*.py") if "static" not in path.parts})


@pytest.mark.parametrize("folder", folders_of(REPOSITORY / "tbprof"), ids=lambda path: path.name)
def test_a_folder_is_small_and_says_what_belongs_there(folder: Path) -> None:
    files = [path.name for path in folder.iterdir() if path.suffix in (".py", ".pyi", ".proto")]
    assert len(files) <= MOST_FILES
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("file", "source", "forbidden"),
    [
        ("model/sites.py", "import numpy", "numpy"),
        ("trace/importers/kineto/reader.py", "def f():\n    import torch", "torch"),
        (
            "trace/columns/columns.py",
            "from tbprof.trace.importers.kineto.rows import Rows",
            "tbprof.trace.importers.kineto.rows",
        ),
        (
            "trace/importers/source.py",
            "from tbprof.trace.importers.kineto import reader",
            "tbprof.trace.importers.kineto.reader",
        ),
        ("analysis/steps.py", "import json", "json"),
        ("analysis/steps.py", "from pathlib import Path", "pathlib"),
        ("analysis/steps.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
        ("analysis/steps.py", "from tbprof.analysis.facts import Facts", "tbprof.analysis.facts"),
        (
            "analysis/steps.py",
            "from tbprof.analysis.device_idle import idle",
            "tbprof.analysis.device_idle",
        ),
        (
            "analysis/figures/idle_places.py",
            "from tbprof.analysis.savings import fix_plan",
            "tbprof.analysis.figures.savings",
        ),
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
        (
            "texts/idle.py",
            "from tbprof.views.window import SiteRow",
            "tbprof.views.window",
        ),
        ("texts/figures/quantities.py", "from tbprof.texts.screens import idle", "tbprof.texts.idle"),
        ("store/codec.py", "from tensorboard.compat import tf", "tensorboard.compat"),
        ("store/codec.py", "from tbprof.store.lookup import cache", "tbprof.store.report_cache"),
        ("views/window.py", "from tbprof import rules", "tbprof.rules"),
        ("views/window.py", "from ...rules import registry", "tbprof.rules.registry"),
        ("views/window.py", "import tbprof", "tbprof"),
        (
            "views/findings.py",
            "from tbprof.views.trust import trust",
            "tbprof.views.trust",
        ),
        (
            "plugin/plugin.py",
            "from tbprof.trace.importers.kineto.reader import read_trace",
            "tbprof.trace.importers.kineto.reader",
        ),
        ("plugin/plugin.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
        (
            "plugin/worker/main.py",
            "from tbprof.plugin.routes import bundle",
            "tbprof.plugin.routes.access_control",
        ),
        ("cli/main.py", "from tensorboard import program", "tensorboard"),
        ("cli/main.py", "import importlib\nimportlib.import_module('torch')", "torch"),
        ("cli/terminal.py", "from tbprof.cli.commands import check", "tbprof.cli.commands.check"),
        ("integrations/lightning.py", "import lightning, transformers", "transformers"),
        (
            "hook/spool.py",
            "from tbprof.hook.session import Session",
            "tbprof.hook.session",
        ),
        (
            "preflight/watching/mode.py",
            "from tbprof.preflight.patches import all_patches",
            "tbprof.preflight.patches.all_patches",
        ),
        (
            "hook/window/facts.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np",
            "numpy",
        ),
    ],
)
def test_the_checker_sees_a_forbidden_import(tmp_path: Path, file: str, source: str, forbidden: str) -> None:
    path = tmp_path / "tbprof" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert violations(tmp_path / "tbprof") == [f"{file.removesuffix('.py')} imports {forbidden}"]


def test_the_checker_sees_a_file_of_no_folder(tmp_path: Path) -> None:
    (tmp_path / "tbprof" / "trace" / "elsewhere").mkdir(parents=True)
    (tmp_path / "tbprof" / "helpers.py").touch()
    (tmp_path / "tbprof" / "trace" / "elsewhere" / "a.py").touch()
    assert violations(tmp_path / "tbprof") == [
        "helpers belongs to no folder of the law",
        "trace/elsewhere/a belongs to no folder of the law",
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


@pytest.mark.parametrize(
    ("file", "source", "module"),
    [
        ("state/runs.ts", 'import { App } from "../views/App.tsx";', "../views/App.tsx"),
        ("views/App.tsx", 'import { style } from "../theme/style.ts";', "../theme/style.ts"),
        ("draw/Bars.tsx", 'import { runs } from "../state/runs.ts";', "../state/runs.ts"),
        ("widgets/Icon.tsx", 'import type { A } from "../draw/A.tsx";', "../draw/A.tsx"),
        ("format/size.ts", 'import { a } from "../model/a.ts";', "../model/a.ts"),
        ("api/routes.ts", 'const all = await import("../model/a.ts");', "../model/a.ts"),
        ("api/routes.ts", 'import "../../elsewhere.ts";', "../../elsewhere.ts"),
        ("model/a.ts", 'export * from "preact";', "preact"),
        ("views/App.tsx", 'import {\n  a,\n  b,\n} from "lodash";', "lodash"),
    ],
)
def test_the_frontend_checker_sees_a_forbidden_import(
    tmp_path: Path, file: str, source: str, module: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert frontend_violations(tmp_path, FRONTEND_LAW) == [f"{file} imports {module}"]
