"""The plugin: its name, who answers its routes, and whether its tab has something to show.

TensorBoard loads it with each start, also for those who never look at the tab: what answers is not imported
before somebody asks.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from tensorboard.plugins import base_plugin

if TYPE_CHECKING:
    from tbprof.plugin.serving import Serving

logger = logging.getLogger("tbprof")


class TbprofPlugin(base_plugin.TBPlugin):
    """Nothing is imported, read or started until a route is asked."""

    plugin_name = "tbprof"

    def __init__(self, context: base_plugin.TBContext) -> None:
        super().__init__(context)
        self._flags = context.flags
        self._lock = threading.Lock()
        self._serving: Serving | None = None
        self._is_broken = False

    def get_plugin_apps(self) -> dict[str, Callable[..., object]]:
        # Which routes there are is known once what answers is imported.
        return {"/*": self._serve}

    def worker_pids(self) -> tuple[int, ...]:
        """The processes that read now: lists, traces for reports and timelines, reports, also of all runs."""
        return () if self._serving is None else self._serving.worker_pids()

    def close(self) -> None:
        """End the processes that read; the end of this process does so as well."""
        if self._serving is not None:
            self._serving.close()

    def is_active(self) -> bool:
        if self._is_broken:
            return False
        try:
            return self._asked().has_something()
        except Exception:
            # All plugins are asked in one breath: the tabs of the others are to stay.
            logger.exception("tbprof can't be shown")
            self._is_broken = self._serving is None
            return False

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="tbprof")

    def _serve(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        _, _, path = environ["PATH_INFO"].partition(f"/{self.plugin_name}/")
        return cast("Iterable[bytes]", self._asked().application(path.rstrip("/"))(environ, start))

    def _asked(self) -> Serving:
        with self._lock:
            if self._serving is None:
                from tbprof.plugin.serving import Serving

                self._serving = Serving(self._flags)
            return self._serving
