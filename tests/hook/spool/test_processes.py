"""A process is known by host, number and start, so that a reused number deceives nobody."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tbprof.hook import processes
from tbprof.hook.processes import (
    host_name,
    is_of_this_host,
    is_running,
    process_label,
    process_name,
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc")


def test_this_process_runs() -> None:
    assert is_running(process_name()) is True


def test_a_process_that_has_ended_does_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = process_name(child.pid)
    assert is_running(name) is True
    child.communicate(b"\n")
    assert is_running(name) is False


def test_nor_does_one_that_nobody_has_waited_for() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = process_name(child.pid)
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_running(name) is False
    child.wait()


def test_a_number_that_was_given_away_again_is_another_process() -> None:
    name, _, start = process_name().rpartition("-")
    assert is_running(f"{name}-{int(start) + 1}") is False


@pytest.mark.parametrize("name", ["another-host-8e9bf4ef.4026531836-1-5", "no process", "host-12", ""])
def test_what_this_host_does_not_know_is_unknown(name: str) -> None:
    assert is_running(name) is None


def test_the_host_name_is_fit_for_a_file_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "gpu 7.example.org[2]")
    assert host_name() == "gpu-7-example-org-2-"


def test_a_process_of_another_container_is_unknown_and_of_this_host() -> None:
    name = f"{host_name()}-8e9bf4ef.4026532999-{os.getpid()}-5"
    assert (is_running(name), is_of_this_host(name)) == (None, True)
    assert not is_of_this_host("another-host-8e9bf4ef.4026531836-1-5")


def test_containers_of_one_host_name_have_labels_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def label(numbers: str) -> str:
        monkeypatch.setattr(processes, "_name_space", lambda: f"8e9bf4ef.{numbers}")
        return process_label()

    plain = f"{host_name()}_{os.getpid()}"
    assert label(processes.FIRST_NAME_SPACE) == label("0") == plain
    one, two = label("4026532999"), label("4026533000")
    assert one != two
    assert all(re.fullmatch(f"{plain}-[0-9a-f]{{4}}", each) for each in (one, two))
