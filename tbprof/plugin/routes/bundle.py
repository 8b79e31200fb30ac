"""The built frontend, served from the package; a path is looked up, never opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from tensorboard.backend import http_util
from werkzeug import wrappers

from tbprof.folders import PACKAGE
from tbprof.plugin.routes.answers import sent
from tbprof.plugin.worker.kept_answers import Answer

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
        """By path relative to the bundle, with forward slashes."""
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
