"""Ids of graph nodes, and two conversions that every projection needs. Ids are derived from content, so a replay produces
the same ones."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from graphmem.model.code import CallSite
from graphmem.text.keys import canonical_key

TEXT_LIMIT = 4_000  # characters of content stored in a node or item; the log has everything


def project_id(name: str) -> str:
    """Return the id of a Project."""
    return f"project:{name}"


def session_id(ref: str) -> str:
    """Return the id of a Session."""
    return f"session:{ref}"


def file_id(project_name: str, path: str) -> str:
    """Return the id of a File; `path` is relative to the root."""
    return f"file:{project_name}:{path}"


def commit_id(hash_: str) -> str:
    """Return the id of a Commit."""
    return f"commit:{hash_}"


def symbol_id(project_name: str, key: str) -> str:
    """Return the id of a Symbol, from its key in the code graph. External symbols belong to no project."""
    return key if key.startswith("ext:") else f"sym:{project_name}:{key}"


def call_site_id(space_name: str, call: CallSite) -> str:
    """Return the id of an unresolved call: its position and text."""
    digest = hashlib.sha256("\0".join(map(str, call)).encode("utf-8", "replace")).hexdigest()[:16]
    return f"site:{space_name}:{digest}"


def tree_space(project_name: str, tree: str) -> str:
    """Return the prefix used instead of the project in code ids for the second and further indexed trees, whose files may
    have the same paths."""
    return f"{project_name}@{tree}" if tree else project_name


def person_id(name: str, email: str = "") -> str:
    """Return the id of a Person: the e-mail address if there is one."""
    return f"person:{(email or name).strip().lower()}"


@lru_cache(maxsize=50_000)  # a replay meets the same few names repeatedly
def entity_id(kind: str, name: str) -> str:
    """Return the id of an Entity."""
    return f"ent:{kind}:{canonical_key(name)}"


def topic_id(name: str) -> str:
    """Return the id of a topic of the memory tree, distinct from any tag of a user."""
    return f"topic:{name.strip().lower()}"


def tag_id(name: str) -> str:
    """Return the id of a Tag."""
    return f"tag:{name.strip().lower()}"
