"""Addresses of remote folders, such as `s3://bucket/runs`, and what has to be installed to read them."""

from __future__ import annotations

import importlib.util
import re

from tbprof.errors import RemoteError

_ADDRESS = re.compile(r"[a-zA-Z][0-9a-zA-Z.+-]+://")
"""One letter is a drive of Windows."""

_LOCAL = ("file://", "local://")

_PACKAGES = {
    "s3": ("s3fs", "tbprof[s3]"),
    "s3a": ("s3fs", "tbprof[s3]"),
    "gs": ("gcsfs", "tbprof[gs]"),
    "gcs": ("gcsfs", "tbprof[gs]"),
    "az": ("adlfs", "tbprof[az]"),
    "abfs": ("adlfs", "tbprof[az]"),
    "abfss": ("adlfs", "tbprof[az]"),
}
"""The package that fsspec reads each scheme with, and what installs it."""


def is_address(text: str) -> bool:
    """Whether a text is an address and no path."""
    return _ADDRESS.match(text) is not None


def local_folder_of(text: str) -> str | None:
    """The path that `file://` names; None of any other address."""
    return next((text[len(scheme) :] for scheme in _LOCAL if text.startswith(scheme)), None)


def checked_address(text: str) -> str:
    """The address in the one form that all that is kept of it is found by.

    Raises:
        RemoteError: It names no folder of its own, or what reads it is not installed.
    """
    address = text.rstrip("/")
    scheme, _, path = address.partition("://")
    # A chain of addresses (`simplecache::s3://...`) would be read with other rules than these.
    if not path or "::" in text or any(part in (".", "..") for part in path.split("/")):
        raise RemoteError(f"{text} names no folder: give an address such as s3://bucket/runs")
    package = missing_package(address)
    if package is not None:
        raise RemoteError(f"{text} can't be read without {scheme}'s package: pip install {package}")
    return address


def missing_package(address: str) -> str | None:
    """What has to be installed to read an address, as pip takes it; None where nothing is known to lack."""
    package, extra = _PACKAGES.get(address.partition("://")[0], ("fsspec", "fsspec"))
    found = all(importlib.util.find_spec(name) is not None for name in ("fsspec", package))
    return None if found else f"'{extra}'"


def parent_and_name(address: str) -> tuple[str, str]:
    """The folder of a file, and what the file is called there."""
    parent, _, name = address.rpartition("/")
    return parent, name
