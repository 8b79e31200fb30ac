"""The pickers: runs, workers, windows."""

from __future__ import annotations

from tbprof.model import SkippedFile, Window
from tbprof.views.runs import RunsView, runs_view


def window(run: str, worker: str, name: str, *, report: bool = False, order_ns: int = 0) -> Window:
    return Window(
        run=run,
        worker=worker,
        window=name,
        order_ns=order_ns,
        trace_path="x",
        report_path="y" if report else None,
        size_bytes=12,
    )


def view(*windows: Window, skipped: tuple[SkippedFile, ...] = ()) -> RunsView:
    return runs_view("logs", "0.1.0", windows, skipped)


def test_a_run_that_failed_before_its_first_window_is_named_and_may_be_the_newest() -> None:
    of_windows = (window("a", "w", "1", order_ns=10), window("b", "w", "1", order_ns=30))
    shown = runs_view("logs", "0.1.0", of_windows, (), {"failed": 20})
    assert (shown.without_windows, shown.newest_run) == (("failed",), "b")
    assert runs_view("logs", "0.1.0", of_windows, (), {"failed": 40}).newest_run == "failed"
    assert runs_view("logs", "0.1.0", (), (), {"failed": 40}).newest_run == "failed"
    assert runs_view("logs", "0.1.0", of_windows, (), {"failed": 40}, page=1).without_windows == ()


def test_windows_are_grouped_by_run_and_worker() -> None:
    shown = view(window("a", "w0", "1"), window("a", "w0", "2", report=True), window("b", "w0", "1"))
    assert [run.run for run in shown.runs] == ["a", "b"]
    [worker] = shown.runs[0].workers
    assert [(row.window, row.has_report, row.size_bytes) for row in worker.windows] == [
        ("1", False, 12),
        ("2", True, 12),
    ]


def test_workers_come_by_rank_and_those_without_one_by_name_behind_them() -> None:
    shown = view(*(window("a", name, "1") for name in ("host", "n_rank10", "n_rank2", "a")))
    assert [(row.worker, row.rank) for row in shown.runs[0].workers] == [
        ("n_rank2", 2),
        ("n_rank10", 10),
        ("a", None),
        ("host", None),
    ]


def test_a_visitor_arrives_at_the_run_that_recorded_last() -> None:
    shown = view(
        window("a", "w", "1", order_ns=3),
        window("b", "w", "1", order_ns=9),
        window("c", "w", "1", order_ns=5),
    )
    assert shown.newest_run == "b"
    assert view().newest_run is None


def test_a_clock_that_goes_ahead_by_years_does_not_hold_the_first_place() -> None:
    year_2025_ns = 1_752_215_573_000_000_000
    shown = view(
        window("a", "w", "1", order_ns=year_2025_ns), window("b", "w", "1", order_ns=9 * year_2025_ns)
    )
    assert shown.newest_run == "a"


def test_what_is_left_out_says_why() -> None:
    shown = view(skipped=(SkippedFile("logs/a", "no_permission"),))
    assert [(row.path, row.reason) for row in shown.skipped] == [
        ("logs/a", "it can't be read: check its permissions")
    ]
    assert shown.runs == ()
