"""`tbprof.Preflight`: what surrounds a program to foretell its syncs and copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import torch

from tbprof.errors import NotSupported, UsageError
from tbprof.preflight import awaited
from tbprof.preflight.ending import ending_of
from tbprof.preflight.mode import Watch
from tbprof.preflight.patch import Patch, instead
from tbprof.preflight.patches import installed
from tbprof.preflight.predicting import predict
from tbprof.preflight.prediction import PredictedFinding, PredictedSite, Prediction
from tbprof.preflight.recording import RECORDERS, Recorder
from tbprof.preflight.report import text
from tbprof.preflight.self_test import self_test
from tbprof.preflight.stepping import Steps, StepsTaken

__all__ = ["Preflight"]


class Preflight:
    """Runs what is inside its `with` as if there were a GPU, and notes where that would be waited for.

        with tbprof.Preflight(steps=3) as preflight:
            train()
        print(preflight.text())

    Tensors keep their values and stay the CPU's. After `warmup` and `steps` optimizer steps the
    block is left by an exception that ends with it. Tensors that were made before it are neutral:
    make the model inside.

    Args:
        steps: Steps to look at; None never stops.
        warmup: Steps before them, whose waits are those of the set-up as well.
        stub: By full name, what is put in place of functions that only a GPU can run.
        force: Run on a machine with a GPU, too.
    """

    def __init__(
        self,
        steps: int | None = 3,
        *,
        warmup: int = 1,
        stub: Mapping[str, Callable[..., Any]] | None = None,
        force: bool = False,
        program: str = "",
    ) -> None:
        if (steps is not None and steps < 1) or warmup < 0:
            raise UsageError(f"preflight can't look at {steps} steps after {warmup}: give 1 or more")
        self._warmup = warmup
        self._stub = stub or {}
        self._force = force
        self._program = program
        self._recorder = Recorder()
        self._steps = Steps(self._recorder, None if steps is None else warmup + steps)
        self._stack = ExitStack()
        self._prediction: Prediction | None = None

    def __enter__(self) -> Preflight:
        with ExitStack() as stack:
            if not RECORDERS:
                _refuse_a_gpu(force=self._force)
                stack.enter_context(installed())
                stack.callback(awaited.forget_all)
            stack.enter_context(installed_stubs(self._stub))
            stack.enter_context(Watch())
            self_test()
            RECORDERS.append(self._recorder)
            stack.callback(RECORDERS.remove, self._recorder)
            self._steps.start()
            stack.callback(self._steps.stop)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._stack.close()
        is_own_stop = isinstance(error, StepsTaken) and error.steps is self._steps
        ending, sentence = ending_of(None if is_own_stop else error)
        self._prediction = predict(
            self._recorder,
            program=self._program,
            warmup=self._warmup,
            taken=self._steps.taken,
            ending="stopped" if is_own_stop else ending,
            error=sentence,
        )
        return is_own_stop

    def step(self) -> None:
        """A step is over, where no optimizer says so."""
        self._steps.step()

    @property
    def has_ended(self) -> bool:
        """Whether the block has ended, however it did."""
        return self._prediction is not None

    @property
    def prediction(self) -> Prediction:
        """What was foretold.

        Raises:
            UsageError: the block has not ended yet.
        """
        if self._prediction is None:
            raise UsageError("preflight foretells when its block has ended: read it after the with")
        return self._prediction

    @property
    def sites(self) -> tuple[PredictedSite, ...]:
        return self.prediction.sites

    @property
    def findings(self) -> tuple[PredictedFinding, ...]:
        return self.prediction.findings

    def text(self) -> str:
        """The report, as the command prints it."""
        return text(self.prediction)

    def assert_max_syncs(self, per_step: int) -> None:
        """Fail if more lines than that make the host wait in a step.

        Raises:
            AssertionError: with the report.
        """
        if self.prediction.syncs_per_step > per_step:
            raise AssertionError(f"more than {per_step} predicted sync points in a step\n{self.text()}")


def installed_stubs(stub: Mapping[str, Callable[..., Any]]) -> ExitStack:
    """Put the program's own stand-ins in place."""
    rows = []
    for name, replacement in stub.items():
        owner, _, attribute = name.rpartition(".")
        rows.append(Patch(owner, attribute, instead(replacement), is_new=True))
    return installed(tuple(rows))


def _refuse_a_gpu(*, force: bool) -> None:
    if torch.cuda.is_available() and not force:
        raise NotSupported(
            "this machine has a GPU, which knows better than a prediction: record the lines with "
            "tbprof run and its audit step, or give --force"
        )
