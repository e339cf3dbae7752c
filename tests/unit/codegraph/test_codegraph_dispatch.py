"""Calls through tables, names and registers: resolved, or counted as open."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.codegraph.build import build
from graphmem.codegraph.deadcode import dead_code
from graphmem.codegraph.entry_points import find_entry_points
from graphmem.codegraph.routes import find_routes
from graphmem.codegraph.view import View

MODULE = (
    "def forget(*rest):\n    return rest\n\n\ndef export(*rest):\n    return rest\n\n\ndef _entry():\n    return 3\n\n\n"
    "def _plugin():\n    return 4\n\n\ndef _old():\n    return 5\n"
)
HEAD = "from importlib import import_module\nfrom pk import mods\n\n"
BOTH = {"forget", "export"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TABLE = {'forget': lambda *a: import_module('pk.mods').forget(*a)}\ndef run():\n    return TABLE['forget'](1)\n",
         {"<lambda1>"}),
        ("TABLE = {'a': mods.forget, 'b': mods.export}\ndef run():\n    TABLE['a']()\n", {"forget"}),
        ("TABLE = {'a': mods.forget, 'b': mods.export}\ndef run(key):\n    TABLE[key]()\n", BOTH),
        ("NAMES = ('forget', 'export')\ndef run():\n    for name in NAMES:\n        getattr(mods, name)()\n", BOTH),
        ("NAMES = ('forget', 'export')\ndef load(name):\n    return getattr(import_module('pk.mods'), name)\n"
         "def run():\n    for name in NAMES:\n        load(name)()\n", {"load", *BOTH}),
        ("PLACES = {'a': ('pk.mods', 'forget')}\ndef run(key):\n    module, name = PLACES[key]\n"
         "    getattr(import_module(module), name)()\n", {"forget"}),
        ("SPECS = {'a': 'pk.mods:forget', 'b': 'pk.mods:export'}\ndef run(key):\n    module, _, name = SPECS[key].partition(':')\n"
         "    getattr(import_module(module), name)()\n", BOTH),
        ("SPECS = {'a': 'pk.mods:forget'}\ndef run(key):\n    module, name = SPECS[key].split(':')\n"
         "    getattr(import_module(module), name)()\n", {"forget"}),
        ("SPEC = 'pk.mods.export'\ndef run():\n    module, name = SPEC.rsplit('.', 1)\n    getattr(import_module(module), name)()\n",
         {"export"}),
        ("ALL = {}\ndef register(name):\n    def wrap(fn):\n        ALL[name] = fn\n        return fn\n    return wrap\n"
         "@register('one')\ndef one(): ...\ndef run(name):\n    ALL[name]()\n", {"one"}),
        ("class Verb:\n    def __init__(self, name, call):\n        self.call = call\nVERBS = (Verb('f', mods.forget),)\n"
         "def run(name):\n    next(v for v in VERBS if v.name == name).call()\n", {"forget"}),
    ],
)  # fmt: skip
def test_calls_through_tables_and_names_are_resolved(tmp_path: Path, text: str, expected: set[str]) -> None:
    _write(tmp_path, {"pk/__init__.py": "", "pk/mods.py": MODULE, "pk/tables.py": HEAD + text})
    view = View(build(tmp_path))
    [run] = view.find("pk.tables.run")
    called = {view.symbols[e.target].name for e in view.calls([run.key], of=False) if not e.target.startswith("ext:")}
    assert called == expected and run.key not in view.open_scopes


def test_a_text_with_another_number_of_marks_is_taken_apart_as_python_does(tmp_path: Path) -> None:
    text = "def run():\n    module, name = 'pk.mods:forget:export'.rsplit(':')\n    getattr(import_module('pk.mods'), name)()\n"
    _write(tmp_path, {"pk/__init__.py": "", "pk/mods.py": MODULE, "pk/tables.py": HEAD + text})
    view = View(build(tmp_path))
    assert [e.target for e in view.calls([view.find("run")[0].key], of=False) if "mods" in e.target] == [
        "pk/mods.py:pk.mods.forget"
    ]


def test_texts_that_cannot_be_taken_apart_are_left_alone(tmp_path: Path) -> None:
    odd = (
        "'a'.split(5)",
        "'a'.split('')",
        "'a:b'.partition(':', 2)",
        "'a'.split(',', 'x')",
        "'a'.split(',', True)",
        "'a b'.split()",
    )
    _write(tmp_path, {"a.py": "\n".join(odd) + "\nstr.split('a', 'b')\n"})
    assert build(tmp_path).partial == {}


def test_names_that_are_put_together_stay_open_calls(memory: Memory, tmp_path: Path) -> None:
    _write(tmp_path, {"a.py": "class Store:\n    def run(self, name):\n        return getattr(self, f'do_{name}')()\n\n"
                              "    def do_it(self):\n        return 1\n\n    def other(self):\n        return 2\n"})  # fmt: skip
    memory.index_code(tmp_path)
    assert memory.code.callers("do_it").open_places == ("a.py:3",) == memory.code.impact("do_it").open_places
    assert (memory.code.callers("do_it").open_sites, memory.code.callers("other").open_sites) == (1, 0)


def test_entry_points_are_used(memory: Memory, tmp_path: Path) -> None:
    files = {
        "src/pk/__init__.py": "",
        "src/pk/mods.py": MODULE + "\n\ndef _task(name):\n    return name\n",
        "pyproject.toml": "[project]\nname = 'pk'\n[project.scripts]\npk = 'pk.mods:_entry'\n"
        "[tool.poe.tasks]\nmake = {script = \"pk.mods:_task('x')\"}\n",
        "plug/setup.cfg": "[options.entry_points]\n",
        "setup.cfg": "[options.entry_points]\npk.plugins =\n    one = pk.mods:_plugin\n",
        "broken/pyproject.toml": "[project",
    }
    _write(tmp_path, files)
    memory.index_code(tmp_path)
    assert memory.code.callers("_entry").handed_on == memory.code.callers("_plugin").handed_on == 1
    assert {place.name for place in memory.code.overview().entry_points} >= {
        "src.pk.mods._entry",
        "src.pk.mods._plugin",
    }
    assert [place.name for place, _ in memory.code.dead().dead] == ["src.pk.mods._old"]
    view = View(build(tmp_path))
    assert set(find_entry_points(view, tmp_path).values()) == {"pyproject.toml", "setup.cfg"}
    assert "_entry" in {d.symbol.name for d in dead_code(view).dead}  # for nobody else


ROUTES = """ITEMS = [("/two", two), ("/three", three)]
for path, handler in (("/one", one),):
    router.add_api_route(path, handler, methods=["POST"])
