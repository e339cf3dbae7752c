"""A key of a literal, or the name of an argument, writes the field that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.codegraph.build import build

_GO = """package store

type Inner struct{ Deep int }
type Session struct {
	ID   string
	Orig string
	In   Inner
}
type Sessions []Session
type Table map[string]*Session
type Kinds map[string]int

const KindA = "a"

func Orig() {}

func plain(x string) Session { return Session{ID: x, Orig: x} }
func pointer(x string) *Session {
	return &Session{
		ID:   x,
		Orig: x,
	}
}
func listed() []Session        { return []Session{{Orig: "a"}, {Orig: "b"}} }
func pointers() []*Session     { return []*Session{{Orig: "a"}} }
func mapped() map[string]Session { return map[string]Session{"k": {Orig: "a"}} }
func named() Sessions          { return Sessions{{Orig: "a"}} }
func table() Table             { return Table{KindA: {Orig: "a"}} }
func nested() Session          { return Session{In: Inner{Deep: 1}} }
func kinds() Kinds             { return Kinds{KindA: 1} }
func none() map[string]int     { return map[string]int{KindA: 1} }
"""
_RUST = """pub struct Point { pub x: i32, pub y: i32 }
fn made(v: i32) -> Point { Point { x: v, y: 1 } }
fn short(x: i32) -> Point { let p = Point { x, y: 2 }; p }
impl Point { fn own() -> Point { Self { x: 3, y: 4 } } }
"""
_C = """struct inner { int deep; };
struct point { int x; int y; struct inner in; };
typedef struct point point_t;
struct point one = {.x = 1, .in = {.deep = 2}};
void two(void) { point_t p = {.x = 1}; }
void many(void) { struct point p[] = {{.x = 1}, [3] = {.x = 2}}; }
void given(void) { take((struct point){.x = 1, .in.deep = 3}); }
"""
_CSHARP = """public class Inner { public int Deep { get; set; } }
public class Point { public int X { get; set; } public int Y; public Inner In = new Inner(); }
public record Pair(int X);
class Use {
    Point A() { return new Point { X = 1, In = { Deep = 2 } }; }
    Point B() { Point p = new() { Y = 1 }; return p; }
    Point C(Point p) { return p with { X = 1 }; }
}
"""
_TYPESCRIPT = """export interface Inner { deep: number }
export interface Point { x: number; in?: Inner }
const one: Point = { x: 1, in: { deep: 2 } };
function two(): Point { return { x: 1 }; }
const three = (): Point => ({ x: 1 });
async function four(): Promise<Point> { const x = 1; return { x }; }
function five() { return { x: 1 } as Point; }
function six() { take({ x: 1 }); }
function take(p: Point) {}
function seven(): Point[] { return [{ x: 1 }]; }
function other() { return { x: 1 }; }
"""

CASES = {
    "store.go": (_GO, "Orig", {"plain", "pointer", "listed", "pointers", "mapped", "named", "table"}),
    "deep.go": (_GO, "Deep", {"nested"}),
    "kind.go": (_GO, "KindA", {"kinds", "none", "table"}),
    "point.rs": (_RUST, "x", {"made", "short", "own"}),
    "point.c": (_C, "x", {"point", "two", "many", "given"}),
    "inner.c": (_C, "deep", {"inner", "given"}),
    "point.cs": (_CSHARP, "X", {"A", "C"}),
    "inner.cs": (_CSHARP, "Deep", {"A"}),
    "new.cs": (_CSHARP, "Y", {"B"}),
    "point.ts": (_TYPESCRIPT, "x", {"one", "two", "three", "four", "five", "six", "seven"}),
    "inner.ts": (_TYPESCRIPT, "deep", {"one"}),
    "point.kt": (
        "data class Point(val x: Int, val y: Int)\nfun made() = Point(x = 1, y = 2)\nfun copied(p: Point) = p.copy(x = 3)\n"
        "fun take(x: Int) {}\nfun other() { take(x = 1) }\n",
        "x",
        {"made", "copied"},
    ),
    "point.swift": (
        "struct Point { var x: Int\n var y: Int }\nfunc made() -> Point { return Point(x: 1, y: 2) }\n",
        "x",
        {"made"},
    ),
    "point.scala": (
        "case class Point(x: Int, y: Int)\nobject Use {\n def made = Point(x = 1, y = 2)\n"
        " def copied(p: Point) = p.copy(x = 3)\n}\n",
        "x",
        {"made", "copied"},
    ),
    "point.php": (
        "<?php\nclass Point { public function __construct(public int $x) {} }\nfunction made() { return new Point(x: 1); }\n",
        "x",
        {"made"},
    ),
}


@pytest.mark.parametrize("file", CASES)
def test_a_key_of_a_literal_writes_the_field(tmp_path: Path, file: str) -> None:
    text, name, writers = CASES[file]
    (tmp_path / file).write_text(text)
    graph = build(tmp_path).graph
    fields = {s.key for s in graph.symbols if s.name == name and s.kind in ("field", "constant", "variable", "method")}
    found = {e.source for e in graph.edges if e.target in fields and e.type in ("REFERS_TO", "USES")}
    assert {key.rpartition(":")[2].rpartition(".")[2] for key in found} == writers


def test_a_key_is_no_function_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "store.go").write_text(_GO)
    graph = build(tmp_path).graph
    [function] = [s.key for s in graph.symbols if s.name == "Orig" and s.kind == "function"]
    assert not [e for e in graph.edges if e.target == function and e.type != "DEFINES"]


def test_a_literal_that_is_constant_and_broken_code_stop_nothing(tmp_path: Path) -> None:
    files = {
        "a.ts": "interface P { x: number }\nexport const all = [{ x: 1 }] as const;\nexport const one: P[] = [{ x: 1 }] as const;\n"
        "const y = ({ x: 1 } satisfies\n",
        "b.c": "struct p { int x; };\nstruct p q[] = {[] = {.x = 1}, .= 2};\n",
        "c.cs": "class C { void M() { var p = with { X = 1 }; } }\n",
        "d.kt": "fun f() { (x = 1) }\nfun g() { p(x = ) }\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = build(tmp_path)
    assert not [record.skipped for record in found.records.values() if record.skipped.startswith("reader failed")]
    assert any(edge.target.endswith("P.x") for edge in found.graph.edges), "the field is written"
