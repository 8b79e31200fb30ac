"""SyncBench: its tasks are whole, its labels are what a machine says again, and its page shows its counts."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("libcst")

from side_server import SideServer

from tests.syncbench.adapters import Answer, Request, adapter, command, grep, scan
from tests.syncbench.labels import exported, figures, looked_at
from tests.syncbench.proving import lines, predicted, server
from tests.syncbench.scoring import score
from tests.syncbench.tasks import CANARY, GAINS, TRAPS, VERSION, Task, digest, tasks, unmarked

ALL = tuple(tasks())
CHANGES = tuple(task for task in ALL if task.path("after").exists())
OPEN = tuple(task for task in CHANGES if not task.is_hidden)
PAGE = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
SAMPLE = ("isaaclab_5472", "vllm_omni_1614", "invokeai_6490", "made_equal_rewrite", "needed_environment")


def is_said_to_gain_nothing(task: Task) -> bool:
    return task.has_gain and (task.is_right("gain", "none") or task.is_right("gain", "slower"))


@pytest.fixture(scope="module")
def side_server() -> Iterator[SideServer]:
    with server() as started:
        yield started


def test_there_are_as_many_tasks_as_the_page_says() -> None:
    repositories = {
        task.facts["repository"] for task in CHANGES if "made for" not in task.facts["repository"]
    }
    useless = [task for task in CHANGES if is_said_to_gain_nothing(task)]
    needed = sum(len(task.labels.get("needed_before", ())) for task in ALL)
    hidden = sum(task.is_hidden for task in CHANGES)
    assert (
        f"{len(CHANGES)} tasks from {len(repositories)} repositories, {hidden} of them hidden, and {needed} "
        "reads that are needed"
    ) in PAGE
    assert len(CHANGES) >= 48
    assert len(repositories) >= 30
    assert 3 * len(useless) >= len(CHANGES)
    assert sum("trap" in task.facts for task in CHANGES) >= 10
    assert needed >= 100


def test_each_task_says_what_is_to_be_known() -> None:
    missing = [
        (task.name, key)
        for task in CHANGES
        for key in ("repository", "change", "link", "licence", "kind", "happened", "labels")
        if not task.facts.get(key)
    ]
    assert missing == []
    gains = [task.facts["gain"] for task in OPEN]
    assert {each for gain in gains for each in ([gain] if isinstance(gain, str) else gain)} <= set(GAINS)
    assert {task.facts["trap"] for task in OPEN if "trap" in task.facts} <= set(TRAPS)


def test_programs_hold_no_marks_and_labels_name_lines_of_them() -> None:
    for task in ALL:
        for side in ("before", "after", "wrong"):
            source = task.source(side)
            if source is not None:
                assert unmarked(source) == (source, {}), task.name
                ast.parse(source)
        if not task.is_hidden:
            for kind in ("waits", "needed", "stays"):
                for line in task.labels.get(f"{kind}_before", ()):
                    assert (task.source("before") or "").splitlines()[int(line) - 1].strip(), (
                        task.name,
                        line,
                    )


def test_a_hidden_label_can_be_checked_and_not_read() -> None:
    hidden = [task for task in CHANGES if task.is_hidden]
    assert 10 * len(hidden) >= len(CHANGES)
    for task in hidden:
        assert not {"gain", "claim", "verdict", "trap"} & task.facts.keys()
        # Whoever knows an answer can see that it is right.
        assert (
            sum(task.is_right("verdict", each) for each in ("proved", "no effect", "not equal", "unsafe"))
            == 1
        )
        every = {str(line) for line in range(1, len((task.source("before") or "").splitlines()) + 1)}
        if "waits_before" in task.labels and len(every) < 20:
            assert len(task.right("waits_before", every)) == len(task.labels["waits_before"])
    assert digest("salt", "14") != digest("salt", "15")


def test_an_export_has_a_line_for_each_task() -> None:
    written = [json.loads(line) for line in exported(iter(ALL), CANARY, VERSION)]
    assert [each["name"] for each in written] == [task.name for task in ALL]
    assert all(each["canary"] == CANARY and each["programs"]["before"] for each in written)


PROGRAM = """\
import torch

