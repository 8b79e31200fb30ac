"""A path on the command line, or the address of a remote folder or file."""

from __future__ import annotations

from pathlib import Path

__all__ = ["path_of"]


def path_of(text: str) -> Path:
    """The path as it was given; of an address, where its placeholders are, once the store was asked.

    Raises:
        RemoteError: The address can't be read.
        Busy: It can't be reached now.
    """
    if "://" not in text:
        return Path(text)
    # Commands read folders of this machine most of the time.
    from tbprof.remote.address import is_address, local_folder_of

    local = local_folder_of(text)
    if local is not None or not is_address(text):
        return Path(local or text)
    return _listed(text)


def _listed(address: str) -> Path:
    from tbprof.cli.output.stderr_messages import tell
    from tbprof.remote.mirror.mirroring import mirror
    from tbprof.texts.findings.left_out import skipped_sentence

    mirrored = mirror(address)
    for file in mirrored.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    return mirrored.folder
