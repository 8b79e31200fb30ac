"""The audit step: every line that can wait or copy, and nothing of it left behind."""

from __future__ import annotations

import linecache
import re
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import program_of_reads
import pytest
import torch
from torch.overrides import TorchFunctionMode

from tbprof.hook.audit import call_log
from tbprof.hook.audit.audit import AuditStep
from tbprof.hook.audit.watched_calls import WATCHED
from tbprof.hook.safety.compiled_code import has_compiled_code
from tbprof.hook.safety.modes import function_modes
from tbprof.model import Audit, RecordedCall
from tbprof.program import caller_frame

PROGRAM = Path(program_of_reads.__file__)
HERE = f"audit/{Path(__file__).name}"
"""Below the folder from which the tests of the hook import."""
CPU = torch.device("cpu")


def audit_of(program: Callable[[], object], *, embed_source: bool = False) -> Audit:
    step = AuditStep(embed_source=embed_source)
    step.start()
    try:
        program()
    finally:
        audit = step.finish().audit
    assert not function_modes()
    return audit


def only(audit: Audit) -> RecordedCall:
    (call,) = audit.calls
    return call


def test_every_form_of_waiting_and_copying_is_recorded_with_its_line() -> None:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    marked = [(n, re.search(r"# records: (.+)", line)) for n, line in enumerate(lines, 1)]
    expected = {(n, mark[1]) for n, mark in marked if mark is not None}
    assert len(expected) > 50
    # A process's first optimizer makes torch 2.6 load its compiler, which reads tensors while it loads.
    torch.optim.Adam([torch.nn.Parameter(torch.ones(1))])
    audit = audit_of(lambda: program_of_reads.run(CPU))
    assert {call.file for call in audit.calls} == {PROGRAM.name}
    by_torch = {n for n, line in enumerate(lines, 1) if line.endswith("# records some")}
    assert {call.line for call in audit.calls} >= by_torch
    assert {(call.line, call.call) for call in audit.calls if call.line not in by_torch} == expected


def test_calls_are_in_the_order_of_the_program_and_counted() -> None:
    number = torch.tensor(1.5)

    def program() -> None:
        for _ in range(2):
            number.item()
            float(number)

    audit = audit_of(program)
    assert [(call.call, call.count) for call in audit.calls] == [("item", 2), ("__float__", 2)]
    assert audit.order == (0, 1, 0, 1)
    assert audit.calls[0].function == "program"
    assert audit.calls[1].line == audit.calls[0].line + 1
    assert {call.thread for call in audit.calls} == {0}


def test_a_library_s_own_line_is_named_when_the_library_reads(tmp_path: Path) -> None:
    """As the trace's frames have it: the innermost one that is not torch's."""
    (tmp_path / "some_library.py").write_text("def norm(tensor):\n    return tensor.norm().item()\n")
    namespace: dict[str, Callable[..., float]] = {}
    code = compile((tmp_path / "some_library.py").read_text(), str(tmp_path / "some_library.py"), "exec")
    exec(code, namespace)
    call = only(audit_of(lambda: namespace["norm"](torch.ones(3))))
    assert (call.file, call.line, call.function) == (str(tmp_path / "some_library.py"), 2, "norm")


def run_cell(source: str, name: str) -> Callable[[], object]:
    """What IPython does with a cell: its text is only in `linecache`."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return lambda: exec(compile(source, name, "exec"), {"torch": torch})


def test_a_cell_of_a_notebook_has_lines_and_text() -> None:
    cell = "loss = torch.ones(())\nif loss:\n    print(loss)\n"
    audit = audit_of(run_cell(cell, "<ipython-input-3-0a1b>"), embed_source=True)
    assert [(call.file, call.line, call.call) for call in audit.calls] == [
        ("<ipython-input-3-0a1b>", 2, "__bool__"),
        ("<ipython-input-3-0a1b>", 3, "__repr__"),
    ]
    (source,) = audit.sources
    assert (source.file, source.first_line, source.text) == ("<ipython-input-3-0a1b>", 1, cell)


CELL = """
import functools
class Metric:
    def read(self, number):
        return number.item()  # records: item
