"""Tables of an SQLite file that nobody vouches for: read only, and nothing of it is run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tbprof.errors import NotATrace, TraceNotReadable
from tbprof.safe_open import status_of_regular


class SqliteTables:
    """The plain tables of a file: a view or a virtual table could compute without end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, frozenset[str]] = {}
        master = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        for name, sql in master.fetchall():
            if str(sql).upper().startswith("CREATE TABLE"):
                info = connection.execute(f"PRAGMA table_info({_quoted(name)})")
                self._columns[name] = frozenset(row[1] for row in info)

    def __contains__(self, table: str) -> bool:
        return table in self._columns

    def has(self, table: str, column: str) -> bool:
        return column in self._columns.get(table, ())

    def select(
        self, table: str, columns: Sequence[str], where: str = "", values: Sequence[int] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The rows, in their order in the file; a column that the table lacks is None.

        A table that the file lacks has no rows. `where` is a condition of the caller's own, and
        `values` stand for its question marks.
        """
        if table not in self:
            return
        names = ", ".join(_quoted(name) if self.has(table, name) else "NULL" for name in columns)
        condition = f" WHERE {where}" if where else ""
        yield from self._connection.execute(f"SELECT {names} FROM {_quoted(table)}{condition}", values)


@contextmanager
def open_tables(path: Path) -> Iterator[SqliteTables]:
    """The tables of the file at `path`.

    Raises:
        TraceNotReadable: It can't be opened.
        NotATrace: It is damaged, or no SQLite file.
    """
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        # SQLite would wait for a pipe.
        status_of_regular(path)
        connection = sqlite3.connect(address, uri=True)
    except (sqlite3.Error, OSError) as error:
        raise TraceNotReadable(f"{path} can't be read ({error}): check the path.") from error
    try:
        connection.text_factory = _text
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        yield SqliteTables(connection)
    except sqlite3.Error as error:
        raise NotATrace(
            f"{path} is damaged ({error}): export it again with nsys export --type sqlite."
        ) from error
    finally:
        connection.close()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
