"""What the accounts of a shared server did: how much each wrote, and the audit log, which is only appended to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from graphmem.interfaces.tenancy.accounts_file import AccountsFile
from graphmem.interfaces.tenancy.rights import HOST

_DETAIL = 500  # characters of a detail in the audit log
_REFUSED_S, _MOST_REFUSED = 60.0, 2_000  # seconds for which the same refusal is noted once; different ones in that time
_CONCERNS = f"(account = :account OR (account LIKE '{HOST}%' AND detail || ' ' LIKE :account || ' %'))"


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


class Usage(NamedTuple):
    """How much was written; as a limit, 0 is no limit."""

    events: int
    bytes: int


class Ledger:
    """Use and audit log, in the file of the accounts."""

    def __init__(self, file: AccountsFile, clock: Callable[[], float]) -> None:
        self._file = file
        self._clock = clock
        self._refused: dict[tuple[str, ...], float] = {}  # what was refused -> when that was noted
        self._refusing = threading.Lock()

    def add_usage(self, id: str, project: str, more: Usage, most: Usage) -> str:
        """Count what an account writes to a project, and return "". If that exceeds a limit, count nothing and return which one:
        "events" or "bytes"."""
        with self._file.writing() as db:
            used = self.usage(id, project)
            total = Usage(used.events + more.events, used.bytes + more.bytes)
            for name in Usage._fields:
                if 0 < getattr(most, name) < getattr(total, name):
                    return name
            db.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?)", (id, project, *total))
        return ""

    def give_back(self, id: str, project: str, events: int) -> None:
        """Count no longer what an account forgot of its own: so many events, and their bytes by the account's average."""
        with self._file.writing() as db:
            used = self.usage(id, project)
            left = max(0, used.events - events)
            rest = Usage(left, used.bytes * left // max(1, used.events))
            db.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?)", (id, project, *rest))

    def usage(self, id: str, project: str) -> Usage:
        """Return how much an account wrote to a project."""
        rows = self._file.rows("SELECT events, bytes FROM usage WHERE account = ? AND project = ?", (id, project))
        return Usage(rows[0]["events"], rows[0]["bytes"]) if rows else Usage(0, 0)

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

    def note_refusal(
        self, action: str, *, account: str, token: str, address: str, project: str, store: str = "", detail: str = ""
    ) -> None:
        """Append a refused request to the audit log, the same one once a minute: a client that asks again and again must not fill
        the disk."""
        key, now = (action, account, token, address, project, store, detail), self._clock()
        with self._refusing:
            if now - self._refused.get(key, -_REFUSED_S) < _REFUSED_S:
                return
            if len(self._refused) >= _MOST_REFUSED:
                self._refused = {one: at for one, at in self._refused.items() if now - at < _REFUSED_S}
            if len(self._refused) >= _MOST_REFUSED:
                return  # of one minute
            self._refused[key] = now
        self.note(
            action, account=account, token=token, address=address, project=project, store=store, outcome="refused",
            detail=detail,
        )  # fmt: skip

    def audit(
        self, *, project: str | None = None, account: str | None = None, before: int | None = None, limit: int = 100
    ) -> Sequence[Entry]:
        """Return the newest entries of the audit log before an id, newest first. Those of an account include what the host did to
        it."""
        conditions = [("project = :project", project), (_CONCERNS, account), ("id < :before", before)]
        chosen = [text for text, value in conditions if value is not None]
        where = f"WHERE {' AND '.join(chosen)}" if chosen else ""
        rows = self._file.rows(
            f"SELECT * FROM audit {where} ORDER BY id DESC LIMIT :limit",
            {"project": project, "account": account, "before": before, "limit": limit},
        )
        return [Entry(*row) for row in rows]
