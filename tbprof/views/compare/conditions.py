"""Under which conditions two windows were recorded: what differs, and what does not."""

from __future__ import annotations

from tbprof.model import HookFacts, LoaderFacts, OptimizerFacts, Report
from tbprof.records import dataclass

_COMMIT_DIGITS = 10
"""So many tell the commits of a project apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something beside the program that is not the same."""

    name: str
    before: str
    after: str


def differences(before: Report, after: Report) -> tuple[Difference, ...]:
    """What was recorded on both sides and is not equal."""
    sides = [_conditions(report) for report in (before, after)]
    names = [name for name in sides[0] if name in sides[1] and sides[0][name] != sides[1][name]]
    return tuple(Difference(name, sides[0][name], sides[1][name]) for name in names)


def alike(before: Report, after: Report) -> tuple[str, ...]:
    """The names of what was recorded on both sides and is equal."""
    sides = [_conditions(report) for report in (before, after)]
    return tuple(name for name, value in sides[0].items() if sides[1].get(name) == value)


def _conditions(report: Report) -> dict[str, str]:
    known: dict[str, str | None] = {
        "devices": ", ".join(report.trace.devices) or None,
        "ranks": None if report.trace.world_size is None else str(report.trace.world_size),
        **({} if report.facts is None else _of_hook(report.facts)),
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_hook(facts: HookFacts) -> dict[str, str | None]:
    return {
        "commit": None if facts.git_commit is None else facts.git_commit[:_COMMIT_DIGITS],
        "torch": facts.torch_version,
        "CUDA or HIP": facts.cuda_version,
        "driver": facts.driver_version,
        "loader": "; ".join(map(_loader, facts.loaders)) or None,
        "optimizer": "; ".join(map(_optimizer, facts.optimizers)) or None,
        "recorded": ", ".join(name for name, on in facts.options.items() if on) or "nothing extra",
        **facts.settings,
        **facts.environment,
    }


def _loader(loader: LoaderFacts) -> str:
    batch = "no batches" if loader.batch_size is None else f"batch_size={loader.batch_size}"
    options = f"num_workers={loader.num_workers}, pin_memory={loader.pin_memory}"
    return f"{loader.dataset}: {batch}, {options}"


def _optimizer(optimizer: OptimizerFacts) -> str:
    return f"{optimizer.name}: foreach={optimizer.foreach}, fused={optimizer.fused}"
