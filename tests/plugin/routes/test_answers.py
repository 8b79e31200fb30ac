"""The border of a route: what goes wrong behind it comes out as JSON with a sentence."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from werkzeug.test import Client

from tbprof.errors import Busy, Gone, ReportNotReadable, UsageError
from tbprof.plugin.routes.answers import answering


@dataclass(frozen=True)
class Echo:
    name: str


def echo(parameters: Mapping[str, str]) -> Echo:
    return Echo(parameters["name"])


def test_the_record_comes_as_json() -> None:
    response = Client(answering(echo)).get("/", query_string={"name": "训练 <b>"})
    assert response.json == {"name": "训练 <b>"}
    assert response.mimetype == "application/json"


def test_a_browser_that_has_the_answer_is_told_so() -> None:
    client = Client(answering(echo))
    first = client.get("/", query_string={"name": "a"})
    again = client.get("/", query_string={"name": "a"}, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    # TensorBoard logs a warning of each answer that does not say it.
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    other = client.get("/", query_string={"name": "b"}, headers={"If-None-Match": first.headers["ETag"]})
    assert (other.status_code, other.json) == (200, {"name": "b"})


@pytest.mark.parametrize("accepts", ["gzip", "gzip, br", "gzip;q=0", ""])
def test_what_is_long_is_packed_for_those_who_take_it(accepts: str) -> None:
    client = Client(answering(lambda _: Echo("x" * 5000)))
    response = client.get("/", headers={"Accept-Encoding": accepts})
    is_packed = accepts in ("gzip", "gzip, br")
    assert ("Content-Encoding" in response.headers) == is_packed
    content = gzip.decompress(response.data) if is_packed else response.data
    assert json.loads(content) == {"name": "x" * 5000}
    head = client.head("/", headers={"Accept-Encoding": accepts})
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(response.data)))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Gone("there is none"), 404),
        (UsageError("that can't be"), 400),
        (ReportNotReadable("it is damaged"), 400),
        (Busy("not now"), 503),
    ],
)
def test_an_error_of_the_family_is_its_own_sentence(error: Exception, status: int) -> None:
    def fail(_: Mapping[str, str]) -> Echo:
        raise error

    response = Client(answering(fail)).get("/")
    assert response.status_code == status
    assert response.json == {"error": str(error)}
    assert ("Retry-After" in response.headers) == isinstance(error, Busy)


def test_a_fault_of_ours_is_said_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "tbprof"):
        response = Client(answering(lambda _: Echo(name=str(1 // 0)))).get("/runs")
    assert response.status_code == 500
    assert response.json is not None
    assert response.json["error"].startswith("this is a fault of tbprof's (ZeroDivisionError")
    assert "Traceback" not in response.text
    [record] = caplog.records
    assert record.getMessage() == "tbprof could not answer /runs"
    assert record.exc_info is not None


def test_a_repeated_parameter_counts_once() -> None:
    assert Client(answering(echo)).get("/?name=a&name=b").json == {"name": "a"}
