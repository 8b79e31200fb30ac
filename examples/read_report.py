"""Read tbprof's report from Python: the JSON of `tbprof report` is made for it.

python examples/read_report.py TRACE_OR_FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def read_reports(path: str) -> list[dict[str, Any]]:
    """Every report of a trace file, or of all windows beneath a folder."""
    command = [sys.executable, "-m", "tbprof", "report", path, "--format", "json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    reports: list[dict[str, Any]] = answer.get("reports", [answer])
    return reports


def print_report(report: dict[str, Any]) -> None:
    """The steps, and the sites whose calls took the host's time, the longest first."""
    sync_points = report["sync_points"]
    print(f"{report['trace']['worker']}: {len(report['steps'])} steps, {sync_points['count']} sync points")
    for step in report["steps"]:
        print(f"  {step['name']}: {step['duration_us'] / 1000:.2f} ms, {step['sync_points']} sync points")
    for site in sorted(report["sites"], key=lambda site: -site["wait_us"])[:10]:
        source = site["source"]
        place = f"{source['file']}:{source['line']}" if source else "line not recorded"
        print(
            f"  {site['wait_us'] / 1000:8.2f} ms  {site['count']:4} x  {' + '.join(site['calls'])}  {place}"
        )


if __name__ == "__main__":
    for report in read_reports(sys.argv[1]):
        print_report(report)
