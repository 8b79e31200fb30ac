"""The law of imports: who may import whom, in Python and in the frontend.

Every import counts, those inside functions and under `TYPE_CHECKING` as well.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class Allowed:
    """What a layer may import besides itself, the version of tbprof, and the standard library."""

    layers: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()
    """Modules of other packages, each with everything beneath it."""
    never: frozenset[str] = frozenset()
    """Modules of the standard library that the layer has no business with."""


def allowed(layers: str = "", packages: str = "", never: str = "") -> Allowed:
    return Allowed(frozenset(layers.split()), tuple(packages.split()), frozenset(never.split()))


LAW = {
    "__init__": allowed("version folders hook preflight sharing"),
    "__main__": allowed("cli"),
    "version": allowed(),
    "model": allowed(),
    "errors": allowed(),
    "optable": allowed(),
    "line_rules": allowed(),
    "file_names": allowed(),
    "folders": allowed(),
    "main_program": allowed("errors"),
    "step_functions": allowed("errors"),
    "step_leader": allowed(),
    "streams": allowed("errors"),
    "trace": allowed("version folders model errors folders", "numpy msgspec isal"),
    "analysis": allowed("trace model errors line_rules", "numpy", never="json os pathlib io"),
    "rules": allowed("analysis model optable line_rules", "numpy"),
    "texts": allowed("model errors rules"),
    "manual": allowed("errors texts"),
    "report": allowed("version folders trace analysis rules model errors file_names", "numpy"),
    "store": allowed(
        "version folders report model errors file_names folders",
        "google.protobuf tensorboard.summary tensorboard.compat.tensorflow_stub",
    ),
    "views": allowed("version folders report analysis model file_names"),
    "plugin": allowed("version folders views texts manual store report model errors", "tensorboard werkzeug"),
    "sharing": allowed("version folders views texts manual store report model errors"),
    "cli": allowed(
        "version folders sharing views texts manual store report rules model errors file_names streams",
        "pynvml",
    ),
    "hook": allowed("version folders model errors main_program step_functions step_leader", "torch"),
    "preflight": allowed(
        "version folders model errors optable line_rules main_program step_functions step_leader streams",
        "torch pytest",
    ),
    "demo": allowed("hook errors", "torch torchvision"),
}

RULE_FILE = re.compile(r"[a-z]{3}\d\d_")
PARTS_OF_RULES = {"tbprof.rules.reads", "tbprof.rules.rule", "tbprof.rules.severity"}


def imports_of(source: str, package: str) -> Iterator[str]:
    """The full names of the modules that a file imports; `package` is the one that it lies in."""
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
    if base.count(".") > 1 or base.partition(".")[0] != "tbprof":
        yield base
    else:
        # `from tbprof import cli` names a layer, `from tbprof.rules import syn01` a file of one.
        yield from (f"{base}.{name.name}" for name in node.names)


def violations(package: Path, law: dict[str, Allowed]) -> list[str]:
    """Every import that the law forbids, as `file imports module`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        inside = ".".join((package.name, *parts[:-1]))
        layer = parts[0]
        if layer not in law:
            found.append(f"{'/'.join(parts)} belongs to no layer")
            continue
        modules = imports_of(path.read_text(encoding="utf-8"), inside)
        forbidden = (name for name in modules if not is_allowed(name, layer, path.stem, law[layer]))
        found += [f"{'/'.join(parts)} imports {name}" for name in forbidden]
    return found


def is_allowed(module: str, layer: str, file: str, row: Allowed) -> bool:
    top, *rest = module.split(".")
    if top != "tbprof":
        framework = layer == "hook" and top == file
        within = any(module == package or module.startswith(f"{package}.") for package in row.packages)
        return within or framework or (top in sys.stdlib_module_names and top not in row.never)
    if layer == "rules" and RULE_FILE.match(file) and rest[:1] == ["rules"]:
        return ".".join(["tbprof", *rest[:2]]) in PARTS_OF_RULES
    is_the_package_itself = not rest or rest[0].startswith("__")
    return is_the_package_itself or rest[0] == layer or rest[0] in row.layers


def test_every_import_of_the_package_obeys_the_law() -> None:
    assert violations(REPOSITORY / "tbprof", LAW) == []


@pytest.mark.parametrize(
    ("file", "source", "forbidden"),
    [
        ("model.py", "import numpy", "numpy"),
        ("trace/reader.py", "def f():\n    import torch", "torch"),
        ("analysis/steps.py", "import json", "json"),
        ("analysis/steps.py", "from pathlib import Path", "pathlib"),
        ("analysis/steps.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
        ("rules/syn01_a.py", "from tbprof.rules import syn02_b", "tbprof.rules.syn02_b"),
        ("rules/syn01_a.py", "from . import syn02_b", "tbprof.rules.syn02_b"),
        ("rules/syn01_a.py", "from tbprof.trace.reader import read_trace", "tbprof.trace.reader"),
        ("texts/english.py", "from tbprof.views.window import SiteRow", "tbprof.views.window"),
        ("store/codec.py", "from tensorboard.compat import tf", "tensorboard.compat"),
        ("views/window.py", "from tbprof import texts", "tbprof.texts"),
        ("views/window.py", "from ..texts import english", "tbprof.texts.english"),
        ("plugin/plugin.py", "from tbprof.trace.reader import read_trace", "tbprof.trace.reader"),
        ("plugin/plugin.py", "from tbprof.rules.registry import RULES", "tbprof.rules.registry"),
        ("cli/main.py", "from tensorboard import program", "tensorboard"),
        ("cli/main.py", "import importlib\nimportlib.import_module('torch')", "torch"),
        ("hook/lightning.py", "import lightning, transformers", "transformers"),
        (
            "hook/facts.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np",
            "numpy",
        ),
    ],
)
def test_the_checker_sees_a_forbidden_import(tmp_path: Path, file: str, source: str, forbidden: str) -> None:
    path = tmp_path / "tbprof" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert violations(tmp_path / "tbprof", LAW) == [f"{file.removesuffix('.py')} imports {forbidden}"]


def test_the_checker_sees_a_file_of_no_layer(tmp_path: Path) -> None:
    (tmp_path / "tbprof").mkdir()
    (tmp_path / "tbprof" / "helpers.py").touch()
    assert violations(tmp_path / "tbprof", LAW) == ["helpers belongs to no layer"]


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


def frontend_violations(source: Path, law: dict[str, Allowed]) -> list[str]:
    """Every import that the frontend's law forbids, as `file imports module`."""
    found = []
    for path in sorted((*source.rglob("*.ts"), *source.rglob("*.tsx"))):
        name = path.relative_to(source).as_posix()
        if name.endswith(".d.ts"):
            continue
        modules = TYPESCRIPT_IMPORT.findall(path.read_text(encoding="utf-8"))
        row = law[name.split("/")[0].split(".")[0]]
        found += [
            f"{name} imports {module}"
            for module in modules
            if not _is_allowed_in_frontend(module, path, source, row)
        ]
    return found


def _is_allowed_in_frontend(module: str, path: Path, source: Path, row: Allowed) -> bool:
    if not module.startswith("."):
        return any(module == package or module.startswith(f"{package}/") for package in row.packages)
    target = (path.parent / module).resolve()
    if not target.is_relative_to(source.resolve()):
        return False
    own, to = (file.relative_to(source.resolve()).parts[0].split(".")[0] for file in (path.resolve(), target))
    return to == own or to in row.layers


def test_every_import_of_the_frontend_obeys_the_law() -> None:
    assert frontend_violations(REPOSITORY / "plugin_frontend" / "src", FRONTEND_LAW) == []


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
