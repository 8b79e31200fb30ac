"""What stands in front of every route: who may ask, how much, and what a browser may do with the answer."""

from __future__ import annotations

import argparse
import ipaddress
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from tensorboard.backend import http_util
from werkzeug import wrappers

from tbprof.folders import PACKAGE
from tbprof.plugin.routes.answers import error_answer, sent
from tbprof.plugin.worker.kept import Answer

_Application: TypeAlias = Callable[..., Any]

MOST_QUERY_BYTES = 8 * 1024
"""The most bytes of a request's parameters: the longest that the tab asks for names some hundred lanes."""

_HEADERS = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'self'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class AccessControl:
    """What TensorBoard was started with decides which names it answers to."""

    def __init__(self, flags: argparse.Namespace) -> None:
        named = getattr(flags, "tbprof_hosts", None) or ""
        self._names = frozenset(name.strip().lower() for name in named.split(",") if name.strip())
        self._answers_any = not self._names and not _is_on_loopback(flags)

    def guarded(self, application: _Application, *, holds_data: bool = True) -> _Application:
        """The same application, for those who may ask.

        Args:
            application: a WSGI application.
            holds_data: whether its answers say anything of the log directory. What does not, such as the
                page's own code, comes to every host, so that the page can show what is refused and why.
        """

        def guard(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
                # Code whose name tells its content may be kept by browsers, as its own headers say.
                kept = [header for header in headers if not holds_data or header[0] not in _HEADERS]
                names = {name for name, _ in kept}
                strict = [header for header in _HEADERS.items() if header[0] not in names]
                return start_response(status, kept + strict, *rest)

            refused = self._refusal(wrappers.Request(environ), holds_data=holds_data)
            return (application if refused is None else refused)(environ, start)

        return guard

    def _refusal(self, request: wrappers.Request, *, holds_data: bool) -> wrappers.Response | None:
        """The answer to a request that is none of ours to answer, else None."""
        if request.method not in ("GET", "HEAD"):
            response = error_answer(request, 405, "tbprof's routes answer GET and HEAD only")
            response.headers["Allow"] = "GET, HEAD"
            return response
        if request.headers.get("Sec-Fetch-Site") == "cross-site":
            return error_answer(request, 403, "tbprof does not answer the pages of other sites")
        if holds_data and not self._answers_to(request.headers.get("Host", "")):
            return error_answer(
                request,
                403,
                "tbprof does not answer to this host's name: if it is right, start TensorBoard with"
                " --tbprof_hosts and the name",
            )
        if len(request.query_string) > MOST_QUERY_BYTES:
            return error_answer(request, 400, f"the parameters are over {MOST_QUERY_BYTES:,} bytes")
        return None

    def _answers_to(self, host: str) -> bool:
        """Whether a page of this name may be ours.

        A page that an attacker serves can have its own name lead to this server, and its scripts may then ask
        as ours do; by a name that is a number, or this machine's own, that can't be done.
        """
        name = _name_of(host)
        if self._answers_any or "*" in self._names or name in self._names:
            return True
        return name in _LOOPBACK or name.endswith(".localhost") or _is_address(name)


def _name_of(host: str) -> str:
    """Without its port and the brackets of an address."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_on_loopback(flags: argparse.Namespace) -> bool:
    """Whether only this machine, and what forwards to it, can ask: TensorBoard's default."""
    host = getattr(flags, "host", None)
    return not getattr(flags, "bind_all", False) and (not host or _name_of(host) in _LOOPBACK)


_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
_ONE_DAY_S = 24 * 3600
_ASSETS = "assets/"
"""Names below it carry a hash of their content, and may be kept."""

_NOT_BUILT = """export function render() {
  document.body.textContent =
    "tbprof's page is not built: run `npm ci && npm run build` in plugin_frontend, or install a wheel.";
}
"""


class Bundle:
    """Read once, when it is first asked for."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}

    @cached_property
    def _files(self) -> dict[str, Path]:
        """The files by path relative to the bundle, with forward slashes."""
        folder = PACKAGE / "static"
        files = (path for path in folder.rglob("*") if path.suffix in _TYPES)
        return {path.relative_to(folder).as_posix(): path for path in files}

    @property
    def serve(self) -> Callable[..., object]:
        """The WSGI application for `/index.js` and everything beneath `/assets`."""
        return wrappers.Request.application(self._response)

    def _response(self, request: wrappers.Request) -> wrappers.Response:
        _, _, name = request.path.partition("/data/plugin/tbprof/")
        if name == "index.js" and name not in self._files:
            return _respond(request, _NOT_BUILT, ".js")
        if name not in self._files:
            return _respond(request, "", ".js", status=404)
        kept = {"Cache-Control": f"private, max-age={_ONE_DAY_S}"} if name.startswith(_ASSETS) else {}
        return sent(request, self._answer(name), _TYPES[self._files[name].suffix], kept)

    def _answer(self, name: str) -> Answer:
        if name not in self._answers:
            self._answers[name] = Answer(self._files[name].read_bytes())
        return self._answers[name]


def _respond(request: wrappers.Request, content: str, suffix: str, *, status: int = 200) -> wrappers.Response:
    response: wrappers.Response = http_util.Respond(request, content, _TYPES[suffix], code=status)
    return response