def twice(function):
    @functools.wraps(function)
    def wrapper(number):
        return function(number) + float(number)  # records: __float__
    return wrapper
@twice
def value(number):
    return int(number)  # records: __int__
values = torch.arange(4.0)
Metric().read(values[1])
value(values[2])
[row.item() for row in values]  # records: item
list(map(lambda row: bool(row), values))  # records: __bool__
values[values > 1]  # records: __getitem__
f"{values[0]:.2f}"  # records: __format__
torch.tensor([1.0], device="meta")  # records: tensor
values.to("meta")  # records: to
torch.nn.utils.clip_grad_norm_([torch.nn.Parameter(values)], 1.0)
"""


def test_every_form_has_its_line_in_a_cell_as_well() -> None:
    """A function, a method, a decorator, a comprehension, a lambda, and a library that reads nothing."""
    name = "<ipython-input-7-0a1b>"
    marked = [(n, re.search(r"# records: (.+)", line)) for n, line in enumerate(CELL.splitlines(), 1)]
    audit = audit_of(run_cell(CELL, name))
    assert {(call.file, call.line, call.call) for call in audit.calls} == {
        (name, n, mark[1]) for n, mark in marked if mark is not None
    }


def test_generated_code_has_no_line_of_its_own() -> None:
    number = torch.tensor(1.0)
    call = only(audit_of(lambda: eval(compile("number.item()", "<string>", "eval"), {"number": number})))
    assert call.file == HERE


@pytest.mark.parametrize(
    ("program", "devices", "pinned", "non_blocking"),
    [
        (lambda x: x.to("cpu", non_blocking=True), ("cpu", "cpu"), False, True),
        (lambda x: x.to(CPU, torch.float64, True), ("cpu", "cpu"), False, True),
        (lambda x: x.to("meta"), ("cpu", "meta"), False, False),
        (lambda x: x.to(device="meta"), ("cpu", "meta"), False, False),
        (lambda x: torch.ones(2, device="meta").copy_(x), ("cpu", "meta"), False, False),
        (lambda _: torch.tensor([1], device="meta"), ("cpu", "meta"), False, None),
        (lambda _: torch.ones(2, device="meta")[[0, 1]], ("cpu", "meta"), None, None),
        (lambda x: x.sum().item(), ("cpu",), None, None),
        (lambda x: x.tolist(), ("cpu", "cpu"), False, None),
    ],
)
def test_it_knows_from_where_to_where_and_how(
    program: Callable[[torch.Tensor], object],
    devices: tuple[str, ...],
    pinned: bool | None,
    non_blocking: bool | None,
) -> None:
    call = only(audit_of(lambda: program(torch.ones(2))))
    assert (call.devices, call.pinned, call.non_blocking) == (devices, pinned, non_blocking)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_waits_that_no_table_knows_are_recorded_as_well() -> None:
    matrix = torch.eye(3, device="cuda")
    audit = audit_of(lambda: torch.linalg.inv(matrix))
    assert {call.file for call in audit.calls} == {HERE}
    assert torch.cuda.get_sync_debug_mode() == 0


def test_warnings_of_waits_are_recorded_with_their_line_and_shown_to_nobody(
    recwarn: pytest.WarningsRecorder,
) -> None:
    step = AuditStep(embed_source=False)
    # What torch does on CUDA; without it, the listening starts the same way.
    step._waits.listen()
    step.start()
    warnings.warn("called a synchronizing CUDA operation (Triggered internally)", stacklevel=1)
    warnings.warn("something else", stacklevel=1)
    audit = step.finish().audit
    (call,) = audit.calls
    assert (call.file, call.call, call.devices) == (HERE, "synchronize", ("cuda",))
    assert [str(warning.message) for warning in recwarn] == ["something else"]


def test_listening_leaves_filters_and_display_as_they_were() -> None:
    before, shown = list(warnings.filters), warnings.showwarning
    step = AuditStep(embed_source=False)
    step._waits.listen()
    assert warnings.filters != before
    step._waits.stop()
    assert (list(warnings.filters), warnings.showwarning) == (before, shown)


class Passing(TorchFunctionMode):
    """A mode of the user's that counts what it sees."""

    seen = 0

    def __torch_function__(
        self, func: Callable[..., object], kinds: object, args: tuple = (), kwargs: dict | None = None
    ) -> object:
        self.seen += 1
        return func(*args, **(kwargs or {}))


