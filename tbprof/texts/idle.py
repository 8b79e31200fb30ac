"""Why and where a device was idle."""

from __future__ import annotations

from tbprof.model import IdlePlace, Site
from tbprof.texts.figures.places import place_words

_CAUSES = {
    "sync": "Refilling after a sync",
    "data": "Waiting for data",
    "launch": "Host is late to launch",
    "queued": "Work is queued",
    "loading": "Loading in first calls",
    "staging": "Copying pageable memory",
    "allocator": "Allocating memory",
    "collective": "In a collective of the hosts",
    "another_device": "Waiting for another GPU",
    "compile": "Compiling",
    "garbage_collection": "Garbage collection",
    "profiler": "The profiler is at work",
    "unrecorded": "Waiting for something unrecorded",
    "unknown": "Cause is not known",
}


def cause_name(cause: str) -> str:
    """A few words; a cause of another version is called by its code."""
    return _CAUSES.get(cause, cause.replace("_", " "))


def place_name(place: IdlePlace, opened: Site | None) -> str:
    """What the host was in, after the site that opened the gap if one did."""
    if opened is None:
        return host_place_name(place.place)
    after = f"after {site_location(opened)}"
    return f"{after}, in {host_place_name(place.place)}" if place.place else after


def host_place_name(place: str) -> str:
    """What the host was in, by the name that was recorded."""
    return place_words(place) or "place not recorded"


def drain_sentence(drain: Site) -> str:
    """A sentence: idle is there only because this site let the device run dry."""
    return f"exposed only because {site_location(drain)} drained the queue"


def site_location(site: Site) -> str:
    """`train.py:12`, without its folder; the ops where no line was recorded, innermost first."""
    if site.source is not None:
        name = site.source.file.replace("\\", "/").rpartition("/")[2]
        return name if site.source.line is None else f"{name}:{site.source.line}"
    return " \u2039 ".join(site.ops[:2]) if site.ops else " + ".join(site.calls)
