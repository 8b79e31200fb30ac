"""A route as a function from parameters to a record: the border that turns faults into JSON."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tensorboard.backend import http_util
from werkzeug import wrappers
from werkzeug.datastructures import Headers

from tbprof.errors import Busy, Gone, TbprofError
from tbprof.plugin.worker.kept import Answer

JSON = "application/json"
BYTES = "application/octet-stream"
CSV = "text/csv"
_RETRY_AFTER_S = 5
"""Reading a large trace takes seconds, and a full queue some minutes."""

logger = logging.getLogger("tbprof")


def answering(find: Callable[[Mapping[str, str]], Any], *, kind: str = JSON) -> Callable[..., object]:
    """A WSGI application that answers with the record that `find` makes, or with what was made elsewhere.

    That comes as `JSON`, `CSV` or plain `BYTES`.

    What went wrong comes as `{"error": sentence}`: 400 for what was asked, 404 for what is
    not there, 503 for what may be asked again soon, 500 for a fault of ours, which is logged
    as well. A browser that has the same answer already gets a 304.
    """
    return _application(lambda request: sent(request, _answer(find(request.args)), kind))


def _answer(found: Any) -> Answer:
    if isinstance(found, Answer):
        return found
    content = found if isinstance(found, bytes) else json.dumps(dataclasses.asdict(found), allow_nan=False)
    return Answer(content.encode() if isinstance(content, str) else content)


def sent(
    request: wrappers.Request,
    answer: Answer,
    kind: str,
    more_headers: Mapping[str, str] = MappingProxyType({}),
) -> wrappers.Response:
    """The answer as this browser takes it: packed, or that it has not changed."""
    headers = {**more_headers, "ETag": f'W/"{answer.tag}"', "Vary": "Accept-Encoding"}
    if request.if_none_match.contains_weak(answer.tag):
        return _NotModified(status=304, headers=headers, content_type=kind)
    packed = answer.packed if request.accept_encodings["gzip"] > 0 else None
    if packed is not None:
        headers["Content-Encoding"] = "gzip"
    content = answer.content if packed is None else packed
    # A HEAD gets its length.
    headers["Content-Length"] = str(len(content))
    shown = None if request.method == "HEAD" else content
    return wrappers.Response(shown, headers=headers, content_type=kind)


class _NotModified(wrappers.Response):
    """With the type of the content that is not sent: TensorBoard warns of each answer without one."""

    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        headers = super().get_wsgi_headers(environ)
        headers["Content-Type"] = self.headers["Content-Type"]
        return headers


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
    response: wrappers.Response = http_util.Respond(
        request, json.dumps({"error": sentence}), JSON, code=status
    )
    return response
