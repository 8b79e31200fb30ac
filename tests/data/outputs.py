"""Everything that tbprof says of a set of traces, written to a folder, and two such folders compared.

`python tests/data/outputs.py write FOLDER INPUTS...` writes, for each trace below the inputs, its report in
every form, its tables and checks, and for each folder with several of them its job; then what the plugin
answers to every route for each window. `python tests/data/outputs.py compare BEFORE AFTER` lists what
differs. A change that only moves code must leave the two equal.
"""

from __future__ import annotations

import contextlib
import filecmp
import io
import json
import os
import re
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from board import Board, board

from tbprof.cli.main import main as tbprof

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
MOST_DIFFERENCES = 40

COMMANDS = (
    *(("report", f"--format={form}") for form in ("text", "json", "csv", "markdown", "html")),
    *(
        ("table", name, "--format=json")
        for name in ("operators", "kernels", "modules", "collectives", "memory", "allocations")
    ),
    *(("table", "operators", f"--by={by}", "--format=text") for by in ("shapes", "stack", "label", "step")),
    ("table", "kernels", "--scope=steps", "--format=markdown"),
    *(("check", f"--format={form}") for form in ("text", "json", "sarif", "markdown")),
    ("check", "--list"),
)
OF_FOLDERS = (
    *(("job", f"--format={form}") for form in ("text", "json", "markdown")),
    ("report", "--summary"),
    ("report", "--summary", "--format=json"),
    ("fleet",),
)

OF_WINDOWS: tuple[tuple[str, dict[str, str]], ...] = (
    *((route, {}) for route in ("window", "source", "checks", "timeline", "modules", "memory", "icicle")),
    ("roofline", {}),
    *(("finding", {"finding": str(index)}) for index in range(3)),
    *(
        ("table", {"table": table})
        for table in ("operators", "kernels", "modules", "collectives", "memory", "allocations")
    ),
    ("table", {"table": "operators", "by": "shapes", "columns": "first"}),
    ("timeline_step", {"step": "0"}),
    ("timeline_find", {"text": "copy"}),
)
OF_RUNS = ("ranks", "trend", "job")
OF_ALL = ("runs", "fleet", "fleet.csv", "memory_files")

_CHANGES = re.compile(
    r"tbprof_outputs\w+|/tmp/\w+|\b\d+(\.\d+)? (s|ms) (ago|to read)|"
    r'"(version|read_s|seconds|since_s|modified_s|mtime|changed_s|tag|age_s)": [0-9.e+"-]+|"port": \d+'
)
"""What differs between two runs of the same code."""


def main(*arguments: str) -> int:
    if arguments[:1] == ("write",) and len(arguments) > 1:
        write(Path(arguments[1]), [Path(name) for name in arguments[2:]] or [SAMPLES])
        return 0
    if arguments[:1] == ("compare",) and len(arguments) == 3:
        found = sorted(differences(Path(arguments[1]), Path(arguments[2])))
        sys.stdout.write("\n".join([*found[:MOST_DIFFERENCES], f"{len(found)} differences\n"]))
        return min(len(found), 1)
    sys.stderr.write(str(__doc__))
    return 2


def write(folder: Path, inputs: list[Path]) -> None:
    """Write all of it, in as many processes as there are processors."""
    folder.mkdir(parents=True)
    traces = [(str(root.name), path) for root in inputs for path in traces_below(root)]
    with tempfile.TemporaryDirectory(prefix="tbprof_outputs") as scratch:
        os.environ["XDG_CACHE_HOME"] = scratch
        os.environ["COLUMNS"] = "110"
        with ProcessPoolExecutor() as pool:
            list(pool.map(partial(write_trace, folder), traces))
            runs = sorted({path.parent for _, path in traces if len(list(traces_below(path.parent))) > 1})
            list(pool.map(partial(write_folder, folder), runs))
        logdir = Path(scratch, "logs")
        for root, path in traces:
            target = logdir / root / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        with board(logdir) as server:
            write_routes(folder / "routes", server)


