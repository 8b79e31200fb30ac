"""Bring the protobuf of stored reports up to the records: `python -m tbprof.store.regenerate`.

First `report.proto` gets the fields that the records have and it lacks, then its code is generated.

The generator is one old version, whose output runs on every protobuf from 4.25 on. It needs an
older protobuf than tbprof's own, therefore pip puts it into a temporary folder. Its wheels are for
Python 3.12 and earlier.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tbprof.model import Report
from tbprof.store.proto_file import completed

GENERATOR = ("grpcio-tools==1.62.3", "protobuf==4.25.9", "setuptools<80")
"""It imports `pkg_resources`, which later setuptools no longer have."""

_PROTO = Path("tbprof", "store", "report.proto")
_ROOT = Path(__file__).parents[2]


def regenerate(target: Path = _ROOT) -> None:
    """Write `report_pb2.py` and `report_pb2.pyi` below `target`, in the package's folders.

    Raises:
        CalledProcessError: pip or the generator failed; its own message is on stderr.
    """
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", "--target", folder]
        subprocess.run([*pip, *GENERATOR], check=True)
        outputs = [f"--python_out={target}", f"--pyi_out={target}"]
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", "-I.", *outputs, _PROTO.as_posix()],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": folder},
            check=True,
        )


def complete_proto_file() -> None:
    """Add to `report.proto` what the records of the model have and it lacks."""
    path = _ROOT / _PROTO
    path.write_text(completed(path.read_text(encoding="utf-8"), Report), encoding="utf-8")


if __name__ == "__main__":
    complete_proto_file()
    regenerate()
