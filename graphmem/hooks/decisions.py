"""Selects the places (files and symbols) that a prompt, an edit or a subagent's task is about, and returns the decisions
made about them. `places` finds these decisions."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from graphmem.foreignfiles import read_start
from graphmem.hooks.places import KINDS, Shown, about_places, weigh_keys
from graphmem.ports.text import ItemFilter
from graphmem.retrieve.citations import CitationChecker
from graphmem.retrieve.ports import Ports
from graphmem.text.placenames import (
    defined_symbols,
    enclosing_symbols,
    file_keys,
    module_keys,
    named_files,
    named_symbols,
    symbol_keys,
)
from graphmem.text.toolcalls import relative_path

if TYPE_CHECKING:
    from graphmem.context import HookContext

_PROMPT, _EDIT, _READ = 360, 280, 160  # tokens
_LONGEST = 4_000  # characters of a prompt or edit that are read
_LARGEST = 1 << 20  # bytes of a file that are read
_SHORTEST = 12  # bytes of a prompt; "continue" asks for nothing
_SURE, _LED, _MAYBE = (
    1.0,
    0.8,
    0.4,
)  # certainty of a named place, of a place that a name leads to, and of a plain word that equals a name
_PLAIN = re.compile(r"(?<![\w./-])[a-z][a-z0-9]{3,}(?![\w/-])(?!\.\w)", re.ASCII)
_CAMEL = re.compile(r"[A-Za-z]+", re.ASCII)  # product names may look like this, too: GitHub, JavaScript
_COMMON = frozenset({"__init__.py", "__main__.py", "index.ts", "index.js", "index.tsx", "main.py", "main.go", "mod.rs",
                     "lib.rs", "utils.py", "conftest.py", "setup.py", "readme.md", "package.json", "makefile",
                     "test_regression.py"})  # fmt: skip
_TESTS = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)test_|_test\.|\.(?:test|spec)\.")


def decisions_for_prompt(host: HookContext, prompt: str, session: str, folder: str, known: set[str]) -> list[Shown]:
    """Return decisions about the files and symbols that a prompt names or leads to, and about its topic."""
    prompt = prompt[:_LONGEST]
    if len(prompt.strip().encode("utf-8", "surrogatepass")) < _SHORTEST:
        return []
    ports, root = host.retriever.ports, root_of(folder)
    return about_places(
        ports,
        named_places(ports, prompt, root),
        prompt,
        _where(host, session),
        known=known,
        budget=_PROMPT,
        repository=CitationChecker(root, ports.places),
    )


def decisions_for_file(
    host: HookContext, arguments: Mapping[str, Any], session: str, folder: str, known: set[str], *, writes: bool
) -> list[Shown]:
    """Return decisions about the file that a tool is about to change or read, and about the symbols in the changed text.
    Lookups only, no search."""
    path = str(arguments.get("file_path") or arguments.get("notebook_path") or "")
    ports, root = host.retriever.ports, root_of(folder or os.path.dirname(path))  # noqa: PTH120
    name = relative_path(path, [each for each in (root, folder) if each])
    if not name or name.startswith("/"):
        return []
    text = _changed_text(arguments)
    keys = weigh_keys(ports, [*_file_places(name), *module_keys(name)])
    around = _symbols_around(path, folder, arguments) if writes else []
    owners = {PurePosixPath(name).stem, *around}  # a class has the name of its file in many languages
    for symbol in (one for one in dict.fromkeys([*defined_symbols(text), *around]) if not one.startswith("__")):
        keys |= weigh_keys(ports, symbol_keys(symbol), _SURE if len(symbol) > 3 else _MAYBE)
        keys |= weigh_keys(ports, [f"{owner}.{symbol}".lower() for owner in owners])
    if not keys:
        return []
    return about_places(
        ports,
        keys,
        " ".join([name.replace("/", " ").replace("_", " "), *defined_symbols(text), *named_symbols(text)]),
        replace(_where(host, session), kinds=tuple(kind for kind in KINDS if kind != "gotcha")),  # `warnings` has these
        known=known,
        budget=_EDIT if writes else _READ,
        repository=CitationChecker(root, ports.places),
        search=False,
    )


def named_places(ports: Ports, prompt: str, root: str = "") -> dict[str, float]:
    """Return the keys of the places that a prompt names, or that its symbols lead to, with a certainty each. Test files
    count as evidence, not as topic."""
    files = [
        name
        for name in (relative_path(name, [root] if root else []) for name in named_files(prompt))
        if not _TESTS.search(name)
    ]
    symbols = [name for name in named_symbols(prompt) if not _TESTS.search(name)]
    keys: dict[str, float] = {}
    for name in files:
        keys |= weigh_keys(ports, [*_file_places(name), *module_keys(name)])
    if ports.places is None:
        return keys
    known = ports.places.symbols(symbols)
    owners = ports.places.symbols([key[-2].partition(".")[0] for key in map(symbol_keys, symbols) if len(key) > 1])
    for name in symbols:
        is_symbol = name in known or not _CAMEL.fullmatch(name) or f"`{name}`" in prompt or f"{name}(" in prompt
        own = symbol_keys(name)
        if len(own) > 1 and own[-2].partition(".")[0] not in owners:
            keys = {**weigh_keys(ports, own[-1:], _MAYBE), **keys}  # of a library: `console.log` is not `log`
            own = own[:-1]
        keys |= weigh_keys(ports, own, _SURE if is_symbol else _MAYBE)
    plain = list(dict.fromkeys(_PLAIN.findall(prompt)))
    for wanted, sure in (([key for name in symbols for key in symbol_keys(name)], _LED), (plain, _MAYBE)):
        for name, paths in ports.places.symbols(wanted).items():
            led = {} if len(paths) > 2 else weigh_keys(ports, [k for path in paths for k in file_keys(path)[:-1]], sure)
            keys = {**weigh_keys(ports, [name], sure), **led, **keys}
    return keys


def root_of(folder: str) -> str:
    """Return the root of the repository that contains a folder, without running git; "" if there is none."""
    here = os.path.abspath(folder) if folder else ""  # noqa: PTH100
    while here:
        if os.path.exists(os.path.join(here, ".git")):  # noqa: PTH110, PTH118
            return here
        above = os.path.dirname(here)  # noqa: PTH120
        here = above if above != here else ""
    return ""


def _file_places(name: str) -> list[str]:
    keys = file_keys(name)
    return keys[:-1] if keys[-1] in _COMMON and len(keys) > 1 else [] if keys[-1] in _COMMON else keys


def _symbols_around(path: str, folder: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return the class and the function in which an edit is made; none if the file cannot be read or lacks the old text."""
    old = arguments.get("old_string")
    if not isinstance(old, str) or not old.strip():
        return []
    try:
        code = read_start(Path(folder, path), _LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):  # ValueError: an invalid path
        return []
    at = code.find(old)
    return enclosing_symbols(code, at + len(old) - len(old.lstrip())) if at >= 0 else []


def added_text(arguments: Mapping[str, Any]) -> str:
    """Return the text that an edit adds."""
    return _text_of(arguments, ("new_string", "content", "new_source"))


def _changed_text(arguments: Mapping[str, Any]) -> str:
    return _text_of(arguments, ("old_string", "new_string", "content", "new_source"))


def _text_of(arguments: Mapping[str, Any], fields: Sequence[str]) -> str:
    edits = arguments.get("edits")
    parts = [arguments, *(one for one in (edits if isinstance(edits, list) else ()) if isinstance(one, dict))]
    found = [str(one.get(field) or "")[:_LONGEST] for one in parts for field in fields]
    return "\n".join(filter(None, found))[: 2 * _LONGEST]


def _where(host: HookContext, session: str) -> ItemFilter:
    return ItemFilter(kinds=KINDS, project=host.project, outside=session or None)
