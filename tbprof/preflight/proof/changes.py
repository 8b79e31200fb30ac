"""What a change made of the text of a program, statement by statement.

A statement that stood there before, or differs by names alone, is no change. What is one is looked at for
what no run can show: that it asks who watches it, or keeps what it found by the address of an object.
"""

from __future__ import annotations

import ast
import filecmp
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tbprof.preflight.proof.record import Fault
from tbprof.records import dataclass

_OPENING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A statement, or the head of one that has a body."""

    node: ast.stmt | ast.ExceptHandler | ast.match_case
    parts: tuple[ast.AST, ...]
    """All of it that is not a body."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangedFile:
    """A file of the side after the change."""

    path: str
    text: str
    tree: ast.Module
    changes: tuple[Change, ...]

    def said(self, node: ast.AST) -> str:
        """The line with its text."""
        line = getattr(node, "lineno", 1)
        code = " ".join(self.text.splitlines()[line - 1].split()) if self.text else ""
        return f"{Path(self.path).name}:{line} (`{code}`)"


def changed_file(path: Path, before: Path) -> ChangedFile | None:
    """What is new in a file; None where nothing is, or it is no Python."""
    try:
        text = path.read_text(encoding="utf-8")
        old_text = before.read_text(encoding="utf-8") if before.is_file() else ""
        tree, old = ast.parse(text), ast.parse(old_text)
    except (OSError, SyntaxError, ValueError):
        return None
    if text == old_text or _with_names_counted(tree) == _with_names_counted(old):
        return None
    known = Counter(map(_dumped, _statements(old)))
    changes: list[Change] = []
    others: list[Change] = []
    for each in _statements(tree):
        known[_dumped(each)] -= 1
        (changes if known[_dumped(each)] < 0 else others).append(each)
    constants = {name for each in changes for name in _constants(each.node)}
    asking = (each for each in others if isinstance(each.node, ast.If | ast.While))
    changes += (each for each in asking if constants & set(re.findall(r"\w+", ast.unparse(each.parts[0]))))
    return ChangedFile(str(path), text, tree, tuple(changes)) if changes else None


