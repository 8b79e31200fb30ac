"""Functions that end a step are wrapped when the program imports them, and put back."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tbprof.errors import UsageError
from tbprof.program.step_functions import STEP_FUNCTIONS, StepFunction, call_after, counted

SOURCE = """
class Trainer:
    def step(self, fails=False):
        if fails:
            raise ValueError("no data")
        return 7

    @classmethod
    def of_class(cls): return cls

    @staticmethod
    def alone(): return 8

class Better(Trainer):
    limit = 3

def train_step(batch, *, scale=1):
    return batch * scale
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that nobody has imported yet."""
    (tmp_path / "steps_by_hand.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    finders = list(sys.meta_path)
    yield "steps_by_hand"
    sys.modules.pop("steps_by_hand", None)
    assert sys.meta_path == finders


def fail(sentence: str) -> None:
    raise AssertionError(sentence)


@pytest.mark.parametrize(
    ("name", "module", "function"),
    [("a:f", "a", "f"), ("a.b:C.f", "a.b", "C.f"), ("__main__:train", "__main__", "train")],
)
def test_a_name_has_a_module_and_a_function(name: str, module: str, function: str) -> None:
    step = StepFunction.parse(name)
    assert (step.module, step.function, str(step)) == (module, function, name)


@pytest.mark.parametrize("name", ["", "train_step", "a.b.C.f", "a:", ":f", "a:b:c", "a:f()", "a/b.py:f"])
def test_what_is_no_such_name_is_said(name: str) -> None:
    with pytest.raises(UsageError, match=r"names no function; write package\.module:function"):
        StepFunction.parse(name)


def test_a_method_counts_from_the_import_of_its_module_on(module: str) -> None:
    steppers: list[object] = []
    undo = call_after(StepFunction(module, "Trainer.step"), steppers.append, fail)
    assert steppers == []
    found = importlib.import_module(module)
    trainer = found.Better()
    assert (trainer.step(), trainer.step()) == (7, 7)
    assert steppers == [trainer, trainer]
    undo()
    trainer.step()
    assert len(steppers) == 2


def test_a_module_that_is_there_is_wrapped_at_once(module: str) -> None:
    found = importlib.import_module(module)
    before = found.train_step
    steppers: list[object] = []
    undo = call_after(StepFunction(module, "train_step"), steppers.append, fail)
    assert found.train_step(2, scale=3) == 6
    assert (steppers, found.train_step.__name__) == ([before], "train_step")
    undo()
    assert found.train_step is before


def test_a_function_is_counted_for_its_own_module_too(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a spawned process, where `__main__` has a copy of the namespace."""
    home = importlib.import_module(module)
    before, copy = home.train_step, ModuleType("copy_of_it")
    vars(copy).update(train_step=before)
    monkeypatch.setitem(sys.modules, copy.__name__, copy)
    steppers: list[object] = []
    undo = call_after(StepFunction(copy.__name__, "train_step"), steppers.append, fail)
    home.train_step(2)
    assert steppers == [before]
    undo()
    assert (home.train_step, copy.train_step) == (before, before)


def test_the_import_leaves_no_trace(module: str) -> None:
    undo = call_after(StepFunction(module, "train_step"), lambda _: None, fail)
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.loader is not None
    assert spec.loader.get_source(module) == SOURCE  # type: ignore[attr-defined]
    found = importlib.import_module(module)
    undo()
    assert type(found.__loader__).__name__ == "SourceFileLoader"
    assert found.__spec__ is not None
    assert found.__spec__.loader is found.__loader__


def test_a_step_that_fails_is_none(module: str) -> None:
    steppers: list[object] = []
    undo = call_after(StepFunction(module, "Trainer.step"), steppers.append, fail)
    with pytest.raises(ValueError, match="no data"):
        importlib.import_module(module).Trainer().step(fails=True)
    undo()
    assert steppers == []


def test_two_may_wait_for_one_module(module: str) -> None:
    steppers: list[object] = []
    functions = (StepFunction(module, name) for name in ("Trainer.step", "train_step"))
    undos = [call_after(function, steppers.append, fail) for function in functions]
    found = importlib.import_module(module)
    found.Trainer().step()
    found.train_step(1)
    assert len(steppers) == 2
    for undo in undos:
        undo()


@pytest.mark.parametrize(("function", "result"), [("of_class", "Better"), ("alone", 8)])
def test_methods_of_classes_stay_what_they_are(module: str, function: str, result: object) -> None:
    steppers: list[object] = []
    undo = call_after(StepFunction(module, f"Trainer.{function}"), steppers.append, fail)
    better = importlib.import_module(module).Better
    returned = getattr(better, function)()
    assert getattr(returned, "__name__", returned) == result
    assert len(steppers) == 1
    undo()


def test_an_inherited_method_counts_for_the_class_that_was_named(module: str) -> None:
    steppers: list[object] = []
    undo = call_after(StepFunction(module, "Better.step"), steppers.append, fail)
    found = importlib.import_module(module)
    found.Trainer().step()
    assert steppers == []
    found.Better().step()
    assert len(steppers) == 1
    undo()
    assert "step" not in vars(found.Better)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("Trainer.fit", "type object 'Trainer' has no attribute 'fit'"),
        ("Better.limit", "3 is no function"),
    ],
)
def test_a_function_that_is_not_there_is_said_and_the_import_goes_on(
    module: str, function: str, said: str
) -> None:
    sentences: list[str] = []
    undo = call_after(StepFunction(module, function), lambda _: None, sentences.append)
    assert importlib.import_module(module).Trainer().step() == 7
    undo()
    (sentence,) = sentences
    assert said in sentence


def test_a_function_in_c_is_said() -> None:
    sentences: list[str] = []
    call_after(StepFunction("builtins", "dict.update"), lambda _: None, sentences.append)()
    assert "name a function written in Python" in sentences[0]


def test_a_module_that_is_never_imported_costs_nothing() -> None:
    finders = list(sys.meta_path)
    undo = call_after(StepFunction("no_such_module", "f"), lambda _: None, fail)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module")
    undo()
    assert sys.meta_path == finders


@pytest.mark.parametrize("step", STEP_FUNCTIONS, ids=lambda step: step.framework)
def test_each_framework_has_the_function_that_is_named(step: StepFunction) -> None:
    if importlib.util.find_spec(step.module.split(".")[0]) is None:
        pytest.skip(f"{step.framework} is not installed")
    spec = importlib.util.find_spec(step.module.split(".")[0])
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent.joinpath(*step.module.split(".")[1:]).with_suffix(".py")
    *owner, function = step.function.split(".")
    text = path.read_text(encoding="utf-8")
    assert f"class {owner[0]}" in text
    assert f"def {function}(" in text


def test_a_call_inside_the_same_call_is_part_of_it() -> None:
    steps: list[object] = []

    class Trainer:
        def step(self, depth: int) -> None:
            if depth:
                Trainer.step(self, depth - 1)

    Trainer.step = counted(Trainer.step, steps.append, is_method=True)  # type: ignore[method-assign]
    trainer = Trainer()
    trainer.step(2)
    trainer.step(0)
    assert steps == [trainer, trainer]