for path, handler in ITEMS:
    app.add_route(path, handler)
for name, handler in {"four": one}.items():
    app.add_api_route(f"/v/{name}", handler)
for verb in VERBS:
    app.add_api_route("/" + verb.name, make(verb))
app.add_url_rule("/five", "five", three)
"""


def test_routes_of_loops_are_read_from_their_tables(tmp_path: Path) -> None:
    functions = "".join(f"def {name}(): ...\n" for name in ("one", "two", "three", "make"))
    _write(tmp_path, {"web.py": functions + ROUTES})
    found = find_routes(View(build(tmp_path)), tmp_path)
    assert {(r.method, r.path, r.handler.name if r.handler else "", r.line) for r in found} == {
        ("POST", "/one", "one", 7), ("ANY", "/two", "two", 9), ("ANY", "/three", "three", 9), ("GET", "/v/four", "one", 11),
        ("GET", "/{verb.name}", "make", 13), ("GET", "/five", "three", 14),
    }  # fmt: skip


COMMANDS = {
    "app/verb.py": """from dataclasses import dataclass
@dataclass
class Verb:
    name: str
    call: object
    writes: bool = False
    local: bool = False
    alias: str = ""
""",
    "app/more.py": """from app.verb import Verb
def late(): ...
MORE = (Verb("code late", late), Verb("hidden", late, local=True))
""",
    "app/verbs.py": """from app.more import MORE
from app.verb import Verb
def search(): ...
def forget(): ...
VERBS: tuple[Verb, ...] = (Verb("search", search), Verb("forget", call=forget, writes=True), *MORE)
""",
    "app/http.py": """from .verbs import VERBS
def _reading(verb):
    def endpoint(): return verb.call()
    return endpoint
def _writing(verb):
    def endpoint(): return verb.call()
    return endpoint
def routes():
    router = APIRouter(prefix="/api")
    for verb in VERBS:
        if not verb.local and verb.name not in OTHERS:
            path = "/" + verb.name.replace(" ", "/")
            endpoint = _writing(verb) if verb.writes else _reading(verb)
            router.add_api_route(path, endpoint, methods=["POST" if verb.writes else "GET"])
    return router
""",
}


def test_routes_of_a_loop_over_records_of_other_files_lead_to_their_functions(tmp_path: Path) -> None:
    _write(tmp_path, COMMANDS)
    found = find_routes(View(build(tmp_path)), tmp_path)
    assert {(r.method, r.path, r.handler.qualified_name if r.handler else "") for r in found} == {
        ("GET", "/api/search", "app.verbs.search"),
        ("POST", "/api/forget", "app.verbs.forget"),
        ("GET", "/api/code/late", "app.more.late"),
    }


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_modules_that_include_each_other_are_searched_once(tmp_path: Path) -> None:
    names = [f"M{n}" for n in range(10)]
    bodies = {name: ["  include " + other for other in names if other != name] for name in names}
    bodies["M0"].append("  def run() missing_everywhere(1); kept(1) end")
    bodies["M9"].append("  def kept(a) end")
    (tmp_path / "a.rb").write_text(
        "\n".join(line for name in names for line in ["module " + name, *bodies[name], "end"])
    )
    edges = {(e.source, e.target) for e in build(tmp_path).graph.edges if e.type == "CALLS"}
    assert ("a.rb:M0.run", "a.rb:M9.kept") in edges


def test_go_functions_are_called_with_type_arguments(tmp_path: Path) -> None:
    """With one argument the call is written like a conversion, without one like an element of a list."""
    (tmp_path / "a.go").write_text(
        "package p\n\nfunc One[T any](a T) T { return a }\nfunc Zero[T any]() int { return 1 }\n"
        "type Box[T any] struct{ v T }\nfunc (b Box[T]) Get() T { return b.v }\n"
        "func New[T, U any](a T) Box[T] { return Box[T]{a} }\n"
        "func main() {\n\tOne[int](1)\n\tZero[int]()\n\tNew[int, string](4).Get()\n\tvar held []func()\n\theld[0]()\n"
        "\t_ = Box[int](Box[int]{1})\n}\n"
    )
    edges = {(e.type, e.target) for e in build(tmp_path).graph.edges if e.source == "a.go:p.main"}
    called = {target for type_, target in edges if type_ == "CALLS"}
    assert called == {"a.go:p.One", "a.go:p.Zero", "a.go:p.New", "a.go:p.Box.Get"}
    assert ("USES", "a.go:p.Box") in edges and ("USES", "a.go:p.One") not in edges
