"""ENV: switches and variables that the hook recorded."""

from __future__ import annotations

import pytest
from check_cases import CheckCases, beside
from computing_scenes import computing
from hook_scenes import hook_facts, report_with
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.model import Report


def with_settings(**settings: str) -> Report:
    return report_with(hook_facts(settings=settings), computing("aten::mm"))


def with_environment(**environment: str) -> Report:
    return report_with(hook_facts(environment=environment), computing("aten::mm"))


def of_settings(report: Report) -> list[str]:
    assert report.failed_rules == ()
    return [finding.rule for finding in report.findings if finding.rule.startswith("ENV")]


@pytest.mark.parametrize(
    ("name", "value", "codes"),
    [
        ("deterministic_algorithms", "True", ["ENV01"]),
        ("cudnn.deterministic", "True", ["ENV01"]),
        ("deterministic_algorithms", "False", []),
        ("anomaly_mode", "True", ["ENV02"]),
        ("anomaly_mode", "False", []),
        ("python_tracer", "pydevd", ["ENV07"]),
        ("python_tracer", "none", []),
        ("memory_history", "True", ["ENV07"]),
        ("memory_history", "False", []),
    ],
)
def test_a_switch_of_torch(name: str, value: str, codes: list[str]) -> None:
    assert of_settings(with_settings(**{name: value})) == codes


@pytest.mark.parametrize(
    ("name", "value", "codes"),
    [
        ("NCCL_DEBUG", "INFO", ["ENV04"]),
        ("NCCL_DEBUG", "trace", ["ENV04"]),
        ("NCCL_DEBUG", "WARN", []),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", ["ENV05"]),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "0", []),
        ("CUDA_LAUNCH_BLOCKING", "1", ["ENV06"]),
        ("AMD_SERIALIZE_KERNEL", "3", ["ENV06"]),
        ("CUDA_LAUNCH_BLOCKING", "0", []),
    ],
)
def test_a_variable(name: str, value: str, codes: list[str]) -> None:
    assert of_settings(with_environment(**{name: value})) == codes


@pytest.mark.parametrize(
    ("threads", "cores", "codes"), [("1", "4", ["ENV03"]), ("1", "3", []), ("2", "4", [])]
)
def test_one_thread_on_a_machine_of_several_cores_without_a_device(
    threads: str, cores: str, codes: list[str]
) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::mm", 10, 900)
    facts = hook_facts(settings={"num_threads": threads, "cpu_count": cores})
    assert of_settings(report_with(facts, built)) == codes
    assert of_settings(report_with(facts, computing("aten::mm"))) == []


def test_a_switch_that_stands_as_it_should_passes_with_its_value() -> None:
    (check,) = (check for check in with_settings(anomaly_mode="False").checks if check.rule == "ENV02")
    assert (check.state, check.numbers()) == ("passed", {"anomaly_mode": "False"})
    (unset,) = (check for check in with_environment().checks if check.rule == "ENV04")
    assert (unset.state, unset.numbers()) == ("passed", {"NCCL_DEBUG": "not set"})


def test_variables_of_a_gpu_mean_nothing_without_one() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::mm", 10, 900)
    facts = hook_facts(
        environment={
            "NCCL_DEBUG": "INFO",
            "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
            "CUDA_LAUNCH_BLOCKING": "1",
        }
    )
    states = {check.rule: check.state for check in report_with(facts, built).checks}
    assert {states[code] for code in ("ENV04", "ENV05", "ENV06")} == {"not_applicable"}


def test_without_the_hook_nothing_is_checked() -> None:
    report = computing("aten::mm").report()
    needs = {row.needs for row in report.not_checked if row.rule.startswith("ENV")}
    assert needs == {"facts of the hook"}


def set_to(**settings: str) -> Facts:
    return beside(hook_facts(settings=settings), computing("aten::mm"))


def exported(**environment: str) -> Facts:
    return beside(hook_facts(environment=environment), computing("aten::mm"))


def on_cores(cores: int, threads: int = 1) -> Facts:
    """Steps on a host without a device."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::mm", 10, 900)
    return beside(hook_facts(settings={"num_threads": str(threads), "cpu_count": str(cores)}), built)


CASES = (
    CheckCases(
        "ENV01",
        boundary="no threshold: what one switch stands at",
        positive=lambda: set_to(**{"deterministic_algorithms": "True", "cudnn.deterministic": "True"}),
        negative=lambda: set_to(deterministic_algorithms="False"),
        least=lambda: set_to(**{"cudnn.deterministic": "True"}),
        below=lambda: set_to(**{"cudnn.deterministic": "False"}),
    ),
    CheckCases(
        "ENV02",
        boundary="no threshold: what one switch stands at",
        positive=lambda: set_to(anomaly_mode="True"),
        negative=lambda: set_to(anomaly_mode="False"),
        least=lambda: set_to(anomaly_mode="True"),
        below=lambda: set_to(anomaly_mode="False"),
    ),
    CheckCases(
        "ENV03",
        boundary="one thread on a machine of four cores",
        positive=lambda: on_cores(64),
        negative=lambda: on_cores(64, threads=64),
        least=lambda: on_cores(4),
        below=lambda: on_cores(3),
    ),
    CheckCases(
        "ENV04",
        boundary="the level INFO, above WARN",
        positive=lambda: exported(NCCL_DEBUG="TRACE"),
        negative=lambda: exported(),
        least=lambda: exported(NCCL_DEBUG="INFO"),
        below=lambda: exported(NCCL_DEBUG="WARN"),
    ),
    CheckCases(
        "ENV05",
        boundary="no threshold: what one variable says",
        positive=lambda: exported(PYTORCH_NO_CUDA_MEMORY_CACHING="1"),
        negative=lambda: exported(),
        least=lambda: exported(PYTORCH_NO_CUDA_MEMORY_CACHING="1"),
        below=lambda: exported(PYTORCH_NO_CUDA_MEMORY_CACHING="0"),
    ),
    CheckCases(
        "ENV06",
        boundary="no threshold: what one variable says",
        positive=lambda: exported(CUDA_LAUNCH_BLOCKING="1", AMD_SERIALIZE_KERNEL="3"),
        negative=lambda: exported(),
        least=lambda: exported(CUDA_LAUNCH_BLOCKING="1"),
        below=lambda: exported(CUDA_LAUNCH_BLOCKING="0"),
    ),
    CheckCases(
        "ENV07",
        boundary="no threshold: what one switch stands at",
        positive=lambda: set_to(python_tracer="pydevd", memory_history="True"),
        negative=lambda: set_to(python_tracer="none"),
        least=lambda: set_to(memory_history="True"),
        below=lambda: set_to(memory_history="False"),
    ),
)
