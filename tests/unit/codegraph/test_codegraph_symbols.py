"""What a symbol says: name, signature, doc, visibility, and whether it is exported, asynchronous, complex, decorated."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.codegraph import languages
from graphmem.codegraph.generic import parse
from graphmem.model.code import Symbol


def symbols(path: str, source: str) -> dict[str, Symbol]:
    return {s.qualified_name: s for s in parse(path, source.encode()).symbols}


def test_javascript() -> None:
    found = symbols(
        "src/app.js",
        "/** Adds.\n * Twice. */\nexport async function add(a, b) {\n  if (a && b) { return [1].map((x) => x) }\n}\n"
        "const run = function () {}\nclass A { #hidden() {} static make() {} }\n"
        "export default A\nfoo(() => 1, function () { return () => 2 })\nconst o = { f() {}, g: () => 1 }\n",
    )
    add = found["src.app.add"]
    assert (add.doc, add.signature) == ("Adds.\nTwice.", "async function add(a, b)")
    assert (add.is_async, add.exported, add.complexity, add.line, add.end_line) == (True, True, 3, 3, 5)
    assert found["src.app.A.#hidden"].visibility == "private"
    assert found["src.app.A"].exported and not found["src.app.run"].exported
    assert {
        "src.app.add.<lambda1>",
        "src.app.<lambda1>",
        "src.app.<lambda2>",
        "src.app.<lambda2>.<lambda1>",
    } <= found.keys()
    assert {"src.app.o.f", "src.app.o.g"} <= found.keys()


def test_typescript() -> None:
    found = symbols(
        "a.ts",
        "@Component('x')\nexport class A<T> {\n  constructor(private b: B) {}\n  @Input() protected c: string\n}\n"
        "export interface I { d(): void }\nenum E { X, Y }\ntype U = { e: string }\n",
    )
    assert found["a.A"].decorators == ("Component('x')",)
    assert (found["a.A.b"].kind, found["a.A.c"].visibility, found["a.A.c"].decorators) == (
        "field",
        "protected",
        ("Input()",),
    )
    assert (found["a.I.d"].kind, found["a.E"].kind, found["a.E.X"].kind, found["a.U"].kind) == (
        "method",
        "enum",
        "constant",
        "interface",
    )


def test_go() -> None:
    found = symbols(
        "pkg/util.go",
        "package util\n\n// Do does.\nfunc (c *Ctx) Do(x int) error { return nil }\nfunc low() {}\ntype Ctx struct{ A, b int }\n",
    )
    do = found["pkg.Ctx.Do"]
    assert (do.kind, do.doc, do.visibility, do.signature) == (
        "method",
        "Do does.",
        "public",
        "func (c *Ctx) Do(x int) error",
    )
    assert found["pkg.low"].visibility == "private" and {"pkg.Ctx.A", "pkg.Ctx.b"} <= found.keys()
    assert "gin.F" in symbols("f.go", "package gin\nfunc F() {}\n")


def test_rust() -> None:
    found = symbols(
        "src/net/mod.rs",
        "/// Opens.\n#[inline]\npub(crate) async fn open() -> u8 { match 1 { 1 => 2, _ => 3 } }\n"
        "impl fmt::Display for T { fn fmt(&self) {} }\nstruct T;\nmod tests { #[test]\n fn works() {} }\n"
        "cfg_x! {\n  pub struct Inside;\n}\n",
    )
    assert (found["src.net.open"].visibility, found["src.net.open"].is_async, found["src.net.open"].complexity) == (
        "internal",
        True,
        3,
    )
    assert found["src.net.open"].decorators == ("inline",) and found["src.net.open"].doc == "Opens."
    assert found["src.net.T.fmt"].exported and not found["src.net.T"].exported
    assert found["src.net.tests.works"].decorators == ("test",)
    assert found["src.net.Inside"].line == 9


def test_java_and_duplicates() -> None:
    facts = parse(
        "src/A.java",
        b"package p.q;\n/** Doc. */\n@Deprecated public class A { A() {} void f() {} void f(int x) {} protected int g; }\n",
    )
    keys = [s.key for s in facts.symbols]
    assert "src/A.java:p.q.A.f" in keys and "src/A.java:p.q.A.f#2" in keys
    assert len(set(keys)) == len(keys)
    found = {s.key: s for s in facts.symbols}
    assert found["src/A.java:p.q.A"].decorators == ("Deprecated",) and found["src/A.java:p.q.A"].doc == "Doc."
    assert [found[f"src/A.java:p.q.A.{n}"].visibility for n in "Afg"] == ["package", "package", "protected"]


def test_fingerprint_survives_a_rename_and_a_move() -> None:
    old = symbols("a.go", "package a\nfunc Old(x int) int { return x }\n")["a.Old"]
    new = symbols("b/c.go", "package b\n\n\nfunc New(x int) int {\n\treturn x }\n")["b.New"]
    other = symbols("a.go", "package a\nfunc Old(x int) int { return x + 1 }\n")["a.Old"]
    assert old.content_hash == new.content_hash != other.content_hash


SAMPLES = {
    "x.js": "class A { b() { c(d => e, { f: g }) } }", "x.ts": "interface A<T> { b(c: D): E }\nfunction f(this: A) {}",
    "x.go": "package a\nfunc (b *C) D(e ...F) (g H, err error) { for i, j := range k { l(j) } }", "x.rs": "impl<T> A for B<T> { fn c(&self) { d!(e(f)); } }",
    "X.java": "package a; class B<C> extends D { E f(G... h) { return new I() { void j() {} }; } }", "x.c": "struct a { int (*b)(int); }; int *c(int d[]) { return d; }",
    "x.cpp": "namespace a { template<class B> class C : D<B> { C() : e(1) {} ~C(); int e; }; } int a::f() { auto [g, h] = i(); }",
    "x.cs": "namespace A { class B : C { int D { get; set; } void E(out int f) { g?.H(); } } }", "x.rb": "module A; class B < C; def d(*e, f: 1, &g); @h ||= i; end; end; end",
    "x.php": "<?php namespace A; class B extends C { function __construct(private ?D $e) { $this->f = fn($g) => $g; } }",
    "x.kt": "package a\nclass B(val c: D) : E(c) {\n fun f(g: H?) = g?.i()\n}\n", "x.swift": "class A: B {\n func c(d e: F) -> G { return e }\n}\n",
    "x.scala": "package a\nclass B(c: D) extends E with F {\n def g(h: I) = h match { case j: K => j }\n}\n", "x.sh": "a() { b \"$1\" | c; }\na", "x.lua": "local a = {}\nfunction a:b(c) return self.d(c) end\nreturn a",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(SAMPLES))
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_any_damage_is_survived(path: str, data: st.DataObject) -> None:
    source = SAMPLES[path].encode()
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    damaged = source[:start] + data.draw(st.binary(max_size=6)) + source[end:]
    facts = parse(path, damaged)
    assert facts == parse(path, damaged)
    assert facts.language == languages.for_path(path)
    assert len({s.key for s in facts.symbols}) == len(facts.symbols)
    lines = damaged.count(b"\n") + 1
    assert all(1 <= s.line <= s.end_line <= lines for s in facts.symbols)
