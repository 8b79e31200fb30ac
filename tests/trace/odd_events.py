"""Events that are odd, alone among events that are not: what each of them means."""

from __future__ import annotations

import json
from typing import Any

from trace_samples import a_step, classic, complete

from tbprof.trace.columns.columns import Category

ODD = (5000000, 1000, "odd", Category.CPU_OP, "1", "1", -1)
START, DURATION, NAME, CATEGORY, PROCESS, THREAD, CORRELATION = range(7)


def with_odd_event(event: str) -> bytes:
    """A step with the text `event` among its events, behind the third."""
    content = classic([*a_step()[:3], complete("PLACE", 0, 0), *a_step()[3:]])
    start = content.rindex(b"  {", 0, content.index(b"PLACE"))
    end = content.index(b"\n  }", start) + 4
    return content[:start] + event.encode() + content[end:]


def odd(without: str = "", **fields: Any) -> str:
    event = {**complete("odd", 5000, 1), **fields}
    return json.dumps({key: value for key, value in event.items() if key != without})


def changed(*changes: tuple[int, Any]) -> tuple[Any, ...]:
    row = list(ODD)
    for field, value in changes:
        row[field] = value
    return tuple(row)


READ_AS = {
    # name: text, row
    "name null": (odd(name=None), changed((NAME, ""))),
    "name a number": (odd(name=5), changed((NAME, "5"))),
    "no name": (odd("name"), changed((NAME, ""))),
    "no cat": (odd("cat"), changed((CATEGORY, Category.OTHER))),
    "cat null": (odd(cat=None), changed((CATEGORY, Category.OTHER))),
    "cat unknown": (odd(cat="Trace"), changed((CATEGORY, Category.OTHER))),
    "ts a string": (odd(ts="5000.5"), changed((START, 5000500))),
    "ts below zero": (odd(ts=-5.5), changed((START, -5500))),
    "ts tiny": (odd().replace("5000", "1e-999999999"), changed((START, 0))),
    "dur below zero": (odd(dur=-1), changed((DURATION, 0))),
    "no args": (odd("args"), ODD),
    "args null": (odd(args=None), ODD),
    "args a list": (odd(args=[1]), ODD),
    "correlation a string": (odd(args={"correlation": "12"}), changed((CORRELATION, 12))),
    "correlation null": (odd(args={"correlation": None}), ODD),
    "correlation too large": (odd(args={"correlation": 2**64}), ODD),
    "correlation 0": (odd(args={"correlation": 0}), changed((CORRELATION, 0))),
    "a parent that is null": (odd(args={"Python parent id": None}), ODD),
    "call stack a list": (odd(args={"Call stack": ["a"]}), ODD),
    "pid a fraction": (odd(pid=1.5), changed((PROCESS, "1.5"))),
    "pid null": (odd(pid=None), changed((PROCESS, ""))),
    "tid a string": (odd(tid="1"), ODD),
    "a key twice": (odd().replace('"ts": 5000', '"ts": 1, "ts": 5000'), ODD),
    "a control character": (odd(name="o\td").replace("\\t", "\t"), changed((NAME, "o d"))),
    "half a pair": (odd(name="\ud800"), changed((NAME, "\ufffd"))),
    "a whole pair": (odd(name="\U0001f600"), changed((NAME, "\U0001f600"))),
    "NaN among the args": (odd(args={"b": float("nan")}), ODD),
    "a bad escape": (odd(name="C:U").replace("C:U", "C:\\U"), changed((NAME, "C:\\U"))),
}

COSTS_ITSELF = {
    # name: text, reason
    "no ph": (odd("ph"), "damaged"),
    "ph a number": (odd(ph=1), "damaged"),
    "no ts": (odd("ts"), "no_time"),
    "ts null": (odd(ts=None), "no_time"),
    "ts no number": (odd(ts="soon"), "no_time"),
    "ts a bool": (odd(ts=True), "no_time"),
    "ts over 64 bits": (odd(ts=2**63), "out_of_range"),
    "ts over every range": (odd().replace("5000", "1e999999999"), "out_of_range"),
    "ts no number as a string": (odd(ts="NaN"), "no_time"),
    "ts of 5,000 digits": (odd().replace("5000", "1" * 5000), "out_of_range"),
    "no dur": (odd("dur"), "no_time"),
    "dur over 64 bits": (odd(dur=2**63), "out_of_range"),
    "dur infinite": (odd(dur=float("inf")), "no_time"),
    "null": ("null", "not_an_object"),
    "a number": ("-1.5e3", "not_an_object"),
    "a string": ('"ph"', "not_an_object"),
    "no JSON": ("// a comment", "damaged"),
    "half an event": ('{"ph": "X", "cat": "cpu_op", "na', "damaged"),
}
