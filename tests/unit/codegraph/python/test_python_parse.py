"""Facts of single files: symbols and what they say about themselves, and files that are broken, old or strange."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.codegraph.python import module_name
from graphmem.codegraph.python_frontend import link, parse
from graphmem.codegraph.records import FileFacts
from graphmem.model.code import Symbol

SOURCE = b'''"""A shop.

With more to say."""
__all__ = ["Cart", "open_shop"]
LIMIT: int = 3


class Cart(Base):
    """Holds things."""

    size = 1

    @property
    def total(self) -> int:
        return self._sum

    @total.setter
    def total(self, value): self._sum = value


async def open_shop(name: str, *tills,
                    hours: tuple = (9, 17)):
    if name and tills:
        return [lambda: till for till in tills]


def _hidden(): pass
'''


def named(facts: FileFacts, name: str) -> Symbol:
    return next(s for s in facts.symbols if s.qualified_name == name)


def test_symbols_say_what_they_are() -> None:
    facts = parse("shop/main.py", SOURCE)
    assert facts.lines == SOURCE.count(b"\n")
    assert facts.package == "shop"
    assert facts.errors == 0
    module = named(facts, "shop.main")
    assert (module.kind, module.doc, module.key) == ("module", "A shop.", "shop/main.py:shop.main")
    cart = named(facts, "shop.main.Cart")
    assert (cart.kind, cart.signature, cart.doc, cart.exported) == ("class", "class Cart(Base)", "Holds things.", True)
    total = named(facts, "shop.main.Cart.total")
    assert (total.kind, total.signature, total.decorators) == ("method", "def total(self) -> int", ("property",))
    opened = named(facts, "shop.main.open_shop")
    assert opened.signature == "async def open_shop(name: str, *tills, hours: tuple = (9, 17))"
    assert (opened.is_async, opened.complexity) == (True, 4)
    hidden = named(facts, "shop.main._hidden")
    assert (hidden.visibility, hidden.exported) == ("private", False)
    assert named(facts, "shop.main.LIMIT").kind == "constant"
    assert not named(facts, "shop.main.LIMIT").exported
    assert named(facts, "shop.main.Cart.size").kind == "field"
    assert named(facts, "shop.main.Cart._sum").kind == "field"
    assert named(facts, "shop.main.open_shop.<lambda1>").kind == "function"


def test_keys_are_unique_and_redefinitions_keep_their_name() -> None:
    facts = parse("shop/main.py", SOURCE)
    keys = [s.key for s in facts.symbols]
    assert len(set(keys)) == len(keys)
    assert "shop/main.py:shop.main.Cart.total~2" in keys


def test_content_hash_ignores_place_and_blank_lines_but_not_code() -> None:
    def hashed(source: bytes) -> str:
        return next(s for s in parse("a.py", source).symbols if s.name == "f").content_hash

    plain = hashed(b"def f():\n    if x:\n        y()\n    z()\n")
    assert plain == hashed(b"\n\n\ndef f():\n    if x:\n\n        y()\n    z()\n")
    assert plain == hashed(b"class C:\n    def f():\n        if x:\n            y()\n        z()\n")
    assert plain != hashed(b"def f():\n    if x:\n        y()\n        z()\n")


@pytest.mark.parametrize(
    ("path", "name", "is_package"),
    [
        ("a.py", "a", False),
        ("p/__init__.py", "p", True),
        ("p/q/r.py", "p.q.r", False),
        ("__init__.py", "__init__", True),
    ],
)
def test_module_names(path: str, name: str, is_package: bool) -> None:
    assert module_name(path) == (name, is_package)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"print 'old'\ndef f(): pass\n", {"f"}),
        (b"try:\n    g()\nexcept ValueError, e:\n    pass\ndef f(): raise E, 'x'\n", {"f"}),
        (b"def f[T](x: T) -> T: return x\nclass C[T]: pass\ntype A = int\n", {"f", "C", "A"}),
        (b"def f(): pass\ndef g(:\n    x = (\ndef h(): pass\n", {"f", "h"}),
        (b"class C:\n    def f(self): pass\n    def g(self) return\n    def h(self): pass\n", {"C", "f", "h"}),
        (b"def f(): pass\nx = '''never closed\n", {"f"}),
        (b"\xef\xbb\xbfdef f(): pass\r\ndef g(): pass\r\n", {"f", "g"}),
        (b"# -*- coding: latin-1 -*-\nn = '\xe9'\ndef f(): pass\n", {"n", "f"}),
        (b"def f(): return '\xff\xfe'\n", {"f"}),
        (b"def f():\n\tif x:\n        return 1\ndef g(): pass\n", {"g"}),
        ("def 안녕(): pass\n변수 = 1\n".encode(), {"안녕", "변수"}),
        (b"", set()),
        (b"\0\0def f(): pass", {"f"}),
    ],
)
def test_whatever_can_be_read_is_read(source: bytes, names: set[str]) -> None:
    facts = parse("m.py", source)
    assert names <= {s.name for s in facts.symbols}
    assert all(1 <= s.line <= s.end_line <= max(facts.lines, 1) for s in facts.symbols)


def test_errors_are_counted_and_lines_stay() -> None:
    facts = parse("m.py", b"def g(:\n    pass\n\n\ndef f():\n    pass\n")
    assert facts.errors > 0
    assert named(facts, "m.f").line == 5


def test_facts_can_be_pickled_and_are_pure() -> None:
    facts = parse("shop/main.py", SOURCE)
    assert pickle.loads(pickle.dumps(facts)) == facts == parse("shop/main.py", SOURCE)


_LINES = st.sampled_from(
    [
        "def f(a, *b, c=1, **d):", "class C(f, D.E):", "    return self.x.y(a)[1:2]", "    global g; g = f", "@f", "@f(1)",
        "for a, (b, *c) in d.items():", "    while x: x = x.y; continue", "    yield (lambda z: z(a))", "try:", "except A as e:",
        "    with f() as (g, h): pass", "finally:", "else:", "if isinstance(a, (B, C)) and not b:", "    a.b['c'] = d = e",
        "    raise A from b", "import a.b as c, d.e", "from . import f", "from ..x import *", "    nonlocal f", "    async def f(): await g()",
        "x = [y for y in z if (w := y)]", "match a:", "    case C(x=y) | [1, *_]:", "        pass", "    x += {**a, 'b': c}", "(", "'''",
        "    def m(self): self.f = self.g; super().m()", "print 'x'", "print(f'{a!r:>{b}}')", "    del a[b], c.d", "lambda: (yield)",
    ]
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(_LINES, max_size=25))
def test_no_arrangement_of_lines_is_too_much(lines: list[str]) -> None:
    facts = {p: parse(p, "\n".join(lines).encode()) for p in ("a.py", "pkg/__init__.py", "pkg/b.py")}
    linked = link(facts)
    keys = {s.key for f in facts.values() for s in f.symbols}
    assert all(e.source in keys and 0 < e.confidence <= 1 for e in linked.edges)
    assert all(e.target in keys or e.target.startswith("ext:") for e in linked.edges)
    assert link(facts) == linked


@settings(max_examples=examples(60), deadline=None)
@given(st.binary(max_size=200))
def test_bytes_never_crash(source: bytes) -> None:
    assert parse("m.py", source).symbols[0].kind == "module"
