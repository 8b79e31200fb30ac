"""What a site does, in a few words."""

from __future__ import annotations

from tbprof.model import Site

NO_LINE = "line not recorded"
"""In place of a site's line."""

WHOLE_WINDOW = "the window"
"""In place of the sites of a finding that has none."""

_DIRECTIONS = {
    "HtoD": "copy to the GPU",
    "DtoH": "copy to the host",
    "DtoD": "copy on the GPU",
    "PtoP": "copy between GPUs",
    "": "copy, direction not recorded",
}


def site_name(site: Site) -> str:
    """What a site does, in words."""
    if not any("emcpy" in call for call in site.calls):
        call = site.calls[0].lower() if site.calls else ""
        of = "device" if "device" in call or "ctx" in call else "event" if "event" in call else "stream"
        return f"synchronize the {of}"
    memory = f", {site.memory} memory" if site.memory else ""
    return f"{_DIRECTIONS.get(site.direction, 'copy ' + site.direction)}{memory}"
