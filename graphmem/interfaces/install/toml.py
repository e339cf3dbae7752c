"""Edits a table in a TOML file and keeps comments and order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmem.errors import UsageError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def put(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    """Set the table `[group.name]`. A new table is appended after a blank line."""
    import tomlkit

    document = _parse(text)
    servers = document.get(group)
    if servers is not None and name in servers:
        if servers[name].unwrap() == entry:
            return text
        servers[name] = entry
        return tomlkit.dumps(document)
    if servers is not None and not hasattr(servers, "is_super_table"):
        raise UsageError(f"`{group}` is an inline table: convert it to [tables], then install again")
    lines = "\n".join(f"{key} = {tomlkit.item(value).as_string()}" for key, value in entry.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}[{group}.{name}]\n{lines}\n"


def remove(text: str, group: str, name: str) -> str:
    """Remove the table and the blank line before it."""
    if not text or text.isspace():  # mostly there is no file, and loading the parser takes a sixth of `status`
        return text
    import tomlkit

    document = _parse(text)
    if name not in (document.get(group) or {}):
        return text
    header = f"[{group}.{name}]\n"
    start = text.find(header)
    if start < 0 or (start and text[start - 1] != "\n"):
        del document[group][name]
        return tomlkit.dumps(document)
    end = text.find("\n[", start)
    rest = "" if end < 0 else text[end + 1 :]
    before = text[:start]
    return before.removesuffix("\n") + ("\n" if rest else "") + rest if before else rest


def _parse(text: str) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"not valid TOML: {error}: nothing was changed") from error
