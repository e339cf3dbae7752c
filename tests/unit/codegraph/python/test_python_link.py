"""Relations between files: which kinds there are, how sure they are, what is outside, and that a part linked alone is the
same as in the whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.codegraph.build import external_symbols
from graphmem.codegraph.python_frontend import affected, link, parse
from graphmem.codegraph.records import FileFacts, Linked
from graphmem.model.code import CodeEdge

FIXTURES = Path(__file__).parents[4] / "fixtures" / "code" / "python"

PROGRAM = {
    "app/__init__.py": "from .store import Store\n",
    "app/store.py": (
        "import json, os.path\n"
        "LIMIT = 3\n"
        "class Base:\n"
        "    def save(self): return self.path()\n"
        "    def path(self): return os.path.join('a', 'b')\n"
        "class Store(Base):\n"
        "    def path(self): return json.dumps(LIMIT)\n"
        "def make(): return Store()\n"
    ),
    "main.py": (
        "from app import Store\n"
        "from app.store import make\n"
        "def run(callback):\n"
        "    make().save()\n"
        "    len(callback())\n"
        "def done(): return []\n"
        "run(done)\n"
    ),
}


def facts_of(files: dict[str, str]) -> dict[str, FileFacts]:
    return {path: parse(path, text.encode()) for path, text in files.items()}


def of(linked: Linked, kind: str) -> dict[tuple[str, str], CodeEdge]:
    short = lambda key: key.rpartition(":")[2]
    return {(short(e.source), short(e.target)): e for e in linked.edges if e.type == kind}


@pytest.fixture(scope="module")
def linked() -> Linked:
    return link(facts_of(PROGRAM))


def test_kinds_of_relations(linked: Linked) -> None:
    assert ("app.store", "app.store.make") in of(linked, "DEFINES")
    assert ("app.store.Store", "app.store.Store.path") in of(linked, "DEFINES")
    assert ("main", "app.store.make") in of(linked, "IMPORTS")
    assert ("main", "app") in of(linked, "IMPORTS")
    assert ("app.store", "os.path") in of(linked, "IMPORTS")
    assert ("app.store.Store", "app.store.Base") in of(linked, "EXTENDS")
    assert ("app.store.Store.path", "app.store.Base.path") in of(linked, "OVERRIDES")
    assert ("app.store.Store.path", "app.store.LIMIT") in of(linked, "USES")
    assert ("main", "main.done") in of(linked, "USES")
    assert ("main", "app.store.Store") in of(linked, "REFERS_TO")


def test_calls_say_how_they_were_resolved(linked: Linked) -> None:
    calls = of(linked, "CALLS")
    assert calls["main", "main.run"].strategy == "scope"
    assert calls["main.run", "app.store.make"].strategy == "import"
    assert calls["main.run", "app.store.Base.save"].strategy == "type"
    assert calls["main.run", "main.done"].strategy == "flow"
    assert calls["app.store.Base.save", "app.store.Base.path"].strategy == "type"
    assert of(linked, "REFERS_TO")["app.store.Base.save", "app.store.Store.path"].strategy == "override"
    assert calls["main.run", "<builtin>.len"].target == "ext:<builtin>.len"
    assert calls["app.store.make", "app.store.Store"].confidence == 1.0
    assert ("main.run", "main.done") not in of(link(facts_of(PROGRAM), flow=False), "CALLS")


def test_what_is_outside_becomes_a_symbol(linked: Linked) -> None:
    assert "ext:os.path.join" in {e.target for e in linked.edges}
    assert external_symbols("ext:os.path.join").external
    assert external_symbols("ext:os.path.join").qualified_name == "os.path.join"


def test_unresolved_calls_are_reported_with_a_reason() -> None:
    found = link(facts_of(PROGRAM), flow=False).call_sites
    assert [(s.scope, s.line, s.name, s.text, s.reason) for s in found] == [
        ("main.py:main.run", 5, "callback", "callback", "parameter")
    ]


@pytest.mark.parametrize("call", ['getattr(x, "run")()', 'f = getattr(x, "run", None)\n    f()'])
def test_an_open_call_of_a_written_name_has_that_name(call: str) -> None:
    found = link(facts_of({"m.py": f"class Dyn:\n    def run(self): pass\n\ndef by(x):\n    {call}\n"})).call_sites
    assert [site.name for site in found] == ["run"]


def test_a_field_of_a_class_that_is_defined_again_is_a_symbol() -> None:
    again = (
        "class C:\n    def m(self): self.f = 1\nclass C:\n    def m(self):\n        self.f = 2\n        return self.f\n"
    )
    facts = facts_of({"m.py": again})
    keys = {symbol.key for symbol in facts["m.py"].symbols}
    referred = [edge for edge in link(facts).edges if edge.target.rpartition(".")[2].startswith("f")]
    assert referred and {edge.target for edge in referred} <= keys


def test_what_is_defined_again_belongs_where_it_stands_also_below_a_tilde() -> None:
    source = "class C:\n    def m(self): pass\n    def m(self, x): pass\nclass C:\n    def m(self): pass\n"
    links = link(facts_of({"odd~1/m.py": source}))
    defined = {edge.target: edge.source for edge in links.edges if edge.type == "DEFINES"}
    path = "odd~1/m.py:"
    name = next(key for key in defined if key.endswith(".C"))
    assert {defined[key] for key in defined if key.rpartition("~")[0].endswith(".m") or key.endswith(".m")} == {name}
    assert defined[name].startswith(path) and defined[f"{name}~2"] == defined[name]


def test_identity_decorators_do_not_mix_up_functions() -> None:
    source = "def same(f): return f\n@same\ndef a(): return A()\n@same\ndef b(): return B()\n"
    source += "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef use(): a().go()\n"
    calls = of(link(facts_of({"m.py": source})), "CALLS")
    assert ("m.use", "m.A.go") in calls
    assert ("m.use", "m.B.go") not in calls


def test_a_loop_that_slices_or_wraps_ends() -> None:
    source = "from functools import partial\ndef f(x, g):\n    x = [g, f]\n    while x:\n        x = x[1:] + x[:2]\n"
    source += "        g = partial(g, x)\n        x[0](x, g)\n    return f(x, g)\nf([], f)\n"
    assert ("m.f", "m.f") in of(link(facts_of({"m.py": source})), "CALLS")


def test_a_loop_over_attributes_of_the_outside_world_ends() -> None:
    names = ["above", "below", "left", "right", "first", "last"]
    steps = "".join(f"        if node.{name}:\n            node = node.{name}\n" for name in names)
    source = f"from outside import root\ndef walk(node):\n    while True:\n{steps}        walk(node)\nwalk(root)\n"
    linked = link(facts_of({"m.py": source}))
    assert ("m.walk", "m.walk") in of(linked, "CALLS")
    assert len({e.target for e in linked.edges if e.target.startswith("ext:")}) < 300


def test_same_name_alone_is_no_edge() -> None:
    files = {"a.py": "class A:\n    def close(self): pass\n", "b.py": "def f(x): x.close()\n"}
    found = link(facts_of(files))
    assert not of(found, "CALLS")
    assert [s.reason for s in found.call_sites] == ["unknown receiver"]


def by_file(linked: Linked, facts: dict[str, FileFacts]) -> dict[str, set[object]]:
    home = {s.key: path for path, f in facts.items() for s in f.symbols}
    parts: dict[str, set[object]] = {path: set() for path in facts}
    for edge in linked.edges:
        parts[home[edge.source]].add(edge)
    for site in linked.call_sites:
        parts[site.file].add(site)
    return parts


def all_fixtures() -> dict[str, FileFacts]:
    paths = sorted(FIXTURES.rglob("*.py"))
    return {
        p.relative_to(FIXTURES).as_posix(): parse(p.relative_to(FIXTURES).as_posix(), p.read_bytes()) for p in paths
    }


@pytest.mark.parametrize("flow", [False, True])
def test_one_file_alone_is_linked_as_in_the_whole(flow: bool) -> None:
    facts = all_fixtures()
    whole = by_file(link(facts, flow=flow), facts)
    for path in list(facts)[:: 6 if flow else 1]:
        assert by_file(link(facts, flow=flow, only={path}), facts)[path] == whole[path], path


EDITS = {
    "body": ("app/store.py", "return os.path.join('a', 'b')", "return os.path.join('a', 'c')", {"app/store.py"}),
    "result": ("app/store.py", "def make(): return Store()", "def make(): return Base()", set(PROGRAM)),
    "rename": ("app/store.py", "def make", "def produce", set(PROGRAM)),
    "new name": ("app/store.py", "def make", "def another(): pass\ndef make", {"app/store.py"}),
    "export": ("app/__init__.py", "from .store import Store", "Store = None", set(PROGRAM)),
    "leaf": ("main.py", "run(done)", "done()", {"main.py"}),
}
DISTANT = {  # what another file sees without naming it
    "start.py": "from shop import stock\nNAME = 'sell'\ndef go(o: stock.Shelf):\n    with o:\n        getattr(o, NAME)()\n"
    "    stock.TABLE['a']().sell()\n    o.part.turn()\n",
    "look.py": "from start import NAME\nfrom shop.stock import Shelf\ndef pick(o: Shelf): getattr(o, NAME)()\n",
    "shop/__init__.py": "from .parts import Part as Piece\n",
    "shop/parts.py": "class Wheel:\n    def turn(self): pass\nclass Base:\n    def __enter__(self): return self\n"
    "    def part_(self): pass\nPart = Wheel\ndef make(): return Shelf2()\nclass Shelf2:\n    def sell(self): pass\n",
    "shop/stock.py": "from .parts import Base, make\nfrom . import Piece\n"
    "class Shelf(Base):\n    part: Piece\n    def sell(self): pass\nTABLE = {'a': make}\n",
}
DISTANT_EDITS = {
    "a method that the language calls": ("shop/parts.py", "    def __enter__(self): return self\n", ""),
    "a function in a dictionary": ("shop/parts.py", "return Shelf2()", "return Wheel()"),
    "an alias in an annotation": ("shop/parts.py", "Part = Wheel", "Part = Base"),
    "a name in a string": ("shop/stock.py", "def sell", "def sell2"),
    "a string": ("start.py", "'sell'", "'part_'"),
    "a base class": ("shop/stock.py", "class Shelf(Base)", "class Shelf"),
    "an imported base": ("shop/stock.py", "import Base, make", "import Wheel as Base, make"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_linking_what_is_affected_equals_linking_all(edit: str) -> None:
    path, old, new, expected = EDITS[edit]
    assert check_affected(PROGRAM, path, old, new) <= expected


@pytest.mark.parametrize("edit", DISTANT_EDITS)
def test_what_is_seen_without_a_name_is_linked_again(edit: str) -> None:
    check_affected(DISTANT, *DISTANT_EDITS[edit])


def check_affected(program: dict[str, str], path: str, old: str, new: str) -> set[str]:
    before = facts_of(program)
    assert old in program[path]
    after = facts_of(program | {path: program[path].replace(old, new)})
    concerned = affected({path}, after, before)
    parts = by_file(link(before, flow=False), before)
    whole = by_file(link(after, flow=False), after)
    assert parts != whole or old == "return os.path.join('a', 'b')"
    parts |= {p: x for p, x in by_file(link(after, flow=False, only=concerned), after).items() if p in concerned}
    assert parts == whole
    return concerned


def test_new_subclass_elsewhere_concerns_calls_through_its_base() -> None:
    before = facts_of(PROGRAM)
    files = PROGRAM | {"late.py": "from app.store import Base\nclass Late(Base):\n    def path(self): pass\n"}
    after = facts_of(files)
    concerned = affected({"late.py"}, after, before)
    assert "app/store.py" in concerned
    assert ("app.store.Base.save", "late.Late.path") in of(link(after, flow=False, only=concerned), "REFERS_TO")
    assert "app/store.py" in affected({"late.py"}, before, after)


def linked_of(text: str) -> Linked:
    return link(facts_of({"main.py": text}))


def test_many_receivers_are_candidates_and_no_calls() -> None:
    classes = "".join(f"class C{n}:\n    def go(self): pass\n" for n in range(5))
    few = linked_of(classes + "def run():\n    for one in (C0(), C1()):\n        one.go()\n")
    assert {("main.run", "main.C0.go"), ("main.run", "main.C1.go")} <= of(few, "CALLS").keys()
    many = linked_of(classes + "def run():\n    for one in (C0(), C1(), C2(), C3(), C4()):\n        one.go()\n")
    assert ("main.run", "main.C3.go") not in of(many, "CALLS")
    assert of(many, "REFERS_TO")["main.run", "main.C3.go"].strategy == "candidate"
    assert [site.name for site in many.call_sites] == ["go"]


def test_a_method_replaced_in_one_object_stays_that_of_the_others() -> None:
    found = linked_of(
        "class Box:\n    def put(self): pass\ndef refuse(): pass\n"
        "def freeze(box: Box):\n    box.put = refuse\ndef use(box: Box):\n    box.put()\n"
    )
    assert ("main.use", "main.Box.put") in of(found, "CALLS")
    assert ("main.use", "main.refuse") not in of(found, "CALLS")


def test_attributes_of_replaced_constructors_are_not_those_of_the_subclass() -> None:
    text = (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class Base:\n    def setup(self):\n        self.made = A()\n"
        "class Sub(Base):\n    def setup(self):\n        {0}self.made = B()\n    def test(self):\n        self.made.go()\n"
    )
    assert ("main.Sub.test", "main.A.go") not in of(linked_of(text.format("")), "CALLS")
    assert ("main.Sub.test", "main.A.go") in of(linked_of(text.format("super().setup(); ")), "CALLS")


def test_a_proxy_hands_on_what_it_lacks() -> None:
    found = linked_of(
        "class Real:\n    def work(self): pass\n"
        "class Proxy:\n    def __init__(self):\n        self.real = Real()\n"
        "    def __getattr__(self, name):\n        return getattr(self.real, name)\n"
        "def run():\n    Proxy().work()\n"
    )
    assert ("main.run", "main.Real.work") in of(found, "CALLS")


def test_proxies_of_each_other_hand_on_and_end() -> None:
    found = linked_of(
        "class Real:\n    def work(self): pass\n"
        "class First:\n    def __init__(self, other: 'Second'):\n        self.real = other\n"
        "    def __getattr__(self, name):\n        return getattr(self.real, name)\n"
        "class Second:\n    def __init__(self, other: First):\n        self.first = other\n        self.real = Real()\n"
        "    def __getattr__(self, name):\n        return getattr(self.first, name) or getattr(self.real, name)\n"
        "def run(one: First, two: Second):\n    one.work()\n    two.work()\n    two.nothing()\n"
    )
    assert ("main.run", "main.Real.work") in of(found, "CALLS")
    assert [s.name for s in found.call_sites] == ["nothing"]


def test_a_tree_that_stops_being_a_package_is_linked_anew() -> None:
    before = facts_of({"__init__.py": "", "a.py": "def f(): pass\n", "b.py": "from shop.a import f\nf()\n"})
    assert ("b", "a.f") in of(link(before, flow=False), "CALLS")
    after = {path: fact for path, fact in before.items() if path != "__init__.py"}
    assert affected({"__init__.py"}, after, before) == {"a.py", "b.py"}
    assert affected({"__init__.py"}, before, after) == {"__init__.py", "a.py", "b.py"}


def test_following_values_has_an_end_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphmem.codegraph.python import machine

    whole = link(facts_of(PROGRAM))
    monkeypatch.setattr(machine, "_MAX_WORK", 0)
    cut = link(facts_of(PROGRAM))
    assert whole.unfinished == 0 < cut.unfinished
    assert ("main.run", "app.store.make") in of(cut, "CALLS")
