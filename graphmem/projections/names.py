"""Ids of graph nodes, and the two conversions that every projection needs. An id is derived from what the node is, so a
replay gives the same ones."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from graphmem.model.code import CallSite
from graphmem.text.keys import canonical_key

TEXT_LIMIT = 4_000  # characters of content that a node or an item keeps; the log keeps everything


def project_id(name: str) -> str:
    """Id of a Project."""
    return f"project:{name}"


def session_id(ref: str) -> str:
    """Id of a Session."""
    return f"session:{ref}"


def file_id(project_name: str, path: str) -> str:
    """Id of a File; `path` relative to the root."""
    return f"file:{project_name}:{path}"


def commit_id(hash_: str) -> str:
    """Id of a Commit."""
    return f"commit:{hash_}"


def symbol_id(project_name: str, key: str) -> str:
    """Id of a Symbol, from the key of the code graph. External symbols belong to no project."""
    return key if key.startswith("ext:") else f"sym:{project_name}:{key}"


def call_site_id(space_name: str, call: CallSite) -> str:
    """Id of an unresolved call: its place and its text."""
    digest = hashlib.sha256("\0".join(map(str, call)).encode("utf-8", "replace")).hexdigest()[:16]
    return f"site:{space_name}:{digest}"


def tree_space(project_name: str, tree: str) -> str:
    """What stands for the project in the ids of code, for the second and further trees of it that were indexed: their
    files may have the paths of the first one's."""
    return f"{project_name}@{tree}" if tree else project_name


def person_id(name: str, email: str = "") -> str:
    """Id of a Person: the mail address where there is one."""
    return f"person:{(email or name).strip().lower()}"


@lru_cache(maxsize=50_000)  # a replay meets the same few names again and again
def entity_id(kind: str, name: str) -> str:
    """Id of an Entity."""
    return f"ent:{kind}:{canonical_key(name)}"


def topic_id(name: str) -> str:
    """Id of a Tag of the memory tree: a topic, which no spelling of a user's tag may change."""
    return f"topic:{name.strip().lower()}"


def tag_id(name: str) -> str:
    """Id of a Tag."""
    return f"tag:{name.strip().lower()}"
