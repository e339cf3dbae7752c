"""The accounts of a shared server in a SQLite file: users, their rights on projects, and tokens by digest. Every check
reads the file, so what is revoked by a command ends at once on a running server."""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.tenancy.accounts_file import AccountsFile, require_server
from graphmem.interfaces.tenancy.ledger import Ledger
from graphmem.interfaces.tenancy.rights import EVERY, Caller, Right, check_name

PREFIX = "graphmem_"  # a prefix that scanners and people recognise
_BYTES = 32
_USED_S = 60.0  # seconds between two notes that a token was used


class Account(NamedTuple):
    """An account: its name, permanent id, rights by project, whether it is disabled, and its subject at the OIDC provider."""

    name: str
    id: str
    rights: dict[str, str]
    disabled: bool
    subject: str


class TokenInfo(NamedTuple):
    """A token without its value. Times in seconds since 1970. `projects` is None for all projects of its account."""

    id: str
    account: str
    name: str
    right: str
    projects: list[str] | None
    created: float
    expires: float | None
    revoked: float | None
    used: float | None


class Accounts:
    """The accounts in the folder of a shared server. `ledger` has their use and the audit log."""

    def __init__(self, home: Path, clock: Callable[[], float] = time.time, *, create: bool = True) -> None:
        """Open the accounts in a folder. Raises NotFound if it is not that of a server, unless it shall be created."""
        if not create:
            require_server(home)
        self._file = AccountsFile(home)
        self._clock = clock
        self._rows, self._writing = self._file.rows, self._file.writing
        self.ledger = Ledger(self._file, clock)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # -- accounts and rights

    def add(self, name: str, *, subject: str = "") -> Account:
        """Create an account. Raises UsageError if the name is taken or invalid."""
        check_name("an account", name)
        with self._writing() as db:
            if db.execute("SELECT 1 FROM accounts WHERE name = ?", (name,)).fetchone():
                raise UsageError(f"the name {name} is taken, or was: memories are signed with it", name=name)
            row = (name, secrets.token_hex(8), self._clock(), subject or None)
            db.execute("INSERT INTO accounts (name, id, created, subject) VALUES (?, ?, ?, ?)", row)
        return self.get(name)

    def get(self, name: str) -> Account:
        """Return an account by name. Raises NotFound."""
        found = self._accounts("AND name = ?", (name,))
        if not found:
            raise NotFound(f"there is no account `{name}`: `graphmem users list` lists them", name=name)
        return found[0]

    def list(self) -> Sequence[Account]:
        """Return all accounts by name."""
        return self._accounts("ORDER BY name", ())

    def grant(self, name: str, project: str, right: Right | None) -> None:
        """Set an account's right on a project, which is created if it is new; None takes it away. Raises NotFound."""
        if project != EVERY:
            check_name("a project", project)
        id = self.get(name).id
        with self._writing() as db:
            if right is None:
                db.execute("DELETE FROM grants WHERE account = ? AND project = ?", (id, project))
                return
            if project != EVERY:
                db.execute("INSERT OR IGNORE INTO projects VALUES (?, ?)", (project, self._clock()))
            db.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (id, project, int(right)))

    def projects(self) -> Sequence[str]:
        """Return all projects."""
        return [row["name"] for row in self._rows("SELECT name FROM projects ORDER BY name")]

    def disable(self, name: str, *, disabled: bool = True) -> None:
        """Disable an account with all its tokens and logins, or enable it again. Raises NotFound."""
        self.get(name)
        with self._writing() as db:
            db.execute("UPDATE accounts SET disabled = ? WHERE name = ?", (self._clock() if disabled else None, name))

    def remove(self, name: str) -> Account:
        """Remove an account with its rights and tokens, and return what it was. Its name stays taken, because memories are signed
        with it. Raises NotFound."""
        account, now = self.get(name), self._clock()
        with self._writing() as db:
            db.execute(
                "UPDATE accounts SET disabled = ?, removed = ?, subject = NULL WHERE id = ?", (now, now, account.id)
            )
            db.execute("DELETE FROM grants WHERE account = ?", (account.id,))
            db.execute("DELETE FROM tokens WHERE account = ?", (account.id,))
        return account

    def link(self, name: str, subject: str) -> None:
        """Connect an account to a subject of the OIDC provider, or with "" to none. Raises UsageError if that is taken."""
        self.get(name)
        try:
            with self._writing() as db:
                db.execute("UPDATE accounts SET subject = ? WHERE name = ?", (subject or None, name))
        except sqlite3.IntegrityError as error:
            raise UsageError("another account is connected to this subject", subject=subject) from error

    # -- tokens

    def create_token(
        self, name: str, label: str, *, right: Right, projects: Sequence[str] | None = None, days: float | None = None
    ) -> str:
        """Create a token and return its value, which is stored nowhere. Raises NotFound, UsageError."""
        check_name("a token", label)
        account = self.get(name)
        if days is not None and not days > 0:
            raise UsageError("a token is valid for more than 0 days", days=days)
        value = PREFIX + secrets.token_urlsafe(_BYTES)
        now = self._clock()
        scope = None if projects is None else json.dumps(sorted(projects))
        until = None if days is None else now + days * 86_400
        row = (secrets.token_hex(6), account.id, label, digest(value), int(right), scope, now, until)
        try:
            with self._writing() as db:
                db.execute(
                    "INSERT INTO tokens (id, account, name, sha256, right, projects, created, expires)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        except sqlite3.IntegrityError as error:
            raise UsageError(
                f"{name} has a token {label} already: revoke it, or choose another name", name=label
            ) from error
        return value

    def tokens(self, name: str | None = None) -> Sequence[TokenInfo]:
        """Return the tokens of an account, or all, the newest last. Raises NotFound."""
        where, given = ("WHERE a.name = ?", (self.get(name).name,)) if name is not None else ("", ())
        rows = self._rows(
            f"SELECT t.*, a.name AS owner FROM tokens t JOIN accounts a ON a.id = t.account {where} ORDER BY t.created",
            given,
        )
        return [
            TokenInfo(row["id"], row["owner"], row["name"], Right(row["right"]).word,
                      None if row["projects"] is None else json.loads(row["projects"]), row["created"], row["expires"],
                      row["revoked"], row["used"])
            for row in rows
        ]  # fmt: skip

    def revoke(self, name: str, label: str) -> None:
        """Revoke a token by its name; "*" revokes all of the account. Raises NotFound."""
        account = self.get(name)
        with self._writing() as db:
            named, given = ("", ()) if label == EVERY else (" AND name = ?", (label,))
            changed = db.execute(
                f"UPDATE tokens SET revoked = ? WHERE account = ? AND revoked IS NULL{named}",
                (self._clock(), account.id, *given),
            ).rowcount
        if not changed and label != EVERY:
            raise NotFound(f"{name} has no valid token `{label}`: `graphmem users tokens` lists them", name=label)

    def caller_with_token(self, value: str) -> Caller | None:
        """Return whom a token stands for, or None if it is unknown, revoked or expired, or its account is disabled."""
        return self._caller("t.sha256 = ?", digest(value)) if value.startswith(PREFIX) else None

    def caller_with_credential(self, id: str) -> Caller | None:
        """Return whom the token with this id stands for now, or None."""
        return self._caller("t.id = ?", id)

    def caller_named(self, name: str = "", *, subject: str = "") -> Caller | None:
        """Return an account that logged in without a token, with all its rights, by its name or its subject at the OIDC
        provider; None if it is gone or disabled."""
        rows = self._rows(
            "SELECT id, name FROM accounts WHERE (name = ? OR subject = ?) AND disabled IS NULL",
            (name, subject or None),
        )
        return Caller(rows[0]["name"], rows[0]["id"], self._rights(rows[0]["id"])) if rows else None

    def _caller(self, condition: str, given: str) -> Caller | None:
        now = self._clock()
        rows = self._rows(
            "SELECT t.id, t.name AS label, t.right, t.projects, t.expires, t.used, a.name, a.id AS account FROM tokens t"
            f" JOIN accounts a ON a.id = t.account WHERE {condition} AND t.revoked IS NULL AND a.disabled IS NULL"
            " AND (t.expires IS NULL OR t.expires > ?)",
            (given, now),
        )
        if not rows:
            return None
        row = rows[0]
        if now - (row["used"] or 0.0) > _USED_S:
            with self._writing() as db:
                db.execute("UPDATE tokens SET used = ? WHERE id = ?", (now, row["id"]))
        rights = self._rights(row["account"])
        most = Right(row["right"])
        if row["projects"] is not None:
            own = rights.get(EVERY)
            rights = {name: right for name in json.loads(row["projects"]) if (right := rights.get(name) or own)}
        limited = {project: min(right, most) for project, right in rights.items()}
        return Caller(row["name"], row["account"], limited, row["id"], row["label"], row["expires"])

    def _rights(self, id: str) -> dict[str, Right]:
        return {
            row["project"]: Right(row["right"])
            for row in self._rows("SELECT project, right FROM grants WHERE account = ?", (id,))
        }

    def _accounts(self, rest: str, given: Sequence[Any]) -> Sequence[Account]:
        rows = self._rows(f"SELECT * FROM accounts WHERE removed IS NULL {rest}", given)
        return [
            Account(row["name"], row["id"], {project: right.word for project, right in self._rights(row["id"]).items()},
                    row["disabled"] is not None, row["subject"] or "")
            for row in rows
        ]  # fmt: skip


def digest(value: str) -> str:
    """Return what is stored of a token: its SHA-256 digest, which is sufficient for 256 random bits."""
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
