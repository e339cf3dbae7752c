"""Every language of languages.toml has a grammar that loads and queries that compile."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.codegraph import languages
from graphmem.codegraph.generic.parse import parse
from graphmem.codegraph.generic.signatures import separate

GENERIC = sorted(n for n in languages.all_languages() if n != "python")


def test_supported_languages() -> None:
    known = {x.queries for x in languages.all_languages().values()} - {"tsx"}  # TypeScript, and JSX
    wanted = "python javascript typescript go rust java c cpp csharp ruby php kotlin swift scala bash lua"
    assert known == set(wanted.split())


@pytest.mark.parametrize("name", GENERIC)
def test_queries_compile_and_every_pattern_has_a_leading_capture(name: str) -> None:
    query = languages.compile_query(name)
    assert query.pattern_count > 5
    assert languages.make_parser(name).parse(b"").root_node is not None


@pytest.mark.parametrize("name", sorted(languages.all_languages()))
def test_settings_name_what_exists(name: str) -> None:
    from importlib.util import find_spec

    known = languages.get_language(name)
    assert find_spec(known.grammar)
    assert known.naming in ("path", "folder", "package")
    assert find_spec(f"graphmem.codegraph.generic.imports.{known.imports}")


def test_grammars_are_pinned() -> None:
    pins = (Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8")
    for known in languages.all_languages().values():
        assert f'"{known.grammar.replace("_", "-")}==' in pins


@pytest.mark.parametrize(
    ("path", "first", "name"),
    [
        ("a/b.py", b"", "python"), ("x.TS", b"", "typescript"), ("x.tsx", b"", "tsx"), ("x.d.ts", b"", "typescript"),
        ("Rakefile", b"", "ruby"), ("run", b"#!/usr/bin/env python3\n", "python"), ("run", b"#!/bin/sh -e\n", "bash"),
        ("run", b"", ""), ("go.mod", b"", "manifest"), ("a/package.json", b"", "manifest"), ("x.txt", b"#!/bin/sh", ""),
        (".hidden", b"", ""), ("a.b/c", b"", ""), ("x.hpp", b"", "cpp"), ("x.h", b"", "c"),
    ],
)  # fmt: skip
def test_recognition(path: str, first: bytes, name: str) -> None:
    assert languages.for_path(path, first) == name


def test_test_files() -> None:
    assert languages.get_language("go").is_test_file("a/b_test.go")
    assert not languages.get_language("go").is_test_file("a/b.go")
    assert languages.get_language("typescript").is_test_file("src/__tests__/x.ts")
    assert languages.get_language("java").is_test_file("src/test/java/a/B.java")


@pytest.mark.parametrize(
    "source",
    [
        b"interface Get<E> {\n  <A>(key: A): E['V'][A] // first\n\n  /* second */\n  <B extends keyof E>(key: B): Found<B>\n}\nclass After {}\n",
        b"interface Box<out T, in out U> extends Base<T> {\n  kept: T\n}\nclass After {}\n",
        b"export type * from './types'\nexport class After {}\n",
    ],
    ids=["call signatures without semicolons", "variance", "types passed on"],
)
def test_typescript_that_the_grammar_does_not_know_is_read(source: bytes) -> None:
    facts = parse("a.ts", source)
    assert facts.errors == 0
    assert [s.name for s in facts.symbols if s.kind == "class"] == ["After"]


def test_a_comparison_at_the_start_of_a_line_is_no_signature() -> None:
    source = b"const a = b\n  <c>(d)\nconst e = (\n"
    assert separate(source) == source