def test_a_mode_of_the_user_that_ends_within_the_step_takes_itself_away_and_not_ours() -> None:
    theirs, step = Passing(), AuditStep(embed_source=False)
    with theirs:
        step.start()
        torch.ones(2)
    number = torch.ones(())
    number.item()
    seen = theirs.seen
    audit = step.finish().audit
    assert [call.call for call in audit.calls] == ["item"]
    assert seen == theirs.seen >= 1
    assert not function_modes()


def test_a_mode_of_the_user_that_begins_within_the_step_stays() -> None:
    theirs, step = Passing(), AuditStep(embed_source=False)
    step.start()
    with theirs:
        step.finish()
        assert list(function_modes()) == [theirs]


def test_a_device_context_that_ends_within_the_step_goes_on_working() -> None:
    step, device = AuditStep(embed_source=False), torch.device("meta")
    with device:
        step.start()
        assert torch.ones(2).device == device
    assert torch.ones(2).device == CPU
    step.finish()
    assert not function_modes()


def test_a_device_context_that_begins_within_the_step_goes_on_working() -> None:
    step, device = AuditStep(embed_source=False), torch.device("meta")
    step.start()
    with device:
        assert torch.ones(2).device == device
        step.finish()
        assert torch.ones(2).device == device
    assert not function_modes()


@pytest.mark.parametrize("set_first", [True, False])
def test_a_default_device_can_be_set_and_taken_back(set_first: bool) -> None:
    step = AuditStep(embed_source=False)
    try:
        if set_first:
            torch.set_default_device("meta")
        step.start()
        torch.set_default_device("meta")
        assert torch.ones(2).device.type == "meta"
        torch.set_default_device(None)
        assert torch.ones(2).device == CPU
        step.finish()
    finally:
        torch.set_default_device(None)
    assert not function_modes()


def test_an_exception_of_the_program_passes_as_it_is() -> None:
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        audit_of(lambda: torch.ones(2).item())


def warned_of(program: Callable[[], object]) -> list[tuple[str, int, str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program()
    return [(told.filename, told.lineno, str(told.message)) for told in caught]


@pytest.mark.parametrize("form", ["in C", "in Python"])
def test_a_warning_belongs_to_the_line_that_it_would_belong_to(form: str) -> None:
    def program() -> object:
        ones = torch.ones(2)
        return torch.tensor(ones) if form == "in C" else torch.nn.functional.softmax(ones)

    alone = warned_of(program)
    assert [file for file, _, _ in alone] == [__file__]
    assert warned_of(lambda: audit_of(program)) == alone


def test_a_filter_of_the_program_for_its_own_module_holds() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=re.escape(__name__))
        audit_of(lambda: torch.tensor(torch.ones(2)))


def test_a_call_that_can_t_be_read_costs_its_own_line_and_is_missing_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(WATCHED, "item", lambda call: call.nothing)
    number, read = torch.tensor(2.0), []
    step = AuditStep(embed_source=False)
    step.start()
    read += [number.item(), float(number)]
    audited = step.finish()
    assert read == [2.0, 2.0]
    assert [call.call for call in audited.audit.calls] == ["__float__"]
    assert [fact.name for fact in audited.missing] == ["call.item"]


def test_more_calls_than_are_kept_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_log, "MOST_CALLS", 3)
    audit = audit_of(lambda: [torch.tensor(1.0).item() for _ in range(5)])
    assert (len(audit.order), audit.dropped) == (3, 2)
    assert audit.calls[0].count == 3


