"""What the accounts of a shared server did: how much each wrote, and the audit log, which is only appended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from graphmem.interfaces.tenancy.accounts_file import AccountsFile

_DETAIL = 500  # characters of a detail in the audit log


class Entry(NamedTuple):
    """A row of the audit log. `outcome` is "done", "refused" or "failed"."""

    id: int
    at: float
    account: str
    token: str
    address: str
    project: str
    store: str
    action: str
    outcome: str
    detail: str


class Ledger:
    """Use and audit log, in the file of the accounts."""

    def __init__(self, file: AccountsFile, clock: Callable[[], float]) -> None:
        self._file = file
        self._clock = clock

    def add_usage(self, id: str, project: str, events: int, bytes: int) -> None:
        """Count what an account wrote to a project."""
        with self._file.writing() as db:
            db.execute(
                "INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT (account, project) DO UPDATE SET"
                " events = events + excluded.events, bytes = bytes + excluded.bytes",
                (id, project, events, bytes),
            )

    def usage(self, id: str, project: str) -> tuple[int, int]:
        """Return how many events and bytes an account wrote to a project."""
        rows = self._file.rows("SELECT events, bytes FROM usage WHERE account = ? AND project = ?", (id, project))
        return (rows[0]["events"], rows[0]["bytes"]) if rows else (0, 0)

    def clear_usage(self, id: str, project: str) -> None:
        """Start counting again: everything that the account wrote there was forgotten."""
        with self._file.writing() as db:
            db.execute("DELETE FROM usage WHERE account = ? AND project = ?", (id, project))

    def note(
        self, action: str, *, account: str = "", token: str = "", address: str = "", project: str = "", store: str = "",
        outcome: str = "done", detail: str = "",
    ) -> None:  # fmt: skip
        """Append to the audit log. `detail` contains no text of a memory."""
        row = (self._clock(), account, token, address, project, store, action, outcome, detail[:_DETAIL])
        with self._file.writing() as db:
            db.execute(
                "INSERT INTO audit (at, account, token, address, project, store, action, outcome, detail)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def audit(
        self, *, project: str | None = None, account: str | None = None, before: int | None = None, limit: int = 100
    ) -> Sequence[Entry]:
        """Return the newest entries of the audit log before an id, newest first."""
        conditions = [("project = ?", project), ("account = ?", account), ("id < ?", before)]
        chosen = [(text, value) for text, value in conditions if value is not None]
        where = f"WHERE {' AND '.join(text for text, _ in chosen)}" if chosen else ""
        rows = self._file.rows(
            f"SELECT * FROM audit {where} ORDER BY id DESC LIMIT ?", (*(value for _, value in chosen), limit)
        )
        return [Entry(*row) for row in rows]
