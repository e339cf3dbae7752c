"""Values of JavaScript and TypeScript that are assigned again, kept in tables or given to the language's own functions; names
that macros of C put together."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.codegraph.build import build
from graphmem.codegraph.deadcode import dead_code
from graphmem.codegraph.view import View

FUNCTIONS = "function a() {}\nfunction b() {}\nfunction c() {}\n"


@pytest.mark.parametrize("file", ["a.js", "a.ts"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let f = a; f = b; f()", {"b"}),
        ("let f; if (k) { f = a } else { f = b } f()", {"a", "b"}),
        ("const f = k ? a : b; f()", {"a", "b"}),
        ("const t = [a, b]; t[0]()", {"a"}),
        ("const t = [a, b]; t[k]()", {"a", "b"}),
        ("const t = { x: a, y: b }; t[k]()", {"a", "b"}),
        ("const t = { x: a, y: b }; t.y()", {"b"}),
        ("const t = { x: a, y: 1 }; t[k]()", {"a"}),
        ("[1].forEach(a)", {"a"}),
        ("k.map(a).filter(b)", {"a", "b"}),
        ("setTimeout(c, 1)", {"c"}),
        ("Promise.resolve().then(a).catch(b)", {"a", "b"}),
        ("k.register(a)", set()),
        ("own.map(a)", {"map"}),
        ("let f, rest = [a, b, c]; [f, ...rest] = rest; [f, ...rest] = rest; f(); rest[0]()", {"b", "c"}),
    ],
)
def test_all_that_a_call_may_run(tmp_path: Path, file: str, body: str, expected: set[str]) -> None:
    own = "const own = { map(f" + (": any" if file.endswith("ts") else "") + ") {} }\n"
    k = "k: any" if file.endswith("ts") else "k"
    (tmp_path / file).write_text(f"{FUNCTIONS}{own}function run({k}) {{ {body} }}\n")
    view = View(build(tmp_path))
    [run] = [s for s in view.find("a.run") if s.kind == "function"]
    called = {view.symbols[e.target].name for e in view.calls([run.key], of=False) if not e.target.startswith("ext:")}
    assert called == expected


@pytest.mark.parametrize(
    "body",
    [
        "function run(first, ...rest) { rest[0](); run(a, ...rest); run(...rest); run(k, ...rest) }",
        "function run() { arguments[1](); run(a, ...arguments); run.apply(this, arguments) }",
    ],
)
def test_a_function_that_gives_its_own_arguments_to_itself(tmp_path: Path, body: str) -> None:
    (tmp_path / "a.js").write_text(f"{FUNCTIONS}{body}\nrun(k, b);\n")
    view = View(build(tmp_path))
    [run] = [s for s in view.find("a.run") if s.kind == "function"]
    called = {view.symbols[e.target].name for e in view.calls([run.key], of=False) if not e.target.startswith("ext:")}
    assert called >= {"b", "run"}


def test_names_that_macros_put_together_are_not_dead(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "#define CALL(n) n##_ctl()\n#define ENTRY(n) \\\n  { #n, do_ ## n }\nstatic int a_ctl(void) { return 1; }\n"
        "static int b_ctl(void) { return 1; }\nstatic int do_set(void) { return 1; }\nstatic int do_get(void) { return 1; }\n"
        "struct cmd { const char *name; int (*run)(void); };\nstruct cmd table[] = { ENTRY(set) };\nint main(void) { return CALL(a); }\n"
    )
    dead = dead_code(View(build(tmp_path)), texts=[("a.c", (tmp_path / "a.c").read_text())]).dead
    assert {each.symbol.name for each in dead} == {"b_ctl", "do_get"}
