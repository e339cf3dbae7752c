"""A pattern that is compiled later finds what a compiled one finds, and is compiled once, when it is used."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import graphmem
from graphmem import patterns
from graphmem.patterns import compile_later

PACKAGE = Path(graphmem.__file__).parent
USERS = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if "import compile_later" in path.read_text("utf-8")
)


def test_it_finds_what_a_compiled_one_finds() -> None:
    later, now = compile_later(r"k(e)lp", re.IGNORECASE), re.compile(r"k(e)lp", re.IGNORECASE)
    text = "Kelp and kelp"
    assert [found.span(1) for found in later.finditer(text)] == [found.span(1) for found in now.finditer(text)]
    assert later.sub("x", text) == "x and x" and later.pattern == now.pattern and later.flags == now.flags


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def note(pattern: str, flags: int) -> re.Pattern[str]:
        compiled.append(pattern)
        return re.compile(pattern, flags)

    monkeypatch.setattr(patterns, "re", SimpleNamespace(compile=note))
    later = compile_later("kelp")
    assert not compiled
    assert later.search("kelp") and later.search("kelp") and later.match("kelp") and compiled == ["kelp"]


def held(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, patterns._Uncompiled):
        yield value
    elif isinstance(value, dict) and depth:
        yield from (one for inner in value.values() for one in held(inner, depth - 1))
    elif isinstance(value, list | tuple | set | frozenset) and depth:
        yield from (one for inner in value for one in held(inner, depth - 1))


def test_each_can_be_compiled() -> None:
    found = [one for name in USERS for value in vars(importlib.import_module(name)).values() for one in held(value)]
    assert len(found) > 400
    assert all(one.flags for one in found)
