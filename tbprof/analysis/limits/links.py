"""How fast a copy of pinned memory can be between the host and a device: by the device's PCI Express.

A link of 16 lanes carries 15.8, 31.5 or 63.0 GB/s one way from generation 3 to 5 (PCI-SIG), one of 8 lanes
half of it, of which packets leave about nine tenths; the makers' data sheets name both of each card.
"""

from __future__ import annotations

import re

_OF_PACKETS = 0.9
_LINKS = (
    (15.8, r"\b(?:A2|RTX 2000E? Ada|RTX 3050|RTX 4060)\b"),
    (31.5, r"\bRTX 50[56]0\b"),
    (15.8, r"\b(?:P100|P40|P4|V100|T4|M40|M60|GTX|RTX 20\d\d(?! Ada)|TITAN|Quadro RTX|MI50|MI60)\b"),
    (31.5, r"\b(?:A100|A800|A10G?|A16|A30|A40|L4|L40S?|RTX [34]0\d\d|RTX A\d{4}|RTX \d{4} Ada)\b"),
    (31.5, r"\bMI(?:100|2\d\d)"),
    (63.0, r"\b(?:H100|H200|H800|H20|B200|B300|RTX 50\d\d|RTX PRO|MI3\d\d(?!A))"),
)
"""Bytes a ns of the link, and the cards, those of 8 lanes first; those that are soldered are not here."""


def pinned_bytes_per_ns(device: str) -> float | None:
    """The most that a copy of pinned memory reaches; None for a device that is not known."""
    if "GH200" in device or "GB200" in device or "GB300" in device:
        return None
    for rate, pattern in _LINKS:
        if re.search(pattern, device):
            return rate * _OF_PACKETS
    return None
