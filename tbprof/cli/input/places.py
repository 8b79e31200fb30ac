"""A path on the command line, or the address of a remote folder or file.

Each option and argument of a command that is one is declared with one of these as its `type`.
"""

from __future__ import annotations

from pathlib import Path

from tbprof.errors import UsageError


def path_of(text: str) -> Path:
    """The path as it was given; of an address, where its placeholders are, once the store was asked.

    Raises:
        UsageError: The text is empty.
        RemoteError: The address can't be read.
        Busy: It can't be reached now.
    """
    place = path_or_address(text)
    return _listed(place) if isinstance(place, str) else place


def local_path(text: str) -> Path:
    """The path of a file or a folder of this machine.

    Raises:
        UsageError: It is an address, or empty.
    """
    place = path_or_address(text)
    if isinstance(place, str):
        raise UsageError(f"{place} is an address, and here a path of this machine is needed: name one")
    return place


def path_or_address(text: str) -> Path | str:
    """The path, or the address as it was given.

    Raises:
        UsageError: The text is empty, as that of a variable of the shell is that was never set.
    """
    if not text:
        raise UsageError("a path is empty: name a file or a folder, such as . for this one")
    if "://" not in text:
        return Path(text)
    # Commands read folders of this machine most of the time.
    from tbprof.remote.address import is_address, local_folder_of

    local = local_folder_of(text)
    return text if local is None and is_address(text) else Path(local or text)


def _listed(address: str) -> Path:
    from tbprof.cli.output.stderr_messages import tell
    from tbprof.remote.mirror.mirroring import mirror
    from tbprof.texts.findings.left_out import skipped_sentence

    mirrored = mirror(address)
    for file in mirrored.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    return mirrored.folder
