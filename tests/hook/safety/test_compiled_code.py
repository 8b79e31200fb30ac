"""Programs that use torch.compile: the hook adds no frame, no graph and no word of Dynamo's."""

from __future__ import annotations

import gzip
import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from tbprof.hook.safety.compiled_code import has_compiled_code, untraced

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import RunScript

COMPILED_STEP = """
    import sys, torch, torch._dynamo
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=torch.tensor(.1), foreach=False)
    @torch.compile(backend="eager")
    def step():
        optimizer.step()
    for _ in range(25):
        optimizer.zero_grad()
        model(torch.rand(2, 4)).sum().backward()
        step()
    counters = torch._dynamo.utils.counters
    breaks = sum(counters["graph_break"].values())
    print(counters["frames"]["total"], counters["stats"]["unique_graphs"], breaks)
"""

UNDER_RUN = "import runpy, sys; from tbprof.hook.run import main; main(sys.argv[1:])"


def words_of_dynamo(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if "dynamo" in line.lower() or "tbprof/" in line]


@pytest.mark.slow
def test_a_compiled_optimizer_step_compiles_as_it_does_alone(fork_script: RunScript, tmp_path: Path) -> None:
    alone = fork_script(COMPILED_STEP)
    assert alone.returncode == 0, alone.stderr
    (tmp_path / "train.py").rename(tmp_path / "program.py")
    watched = fork_script(UNDER_RUN, "--logdir", tmp_path / "logs", tmp_path / "program.py")
    assert watched.stdout == alone.stdout
    assert words_of_dynamo(watched.stderr) == words_of_dynamo(alone.stderr)
    assert "To see it" in watched.stderr or "Still being published" in watched.stderr


STEP_INSIDE = """
    import sys, torch, tbprof
    hook = tbprof.TrainerHook(sys.argv[1], schedule=tbprof.Schedule(skip_first=3, warmup=1, active=2))
    @torch.compile(backend="eager")
    def train(x):
        loss = (x * 2).sin().sum()
        hook.step()
        return loss
    for _ in range(12):
        train(torch.rand(3))
    assert hook._run.steps_taken == 12
    hook.close(wait_s=60)
    counters = torch._dynamo.utils.counters
    print(counters["stats"]["unique_graphs"], len(counters["graph_break"]))
"""


def test_step_inside_of_a_compiled_function_is_counted_and_only_breaks_the_graph_there(
    fork_script: RunScript, tmp_path: Path
) -> None:
    ended = fork_script(STEP_INSIDE, tmp_path / "logs")
    assert (ended.returncode, ended.stdout) == (0, "1 1\n"), ended.stderr
    assert words_of_dynamo(ended.stderr) == []
    assert list((tmp_path / "logs").glob("*.tbprof.pb"))


FIRST_COMPILED_IN_THE_AUDIT = """
    import sys, torch, tbprof
    graphs = []
    def backend(graph, _):
        graphs.append(graph)
        return graph.forward
    compiled = torch.compile(lambda x: (x * 2).sin().sum(), backend=backend)
    model = torch.nn.Linear(4, 4)
    hook = tbprof.TrainerHook(sys.argv[1], schedule=tbprof.Schedule(skip_first=2, warmup=1, active=2))
    for number in range(12):
        y = model(torch.rand(2, 4))
        (compiled(y) if number >= int(sys.argv[2]) else y.sum()).backward()
        hook.step()
    hook.close(wait_s=60)
    print(len(graphs))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "first"),
    # The first has the compiler loaded already, the second loads it while lines are recorded.
    [("fork_script", 2), ("run_script", 5)],
    ids=["in the early audit step", "in the audit step"],
)
def test_what_is_first_compiled_while_lines_are_recorded_is_compiled_whole(
    request: pytest.FixtureRequest, tmp_path: Path, run: str, first: int
) -> None:
    run_script: RunScript = request.getfixturevalue(run)
    ended = run_script(FIRST_COMPILED_IN_THE_AUDIT, tmp_path / "logs", first)
    assert (ended.returncode, ended.stdout) == (0, "1\n"), ended.stderr
    assert words_of_dynamo(ended.stderr) == []


def test_outside_of_compiled_code_nothing_changes() -> None:
    called: list[tuple[int, int | None]] = []

    @untraced
    def note(first: int, steps_taken: int | None) -> None:
        called.append((first, steps_taken))

    note(1)
    note(2, 3, "beside it")
    note(4, steps_taken=5)
    assert called == [(1, None), (2, 3), (4, 5)]


def test_a_compiler_that_another_thread_is_importing_has_compiled_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", ModuleType("torch._dynamo.utils"))
    assert not has_compiled_code()


COMPILED_IN_A_WINDOW = """
    import sys, torch, torch._dynamo, tbprof
    from torch import nn
    counters = torch._dynamo.utils.counters

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        def forward(self, x):
            return self.second(self.first(x) * 2)

    def in_place(net):
        net.compile(backend="eager")
        return net

    def inside(net):
        net.second = torch.compile(net.second, backend="eager")
        return net

    WAYS = (
        lambda net: torch.compile(net, backend="eager"),
        in_place,
        lambda net: torch.compile(lambda x: net(x).sum(), backend="eager"),
        inside,
    )

    def train(step):
        torch._dynamo.reset()
        counters.clear()
        models = [Net() for _ in WAYS]
        for number in range(8):
            if number == 4:
                models = [way(net) for way, net in zip(WAYS, models)]
            for model in models:
                model(torch.ones(2, 4)).sum().backward()
            step()
        print(counters["frames"]["total"], counters["stats"]["unique_graphs"], len(counters["graph_break"]))

    train(lambda: None)
    schedule = tbprof.Schedule(skip_first=2, warmup=1, active=3)
    with tbprof.TrainerHook(sys.argv[1], schedule=schedule, record_lines=False, mark_modules=True) as hook:
        train(hook.step)
        hook.close(wait_s=60)
"""


def test_marks_on_modules_make_way_before_anything_is_compiled(
    fork_script: RunScript, tmp_path: Path
) -> None:
    ended = fork_script(COMPILED_IN_A_WINDOW, tmp_path / "logs")
    assert ended.returncode == 0, ended.stderr
    alone, watched = ended.stdout.splitlines()
    assert watched == alone
    (trace,) = (tmp_path / "logs").glob("*.trace.json.gz")
    assert gzip.decompress(trace.read_bytes()).count(b"nn.Module: Net.second (Sequential)") > 0
