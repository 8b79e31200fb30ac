"""The generated code of reports is what the command for it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tbprof.store import report_pb2
from tbprof.store.regenerate import GENERATOR, regenerate

GENERATED = Path(report_pb2.__file__)


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the generator has no wheel for this Python")
def test_the_command_writes_the_committed_files_to_the_byte(tmp_path: Path) -> None:
    """Asks the package index for the generator."""
    try:
        regenerate(tmp_path)
    except subprocess.CalledProcessError as error:
        if "pip" in error.cmd:
            pytest.skip("the generator can't be installed here: pip says why above")
        raise
    written = tmp_path / "tbprof" / "store"
    for name in ("report_pb2.py", "report_pb2.pyi"):
        assert (written / name).read_bytes() == GENERATED.with_name(name).read_bytes()


def test_the_proto_file_names_the_generator() -> None:
    head = GENERATED.with_name("report.proto").read_text(encoding="utf-8").partition("syntax")[0]
    assert GENERATOR[0].replace("==", " ") in head.replace("\n// ", " ")