def test_turned_off_it_sees_nothing_and_lets_everything_pass() -> None:
    step = AuditStep(embed_source=False)
    step.start()
    step.turn_off()
    assert torch.tensor(2.0).item() == 2.0
    assert step.finish().audit.calls == ()


def test_a_step_does_not_keep_the_program_s_tensors_alive() -> None:
    import weakref

    step = AuditStep(embed_source=True)
    step.start()

    def program() -> weakref.ref[torch.Tensor]:
        values = torch.ones(3)
        values.sum().item()
        return weakref.ref(values)

    assert program()() is None
    step.finish()


def test_code_compiled_by_torch_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamo = types.SimpleNamespace(counters={"stats": {"unique_graphs": 1}})
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", dynamo)
    assert has_compiled_code()
    dynamo.counters["stats"]["unique_graphs"] = 0
    assert not has_compiled_code()
    monkeypatch.delitem(sys.modules, "torch._dynamo.utils")
    assert not has_compiled_code()


def two_steps_of(program: Callable[[int], object]) -> Audit:
    """What the audit tells of a program that is called with the step's number."""
    step = AuditStep(embed_source=False)
    step.start()
    program(0)
    if step.wants_another_step():
        program(1)
        assert not step.wants_another_step()
    return step.finish().audit


def test_small_uploads_are_compared_with_those_of_the_next_step() -> None:
    def program(step: int) -> None:
        torch.tensor([0.485, 0.456]).to("meta")
        torch.tensor([step]).to("meta")
        torch.tensor([0.5], device="meta")
        torch.zeros(10_000).to("meta")

    calls = two_steps_of(program).calls
    assert [(call.call, call.count, call.same_bytes) for call in calls] == [
        ("to", 1, True),
        ("to", 1, False),
        ("tensor", 1, True),
        ("to", 1, None),
    ]


def test_without_small_uploads_one_step_is_enough() -> None:
    calls = []
    two_steps_of(lambda step: (calls.append(step), torch.tensor(1.0).item()))
    assert calls == [0]


def test_what_a_step_builds_and_how_often_it_goes_back_is_counted() -> None:
    weights = torch.ones(2, requires_grad=True)

    def program(_: int) -> None:
        for _ in range(3):
            criterion = torch.nn.MSELoss()
            criterion(weights, torch.zeros(2)).backward()

    audit = two_steps_of(program)
    assert [(built.kind, built.function, built.count) for built in audit.constructions] == [
        ("MSELoss", "program", 3)
    ]
    assert audit.backward_calls == 3


def test_a_library_s_line_comes_with_the_user_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lies where packages are installed is a library's."""
    installed = f"{tmp_path}/site-packages/"
    monkeypatch.setattr(caller_frame, "_INSTALLED", (installed,))
    code = compile("def read(tensor):\n    return tensor.item()\n", f"{installed}framework.py", "exec")
    namespace: dict[str, Callable[..., float]] = {}
    exec(code, namespace)

    def program() -> None:
        namespace["read"](torch.tensor(1.0))

    call = only(audit_of(program))
    assert (call.file, call.line, call.function) == (f"{installed}framework.py", 2, "read")
    assert call.caller is not None
    assert (call.caller.file, call.caller.function) == (HERE, "program")
    assert call.caller.line == program.__code__.co_firstlineno + 1


@pytest.mark.parametrize(("cycle", "steps", "reads"), [(1, 1, 40), (2, 2, 20), (3, 3, 14), (30, 1, 1)])
def test_where_a_rollout_comes_every_few_steps_its_reads_are_those_of_a_mean_step(
    cycle: int, steps: int, reads: int
) -> None:
    step, x = AuditStep(embed_source=False, steps=20), torch.nn.Parameter(torch.ones(1))
    step.start()
    at, wants_more = 1, True
    while wants_more:
        for _ in range(1 if at % cycle else 40):
            x.sum().item()
        wants_more, at = step.wants_another_step(), at + 1
    audit = step.finish().audit
    assert (audit.steps, only(audit).count) == (steps, reads)
    # A recorded step is joined with the fuller one.
    assert len(audit.order) == (1 if cycle == 30 else 40)
