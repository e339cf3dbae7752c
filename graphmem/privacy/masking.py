"""Masks secrets in structured data: inputs of tools, metadata, settings that are to be shown. Names decide first, then
the values themselves. For plain text use `filter`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from graphmem.privacy import judge
from graphmem.privacy.filter import redact
from graphmem.privacy.names import HARMLESS, Secrecy, secrecy_of
from graphmem.privacy.patterns import compile_pattern
from graphmem.privacy.tags import PRIVATE

DEPTH = 64  # deeper data is not what a tool takes; it is cut rather than followed
TOO_DEEP = "[REDACTED:too_deep]"
MARK = r"\[(?:PRIVATE|REDACTED:(\w{1,60}))\]"


def mask_values(value: Any) -> Any:
    """Return a copy of `value` (mappings, lists, tuples, strings, anything else as it is) in which secrets are
    replaced by `[REDACTED:kind]`. Values of secret names are masked whole, other strings as text; keys are text,
    too."""
    return _masked(value, HARMLESS, 0)


def secret_kind(name: str, value: str) -> str:
    """Return the kind of secret that a value of such a name is, "" for none. A signature or session is none by its
    name alone."""
    secret = secrecy_of(name)
    return secret.kind if secret.level > 1 and secret.kind != "credential" and _is_secret(value, secret) else ""


def count_marks(value: Any, depth: int = 0) -> Counter[str]:
    """Return how often each kind of thing was replaced in such data, as deep as `mask` goes."""
    if isinstance(value, str):
        return (
            Counter(mark[1] or PRIVATE for mark in compile_pattern(MARK).finditer(value)) if "[" in value else Counter()
        )
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    found: Counter[str] = Counter()
    for item in value if isinstance(value, list | tuple | set | frozenset) and depth <= DEPTH else ():
        found.update(count_marks(item, depth + 1))
    return found


def _masked(value: Any, secret: Secrecy, depth: int) -> Any:
    if isinstance(value, str):
        return f"[REDACTED:{secret.kind}]" if secret.level and _is_secret(value, secret) else redact(value).text
    if depth >= DEPTH and isinstance(value, Mapping | list | tuple | set | frozenset):
        return TOO_DEEP
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, list | tuple):
        items = _list(list(value), secret, depth)
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, set | frozenset):
        return type(value)(_masked(item, secret, depth + 1) for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool) and secret.level == 3:
        return f"[REDACTED:{secret.kind}]"
    return value


def _mapping(value: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
    told = next((value[key] for key in ("name", "key", "header") if isinstance(value.get(key), str)), "")
    result: dict[Any, Any] = {}
    for key, item in value.items():
        name = told if key == "value" and told else key
        secret = secrecy_of(name) if isinstance(name, str) else HARMLESS
        result[redact(key).text if isinstance(key, str) else key] = _masked(item, secret, depth + 1)
    return result


def _list(value: list[Any], secret: Secrecy, depth: int) -> list[Any]:
    """Return a list of the values of one name, or the words of a command, where `--password` tells what comes next."""
    result = []
    flag = HARMLESS
    for item in value:
        result.append(_masked(item, secret if secret.level else flag, depth + 1))
        flag = secrecy_of(item) if isinstance(item, str) and item.startswith("-") and "=" not in item else HARMLESS
    return result


def _is_secret(value: str, secret: Secrecy) -> bool:
    text = value.strip()
    if not text or judge.is_placeholder(text) or "[REDACTED:" in text:
        return False
    if secret.level == 3:
        return len(text.split()) < 6
    if secret.level == 2:
        return judge.is_assigned_secret(text, 2, secret.kind, judge.Place.LITERAL, quoted=True) or (
            any(map(str.isdigit, text)) and " " not in text and "/" not in text
        )
    return judge.is_assigned_secret(text, 1, secret.kind, judge.Place.LITERAL, quoted=True)