device = torch.device("cuda")
total = 0
for step in range(9):
    x = torch.randn(4, device=device)
    if x.isnan().any():
        break
    rows = x.nonzero()
    y = x.sum().item()
    z = x.cpu()
    total += float(x.max())
    w = torch.tensor(y, device=device)
print(total)
"""


def test_simple_adapters_name_the_lines_that_they_know(tmp_path: Path) -> None:
    program = tmp_path / "before.py"
    program.write_text(PROGRAM, encoding="utf-8")
    request = Request(str(program), None, None)
    assert grep(request).lines == {9, 10, 11}
    assert scan(request).lines == {7, 9, 10, 11, 12, 13}


def test_a_command_is_an_adapter(tmp_path: Path) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(
        "import json, sys\nasked = json.load(sys.stdin)\n"
        "print(json.dumps({'lines': [1], 'verdict': 'proved' if asked['after'] else None}))\n",
        encoding="utf-8",
    )
    words = f"{sys.executable} {tool}"
    assert command(words, Request("before.py", "after.py", None)).verdict == "proved"
    with pytest.raises(Exception, match="exit code"):
        command(f"{words}.none", Request("before.py", None, None))


def test_a_tool_that_names_every_line_has_all_recall_and_little_precision(side_server: SideServer) -> None:
    def every(request: Request) -> Answer:
        text = Path(request.program).read_text(encoding="utf-8")
        return Answer(frozenset(range(1, len(text.splitlines()) + 1)), "proved", "gain > 5 %")

    found = score(every, ALL, side_server)
    assert found.right["recall"] == found.of["recall"]
    assert found.right["needed"] == found.of["needed"]
    assert 8 * found.right["precision"] < found.of["precision"]
    assert 2 * found.right["gain"] < found.of["gain"]
    assert len(found.harm) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_labels_are_what_the_machine_says(side_server: SideServer, name: str) -> None:
    check_labels(next(iter(tasks((name,)))), side_server)


def check_labels(task: Task, side_server: SideServer) -> None:
    found = looked_at(task, "after", side_server)
    made = {} if found is None else figures(found)
    rounded = {
        key: [-1 if each is None else round(each, 2) for each in value] if isinstance(value, list) else value
        for key, value in made.items()
    }
    assert {key: task.labels[key] for key in made} == rounded
    wrong = looked_at(task, "wrong", side_server)
    assert task.labels.get("found_wrong") == (wrong and wrong.proof.verdict)
    before = found.before if found else predicted(side_server, task.source("before") or "", task.step_on)
    for side, prediction in (("before", before), ("after", found and found.after)):
        labels = [task.labels.get(f"{kind}_{side}", {}) for kind in ("waits", "needed", "stays")]
        assert lines(prediction) == {line: times for each in labels for line, times in each.items()}, (
            task.name
        )


@pytest.mark.slow
def test_tbprof_is_right_on_a_sample(side_server: SideServer) -> None:
    found = score(adapter("tbprof", side_server), tasks(SAMPLE), side_server)
    assert found.right["recall"] == found.of["recall"]
    assert found.right["verdict"] == found.of["verdict"]
    assert found.harm == []


@pytest.mark.exhaustive
def test_all_labels_are_what_the_machine_says(side_server: SideServer) -> None:
    for task in ALL:
        if not task.is_hidden:
            check_labels(task, side_server)


@pytest.mark.exhaustive
def test_the_page_shows_what_tbprof_scores(side_server: SideServer) -> None:
    row = score(adapter("tbprof", side_server), ALL, side_server).row("tbprof")
    assert re.sub(r" +", " ", row) in PAGE
