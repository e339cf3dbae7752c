"""Project files that say where imports lead; broken ones say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.codegraph.build import build
from graphmem.codegraph.generic.manifests import parse
from graphmem.codegraph.generic.prepare import prepare


def said(path: str, text: str) -> dict[str, object]:
    manifest = parse(path, text.encode()).summary.manifest
    assert manifest is not None
    return manifest


def test_each_kind() -> None:
    assert said("go.mod", "module example.com/x // note\nreplace a.b/c => ./local\n")["module"] == "example.com/x"
    assert said("go.mod", "module m\nreplace (\n\ta.b/c v1.0.0 => ../c\n)\n")["replace"] == {"a.b/c": "../c"}
    config = said(
        "tsconfig.json", '{ // c\n "compilerOptions": { "baseUrl": "./src", /* x */ "paths": {"@/*": ["*",]}, }, }'
    )
    assert (config["base"], config["paths"]) == ("./src", {"@/*": ["*"]})
    package = said(
        "a/package.json",
        '{"name": "@a/b", "exports": {".": {"import": "./i.mjs", "require": "./r.js"}}, "workspaces": {"packages": ["p/*"]}}',
    )
    assert (package["name"], package["exports"], package["workspaces"]) == (
        "@a/b",
        {".": ["./i.mjs", "./r.js"]},
        ["p/*"],
    )
    cargo = said(
        "Cargo.toml", '[package]\nname = "my-lib"\n[dependencies]\nother = { package = "real-name", version = "1" }\n'
    )
    assert (cargo["name"], cargo["dependencies"]) == ("my-lib", {"other": "real-name"})


@given(st.sampled_from(["go.mod", "package.json", "tsconfig.json", "Cargo.toml"]), st.text(max_size=60))
def test_broken_files_say_nothing(name: str, text: str) -> None:
    assert said(name, text)["kind"] == name


def test_a_broken_manifest_does_not_stop_the_index(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{ broken", "utf-8")
    (tmp_path / "a.ts").write_text('import { x } from "@acme/core";\nimport { y } from "#inner";\nx(); y();\n', "utf-8")
    assert {symbol.name for symbol in build(tmp_path).graph.symbols} >= {"a"}


@pytest.mark.parametrize(("file", "text"), [("a.hpp", "void f() { (); ::; = ; }\n"), ("a.lua", "y = ")])
def test_code_without_a_name_is_read(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text, "utf-8")
    assert build(tmp_path).graph.files


def test_wrong_types_say_nothing() -> None:
    for text in ("[]", "3", '{"workspaces": 3, "name": []}', '{"compilerOptions": []}', '{"exports": {"a": 3}}'):
        said("package.json", text)
        said("tsconfig.json", text)


def test_preparing_keeps_every_place() -> None:
    source = b'gate! {\n    pub fn f() { "}" }\n}\nmacro_rules! m { () => {} }\nx! { a, b }\n'
    prepared = prepare("rust", source)
    assert len(prepared) == len(source) and prepared.count(b"\n") == source.count(b"\n")
    assert b"gate!" not in prepared and b"macro_rules! m {" in prepared and b"x! { a, b }" in prepared
    assert prepare("go", source) == source
