"""A route as a function from parameters to a record: the border that turns faults into JSON."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from tensorboard.backend import http_util
from werkzeug import wrappers

from tbprof.errors import Busy, Gone, TbprofError

__all__ = ["BYTES", "CSV", "JSON", "answering", "error_answer", "sending"]

JSON = "application/json"
BYTES = "application/octet-stream"
CSV = "text/csv"
_RETRY_AFTER_S = 5
"""Reading a large trace takes seconds, and a full queue some minutes."""

logger = logging.getLogger("tbprof")


def answering(find: Callable[[Mapping[str, str]], Any]) -> Callable[..., object]:
    """A WSGI application that answers with the record that `find` makes.

    What went wrong comes as `{"error": sentence}`: 400 for what was asked, 404 for what is
    not there, 503 for what may be asked again soon, 500 for a fault of ours, which is logged
    as well.
    """
    return _application(
        lambda request: _respond(
            request, 200, json.dumps(dataclasses.asdict(find(request.args)), allow_nan=False)
        )
    )


def sending(find: Callable[[Mapping[str, str]], bytes], *, kind: str) -> Callable[..., object]:
    """The same for an answer that was made elsewhere, as `JSON`, `CSV` or plain `BYTES`."""
    return _application(lambda request: _respond(request, 200, find(request.args), kind))


def _application(respond: Callable[[wrappers.Request], wrappers.Response]) -> Callable[..., object]:
    @wrappers.Request.application
    def application(request: wrappers.Request) -> wrappers.Response:
        try:
            return respond(request)
        except Gone as error:
            return error_answer(request, 404, str(error))
        except Busy as error:
            response = error_answer(request, 503, str(error))
            response.headers["Retry-After"] = str(_RETRY_AFTER_S)
            return response
        except TbprofError as error:
            return error_answer(request, 400, str(error))
        except Exception as error:
            logger.exception("tbprof could not answer %s", request.path)
            return error_answer(
                request, 500, f"this is a fault of tbprof's ({type(error).__name__}: {error})"
            )

    return application


def error_answer(request: wrappers.Request, status: int, sentence: str) -> wrappers.Response:
    """`{"error": sentence}`."""
    return _respond(request, status, json.dumps({"error": sentence}))


def _respond(
    request: wrappers.Request, status: int, content: str | bytes, kind: str = JSON
) -> wrappers.Response:
    response: wrappers.Response = http_util.Respond(request, content, kind, code=status)
    return response
