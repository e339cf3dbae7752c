"""What counts as a use of a function beside its plain calls, and what does not."""

from __future__ import annotations

from pathlib import Path

from graphmem.codegraph.build import build
from graphmem.codegraph.deadcode import dead_code
from graphmem.codegraph.view import View


def relations(root: Path, files: dict[str, str], *types: str) -> set[tuple[str, str]]:
    """(source, target) of the relations of some types, outside names left out."""
    for name, text in files.items():
        (root / name).write_text(text)
    return {
        (e.source.partition(":")[2], e.target.partition(":")[2])
        for e in build(root).graph.edges
        if e.type in types and not e.target.startswith("ext:")
    }


def test_a_required_file_is_imported(tmp_path: Path) -> None:
    files = {
        "a.js": "const b = require('./b');\nconst fs = require('fs');\nasync function f() { await import('./c.js'); b() }\n",
        "b.js": "module.exports = function g() {};\n",
        "c.js": "export const x = 1;\n",
        "d.py": "def require(name): ...\nrequire('./b')\n",
    }
    assert relations(tmp_path, files, "IMPORTS") == {("a", "b"), ("a", "c")}


def test_a_class_expression_has_its_own_name(tmp_path: Path) -> None:
    files = {
        "app.js": "module.exports = class App { run() { return App.make() } static make() { return new App() } };\n",
        "use.js": "const Other = require('./app');\nfunction go() { new Other().run() }\n",
    }
    assert relations(tmp_path, files, "CALLS") == {
        ("app.App.run", "app.App.make"), ("app.App.make", "app.App"), ("use.go", "app.App"), ("use.go", "app.App.run"),
    }  # fmt: skip


def test_only_components_are_called_by_jsx(tmp_path: Path) -> None:
    text = "function span() {}\nfunction Kid() { return <span>1</span> }\nfunction Page() { return <Kid>2</Kid> }\n"
    found = relations(tmp_path, {"a.tsx": text, "b.jsx": text}, "CALLS", "REFERS_TO")
    assert found == {("a.Page", "a.Kid"), ("b.Page", "b.Kid")}


def test_what_is_only_written_is_not_read(tmp_path: Path) -> None:
    accessors = "class S { get a() { return 1 }\n set a(v) {}\n b = 1 }\n"
    uses = "function write(s: S) { s.a = 1; s.b = 2 }\nfunction read(s: S) { return s.a + s.b }\n"
    found = relations(tmp_path, {"s.ts": accessors + uses}, "CALLS")
    assert found == {("s.write", "s.S.a#2"), ("s.read", "s.S.a")}


def test_what_a_macro_calls_is_called_by_those_who_use_it(tmp_path: Path) -> None:
    text = (
        '#define LONG(x, g) do { \\\n  g(x); /* gone(1) */ \\\n  if (defined(Y) && sizeof(x)) show("other(2)"); \\\n'
        "  int other = pre_##x(1); return x->call(other); \\\n } while (0)\n#define NOW show(1)\n#define ALIAS show\n"
        "#define MAKE(name) static int name(int a) { return 1; }\nint show(int x) { return x; }\nint other(int x) { return x; }\n"
        "int use(void) { LONG(1, other); return 1; }\nint now(void) { return NOW; }\nint gone(int x) { return ALIAS(x); }\n"
    )
    calls = {("a.LONG", "a.show"), ("a.NOW", "a.show"), ("a.use", "a.LONG"), ("a.now", "a.NOW"), ("a.gone", "a.ALIAS")}
    assert relations(tmp_path, {"a.c": text}, "CALLS") == calls
    named = relations(tmp_path, {"a.c": text}, "REFERS_TO")
    assert named == {("a.ALIAS", "a.show"), ("a.use", "a.other")}
    lines = {e.target: e.line for e in build(tmp_path).graph.edges if e.source == "a.c:a.LONG" and e.type == "CALLS"}
    assert lines["a.c:a.show"] == 3


def test_names_that_a_macro_pastes_together_are_used(tmp_path: Path) -> None:
    text = (
        "#define CTL(n) n##_ctl\n#define ENTRY(n) { #n, n ## _ctl }  /* n##_gone */\n#define BOTH(a, b) do_##a##_##b()\n"
        "static int opt_ctl(void) { return 1; }\nstatic int arena_ctl(void) { return 2; }\nstatic int lone_ctl(void) { return 3; }\n"
        "static int do_x_y(void) { return 4; }\nstatic int arena_gone(void) { return 5; }\n"
        "struct row { const char *name; int (*f)(void); };\nstatic const struct row rows[] = { ENTRY(arena) };\n"
        "int run(int i) { return CTL(opt)() + BOTH(x, y) + rows[i].f(); }\n"
    )
    named = relations(tmp_path, {"a.c": text}, "REFERS_TO")
    assert {("a", "a.arena_ctl"), ("a.run", "a.opt_ctl"), ("a.run", "a.do_x_y")} <= named
    unused = {d.symbol.name for d in dead_code(View(build(tmp_path))).dead}
    assert unused == {"lone_ctl", "arena_gone"}


def test_each_included_source_may_be_the_one_that_is_compiled(tmp_path: Path) -> None:
    files = {
        "ae_epoll.c": "static int poll(void) { return 1; }\n",
        "ae_select.c": "static int poll(void) { return 2; }\nstatic int spare(void) { return 3; }\n",
        "ae.h": "static int poll(void);\n",
        "main.c": '#ifdef EPOLL\n#include "ae_epoll.c"\n#else\n#include "ae_select.c"\n#endif\nint main(void) { return poll(); }\n',
    }
    assert relations(tmp_path, files, "CALLS", "REFERS_TO") == {
        ("main.main", "ae_epoll.poll"), ("main.main", "ae_select.poll"),
    }  # fmt: skip
    assert {d.symbol.name for d in dead_code(View(build(tmp_path))).dead} == {"spare"}