def _constants(node: ast.AST) -> Iterator[str]:
    """The names that a statement sets to what has no names in it."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    value = getattr(node, "value", None)
    if value is not None and not any(isinstance(one, ast.Name) for one in ast.walk(value)):
        for target in filter(None, targets):
            yield getattr(target, "id", getattr(target, "attr", ""))


def changed_and_unread(before: Path, after: Path, read: Collection[str]) -> Iterator[str]:
    """Sentences on files that are changed, and named by those that were run, and were not run themselves."""
    texts = ""
    for folder, folders, files in os.walk(after):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in files:
            path, old = Path(folder) / name, before / Path(folder).relative_to(after) / name
            is_other = name.endswith(".py") and str(path) not in read and old.is_file()
            if is_other and not filecmp.cmp(old, path, shallow=False):
                texts = texts or "\n".join(Path(each).read_text(errors="replace") for each in read)
                if re.search(rf"\b{re.escape(path.stem)}\b", texts):
                    yield f"{path.relative_to(after)} is changed, and was not imported"


def _statements(tree: ast.AST) -> Iterator[Change]:
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not is_text:
            parts = (getattr(node, name, None) for name in node._fields if name not in _BODIES)
            flat = (each for part in parts for each in (part if isinstance(part, list) else [part]))
            yield Change(node, tuple(each for each in flat if isinstance(each, ast.AST)))


def _dumped(change: Change) -> str:
    if not isinstance(change.node, (*_OPENING, *_DEFINITIONS, ast.ExceptHandler, ast.match_case)):
        return ast.dump(change.node)
    name = getattr(change.node, "name", "")
    return f"{type(change.node).__name__} {name} {' '.join(map(ast.dump, change.parts))}"


def _with_names_counted(tree: ast.Module) -> str:
    """The tree with the names that it binds itself numbered in their order."""
    bound = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    bound |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    bound |= {one.name for one in ast.walk(tree) if isinstance(one, _DEFINITIONS)}
    numbers = {name: f"#{at}" for at, name in enumerate(dict.fromkeys(_names(tree))) if name in bound}
    copied = ast.parse(ast.unparse(tree))
    for node in ast.walk(copied):
        field = _naming(node)
        if field and (name := getattr(node, field)) in numbers:
            setattr(node, field, numbers[name])
    return ast.dump(copied)


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if field := _naming(node):
            yield getattr(node, field)


def _naming(node: ast.AST) -> str:
    """The field that has the name which a node binds or uses."""
    if isinstance(node, ast.Name):
        return "id"
    if isinstance(node, ast.arg):
        return "arg"
    return "name" if isinstance(node, _DEFINITIONS) else ""


_MARK = re.compile(r"open\('[\w./-]+/\.tbprof-reached', 'a'\)\.close\(\)")
"""What `tbprof fix` puts before an edit, to see that it is run."""

_STARTERS = ("sitecustomize.py", "usercustomize.py", "conftest.py")


def started_by_others(before: Path, after: Path) -> Iterator[Fault]:
    """Files that Python or pytest run by themselves, before the program."""
    for name in _STARTERS:
        new, old = after / name, before / name
        if new.is_file() and (not old.is_file() or old.read_bytes() != new.read_bytes()):
            yield Fault("patched", name, f"{name} is new or another, and is run before any program is")


_INSTRUMENTS = re.compile(
    r"tbprof|preflight|ctypes|cffi|\bmarshal\b|b64decode|inspect\.stack|_current_frames|(?:extract|format)_stack|\bmock\b|monkeypatch|_python_dispatch|_?(?:Dis|dis)able\w*(?:[Dd]ispatch|modes?)"
    r"|_dispatch_stack|DispatchKeyGuard|DispatchMode|settrace|setprofile|audithook|get_refer\w+|get_objects"
    r"|__code__|__closure__|__globals__|cell_contents|_?getframe|currentframe|f_locals|f_back|sys\.modules"
)
_SURROUNDINGS = re.compile(
    r"get_device_(?:name|properties)|gethostname|getpid|getppid|/proc\b|version\.cuda|argv"
)
_OF_A_JOB = re.compile(r"RANK|WORLD_SIZE|MASTER_|SLURM")
_PATCHABLE = ("torch", "time", "random", "numpy", "builtins", "tbprof", "os", "gc", "sys")
_READS = ("item", "cpu", "numpy", "tolist", "backward", "synchronize", "perf_counter", "step", "zero_grad")
_SETTINGS = re.compile(r"\.(?:backends|_dynamo|_inductor|environ)\b|^sys\.(?:std\w+|argv)$")


def suspicions(file: ChangedFile) -> Iterator[Fault]:
    """Changed statements that reach for what watches them, or keep results by identity."""
    imported = _imported(file.tree)
    for change in file.changes:
        if _MARK.fullmatch(ast.unparse(change.node)):
            continue
        for part in (change.parts or (change.node,)) if _has_body(change.node) else (change.node,):
            why = _suspicion(part, ast.unparse(part), imported, is_loop=isinstance(change.node, ast.While))
            if why:
                source = f"{Path(file.path).name}:{getattr(change.node, 'lineno', 1)}"
                yield Fault("suspicious", source, f"{file.said(change.node)} {why}")
                break


def _has_body(node: ast.AST) -> bool:
    return any(hasattr(node, name) for name in _BODIES)


def _suspicion(part: ast.AST, text: str, imported: Sequence[str], *, is_loop: bool) -> str:
    if found := _INSTRUMENTS.search(text) or _SURROUNDINGS.search(text) or _asks_environment(part):
        word = found if isinstance(found, str) else found[0]
        return f"reaches for `{word}`, by which a program can tell that it is watched, or by what"
    for node in ast.walk(part):
        if is_loop and _is_call(node, ("query",)):
            return "waits for the device by asking it again and again"
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            owner = ast.unparse(node)
            if owner.partition(".")[0] in imported and not _SETTINGS.search(owner):
                return f"puts something else in the place of {owner}"
            if node.attr in _READS:
                return f"puts something else in the place of `{node.attr}`"
        if _is_call(node, ("setattr", "delattr", "getattr")) and _is_of(node, imported):
            return "reaches for something of what is not its own by a name that is made"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
            "exec",
            "eval",
            "compile",
            "__import__",
        ):
            return "runs code that is made as it runs"
        if _keeps_by_identity(node):
            return "keeps what it found by the identity of an object, which stays when its values change"
    return ""


def _asks_environment(part: ast.AST) -> str:
    for node in ast.walk(part):
        text = ast.unparse(node) if isinstance(node, ast.Call | ast.Subscript | ast.Compare) else ""
        is_read = not isinstance(getattr(node, "ctx", None), ast.Store) and not re.match(
            r"os\.environ\.(?:setdefault|update)\(", text
        )
        if is_read and re.search(r"environ|getenv", text) and not _OF_A_JOB.search(text):
            return "os.environ"
        is_asked = isinstance(node, ast.Compare) or _is_call(
            node, ("startswith", "endswith", "find", "search")
        )
        if is_asked and (found := re.search(r"__file__|getcwd|cwd\(\)|gettempdir", text)):
            return found[0]
    return ""


def _is_call(node: ast.AST, names: Sequence[str]) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) in names


def _is_of(node: ast.AST, imported: Sequence[str]) -> bool:
    """Whether an attribute of a module or of what is in it is set, or got by no plain name."""
    if not isinstance(node, ast.Call) or len(node.args) < 2 or _root(node.args[0]) not in imported:
        return False
    return not (_is_call(node, ("getattr",)) and isinstance(node.args[1], ast.Constant))


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


def _keeps_by_identity(node: ast.AST) -> bool:
    held: list[ast.AST] = []
    if isinstance(node, ast.Subscript):
        held = [node.slice]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        held = [node.left]
    elif _is_call(node, ("get", "setdefault", "pop")):
        held = list(node.args) if isinstance(node, ast.Call) else []
    elif isinstance(node, ast.Assign):
        held = [node.value]
    return any(_is_call(one, ("id", "data_ptr")) for each in held for one in ast.walk(each))


def _imported(tree: ast.Module) -> tuple[str, ...]:
    """The names of modules, and of what is in them, that a program should leave as they are."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            of = getattr(node, "module", None) or ""
            for each in node.names:
                package = (of or each.name).partition(".")[0]
                if package in _PATCHABLE:
                    found.append(each.asname or (each.name if of else package))
    return tuple(found)