def traces_below(root: Path) -> Iterator[Path]:
    names = ("*.json", "*.json.gz", "*.gz", "*.tbprof.pb")
    yield from sorted({path for name in names for path in root.rglob(name) if path.is_file()})


def write_trace(folder: Path, trace: tuple[str, Path]) -> None:
    root, path = trace
    own = folder / "traces" / root / path.parent.name / path.name
    own.mkdir(parents=True)
    for command in COMMANDS:
        (own / _name(command)).write_text(said([*command, str(path)], path), encoding="utf-8")


def write_folder(folder: Path, run: Path) -> None:
    own = folder / "folders" / f"{run.parent.name} {run.name}"
    own.mkdir(parents=True)
    for command in OF_FOLDERS:
        (own / _name(command)).write_text(said([*command, str(run)], run), encoding="utf-8")


def said(arguments: list[str], path: Path) -> str:
    """What a command prints, with its exit code; a fault of ours is a part of it."""
    printed, complained = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
        try:
            code: object = tbprof(arguments)
        except SystemExit as end:
            code = end.code
        except Exception:  # noqa: BLE001 - this is what a comparison is for
            code = traceback.format_exc(limit=0)
        printed.flush()
    text = printed.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]
    return _lasting(f"{text}\n{complained.getvalue()}\n{code}\n".replace(str(path), path.name))


def write_routes(folder: Path, server: Board) -> None:
    folder.mkdir()
    places = server.places()
    for place in places:
        own = folder / "__".join(value.replace("/", "_") for value in place.values())
        own.mkdir()
        for route, parameters in OF_WINDOWS:
            asked = {**place, **parameters}
            with contextlib.suppress(TimeoutError):
                server.read(place, *([route] if not parameters and route != "checks" else []))
            _keep(own / _name((route, *parameters.values())), server, route, asked)
    for run in sorted({place["run"] for place in places}):
        for route in OF_RUNS:
            _keep(folder / f"{route} {run.replace('/', '_')}.json", server, route, {"run": run})
    for route in OF_ALL:
        _keep(folder / f"{route}.json", server, route, {})


def _keep(file: Path, server: Board, route: str, asked: dict[str, str]) -> None:
    status, answer = settled(server, route, asked)
    text = json.dumps(answer, indent=1, sort_keys=True, ensure_ascii=False)
    file.write_text(_lasting(f"{status}\n{text}\n"), encoding="utf-8")


def settled(server: Board, route: str, asked: dict[str, str]) -> tuple[int, Any]:
    """The answer once nothing is being read any more."""
    if route == "fleet.csv":
        return 200, server.get(f"/data/plugin/tbprof/{route}").decode()
    for _ in range(300):
        status, answer = server.answer(route, **asked)
        text = json.dumps(answer)
        if status != 503 and '"state": "reading"' not in text and '"waiting": true' not in text:
            break
    return status, answer


def _name(parts: tuple[str, ...]) -> str:
    return " ".join(part.lstrip("-") for part in parts) + ".txt"


def _lasting(text: str) -> str:
    return _CHANGES.sub("", text)


def differences(before: Path, after: Path) -> Iterator[str]:
    """The files that only one folder has, or that are not the same, by name."""
    names = {path.relative_to(root) for root in (before, after) for path in root.rglob("*") if path.is_file()}
    for name in names:
        one, other = before / name, after / name
        if not one.exists() or not other.exists():
            yield f"{name}: only {'before' if one.exists() else 'after'}"
        elif not filecmp.cmp(one, other, shallow=False):
            lines = zip(one.read_text("utf-8").splitlines(), other.read_text("utf-8").splitlines())  # noqa: B905
            first = next(((old, new) for old, new in lines if old != new), ("the same", "and more"))
            yield f"{name}:\n  - {first[0][:300]}\n  + {first[1][:300]}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
