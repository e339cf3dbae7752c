"""Lists what the index has: kinds of items, projects, and the items that another one contradicts."""

from __future__ import annotations

import sqlite3


def list_kinds(db: sqlite3.Connection) -> list[str]:
    """Return the kinds of items, in order."""
    return [
        name
        for (name,) in db.execute(
            "SELECT name FROM names WHERE number IN (SELECT DISTINCT kind FROM items) ORDER BY name"
        )
    ]


def list_projects(db: sqlite3.Connection) -> list[str]:
    """Return the projects that items belong to, in order."""
    return [
        name
        for (name,) in db.execute(
            "SELECT name FROM names WHERE number IN (SELECT DISTINCT project FROM items) AND name <> '' ORDER BY name"
        )
    ]


def list_contested(db: sqlite3.Connection, limit: int) -> list[int]:
    """Return the rows of contested items, most recently marked first."""
    query = "SELECT row FROM standings JOIN items USING (id) WHERE contested = 1 ORDER BY number DESC LIMIT ?"
    return [row for (row,) in db.execute(query, (limit,))]
