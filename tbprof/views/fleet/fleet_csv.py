"""The rows of all runs for a spreadsheet."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence

from tbprof.escaping import inert
from tbprof.views.fleet.fleet import FleetRow

_CAUSES = "causes"


def fleet_csv(rows: Sequence[FleetRow]) -> str:
    """With a head, and a column a cause of idle; what is not known is empty."""
    names = [field.name for field in dataclasses.fields(FleetRow) if field.name != _CAUSES]
    causes = list(dict.fromkeys(cause.cause for row in rows for cause in row.causes))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*names, *(inert(f"idle_{cause}") for cause in causes)])
    for row in rows:
        shares = {cause.cause: cause.share for cause in row.causes}
        cells = [getattr(row, name) for name in names] + [shares.get(cause) for cause in causes]
        table.writerow([inert(cell) for cell in cells])
    return text.getvalue()
