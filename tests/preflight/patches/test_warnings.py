"""Warnings of torch belong to the program's line, with patches between the two as without."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator

import pytest

torch = pytest.importorskip("torch")

from tbprof.preflight.session import Preflight  # noqa: E402

UPLOADED = torch.ones(2)

PROGRAMS = {
    "a factory": lambda: torch.tensor(UPLOADED),
    "a read": lambda: float(torch.ones((), requires_grad=True)),
}


@pytest.fixture
def torch_warns_always() -> Iterator[None]:
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


@pytest.mark.usefixtures("torch_warns_always")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_warning_belongs_to_the_programs_line(name: str) -> None:
    def warned_of(program: Callable[[], object]) -> list[tuple[str, int]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            program()
        return [(told.filename, told.lineno) for told in caught]

    alone = warned_of(PROGRAMS[name])
    assert [file for file, _ in alone] == [__file__]
    with Preflight(steps=None):
        assert warned_of(PROGRAMS[name]) == alone


@pytest.mark.usefixtures("torch_warns_always")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_filter_of_the_program_for_its_own_module_holds(name: str) -> None:
    with Preflight(steps=None), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=re.escape(__name__))
        PROGRAMS[name]()
