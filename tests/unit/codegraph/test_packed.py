"""Records as bytes: what was packed is read again, and nothing that a stranger wrote is more than refused."""

from __future__ import annotations

import contextlib
import io
import pickle
import sqlite3
import zlib
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.codegraph import cache
from graphmem.codegraph.frontends import load, name_for
from graphmem.codegraph.python import ir
from graphmem.model.code import CodeEdge, Symbol
from graphmem.model.packed import Damaged, Schema, pack_plain, read_frame, unpack_plain, write_frame

QUIET = {"embedding.provider": "none", "graph.buffer_pool_mb": 64}
text = st.text(st.characters(exclude_categories=())) | st.sampled_from(["", "a", "ext:a", "\ud800"])
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | text
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


class Row(NamedTuple):
    name: str
    number: int
    rate: float = 1.0
    more: tuple[Any, ...] | None = None


@dataclass
class Whole:
    rows: tuple[Row, ...]
    listed: list[Row]
    by_name: dict[str, tuple[Row, ...]]
    keyed: dict[tuple[str, str], list[frozenset[str]]]
    counted: Counter[str] = field(default_factory=Counter)
    mode: Literal["a", "b"] = "a"
    either: Row | Symbol | None = None
    seen: Mapping[str, bool] = field(default_factory=dict)
    data: Any = None


rows = st.builds(
    Row,
    text,
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False) | st.integers(0, 9),
    st.none() | st.tuples(plain),
)
symbols = st.builds(Symbol, text, text, text, text, text, st.integers(), st.integers())
wholes = st.builds(
    Whole, st.lists(rows, max_size=9).map(tuple), st.lists(rows, max_size=3),
    st.dictionaries(text, st.lists(rows, max_size=2).map(tuple), max_size=3),
    st.dictionaries(st.tuples(text, text), st.lists(st.frozensets(text, max_size=3), max_size=2), max_size=2),
    st.dictionaries(text, st.integers(0, 9)).map(Counter), st.sampled_from(["a", "b"]), st.none() | rows | symbols,
    st.dictionaries(text, st.booleans()), plain,
)  # fmt: skip
SCHEMA: Schema[Whole] = Schema(Whole)


@given(wholes)
def test_what_was_packed_is_read_again(value: Whole) -> None:
    found = SCHEMA.unpack(SCHEMA.pack(value))
    assert found == value and type(found.counted) is Counter and {*map(type, found.rows)} <= {Row}


@given(wholes, st.data())
def test_changed_bytes_are_refused_or_are_another_record(value: Whole, data: st.DataObject) -> None:
    packed = bytearray(SCHEMA.pack(value))
    for at in data.draw(st.lists(st.integers(0, len(packed) - 1), min_size=1, max_size=4)):
        packed[at] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Damaged):
        assert type(SCHEMA.unpack(bytes(packed))) is Whole


@given(st.binary(max_size=300) | plain.map(pack_plain))
def test_no_bytes_raise_another_error(data: bytes) -> None:
    for schema in (SCHEMA, Schema(tuple[CodeEdge, ...]), Schema(dict[str, int]), Schema(Row | Symbol)):
        with contextlib.suppress(Damaged):
            schema.unpack(data)
    assert cache.load(data) is None and cache.load_row(data) is None


@pytest.mark.parametrize("value", [
    ("a", 1), ("a", "1", 1.0, None), (1, 1, 1.0, None), ("a", 1, 1.0, 5), ("a", 1, 1.0, None, 2), {}, "abcd", 7, None,
])  # fmt: skip
def test_a_record_of_another_shape_is_refused(value: object) -> None:
    with pytest.raises(Damaged):
        Schema(Row).unpack(pack_plain(value))
    with pytest.raises(Damaged):
        Schema(tuple[Row, ...]).unpack(pack_plain([value]))


@given(plain)
def test_plain_values_stay(value: object) -> None:
    assert unpack_plain(pack_plain(value)) == value


def test_what_is_nested_too_deep_is_not_packed() -> None:
    deep: Any = ()
    for _ in range(2_000):
        deep = (deep,)
    with pytest.raises(RecursionError):
        pack_plain(deep)
    with pytest.raises(Damaged):
        Schema(Any).unpack(b"\x91" * 100_000)


def test_frames_arrive_whole_or_not_at_all() -> None:
    pipe = io.BytesIO()
    for data in (b"abc", b"", b"x" * 70_000):
        write_frame(pipe, data)
    pipe.seek(0)
    assert [read_frame(pipe), read_frame(pipe), len(read_frame(pipe))] == [b"abc", b"", 70_000]
    for cut in (b"", b"\0" * 7, b"\0" * 7 + b"\5abc", b"\xff" * 8):
        with pytest.raises((EOFError, OverflowError, MemoryError)):
            read_frame(io.BytesIO(cut))


SOURCES = {
    "a.js": b"import {b} from './b';\nclass A { b(x) { return new C(x)['k'].d } }\nmodule.exports = {A};\n",
    "a.go": b"package a\nfunc (s *S) Run(n int) error { return s.inner.Do(n) }\n",
    "a.py": b"import os\nX = 99999999999999999999999999\nclass A(B):\n    '''Doc.'''\n    def f(self, *a: int, k=1): yield os.path.join(*a)\n",
    "package.json": b'{"name": "a", "workspaces": ["x", "y"], "exports": {".": ["./a.js"]}}',
    "go.mod": b"module example.org/a\n",
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES)
def test_facts_of_every_front_end_are_read_again(path: str) -> None:
    language = {"js": "javascript", "go": "go", "py": "python"}.get(path.rpartition(".")[2], "manifest")
    language = "manifest" if path in ("package.json", "go.mod") else language
    facts = load(name_for(language)).parse(path, SOURCES[path])
    found = cache.load(cache.dump(facts))
    assert found == facts and type(found.summary) is type(facts.summary)
    assert cache.load_summary(cache.dump_summary(facts.summary)) == facts.summary
    if isinstance(facts.summary, ir.Summary):
        assert [body.ops for body in found.summary.unpack()[0]] == [body.ops for body in facts.summary.unpack()[0]]


class Evil:
    """Runs a command where it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        import os

        return (os.mkdir, (str(self.marker),))


def test_a_store_of_a_stranger_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("def f(): return g()\ndef g(): return 1\n")
    marker = tmp_path / "marker"
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as mem:
        mem.index_code(tmp_path / "tree")
        assert len(mem.code.callers("g").calls) == 1
    evil = pickle.dumps(Evil(marker))
    body = zlib.crc32(evil).to_bytes(4, "big") + evil
    with closing(sqlite3.connect(tmp_path / "store" / "code.db")) as db, db:
        assert db.execute("UPDATE facts SET body = ?", [body]).rowcount > 2
    (tmp_path / "store" / "tree.kept").write_bytes(b" " * 256 + evil)
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as mem:
        with contextlib.suppress(Exception):
            mem.code.callers("g")
        mem.index_code(tmp_path / "tree")
        assert len(mem.code.callers("g").calls) == 1
        mem.observe("one")
        mem.process()
        mem.rebuild()
    assert not marker.exists()


def test_a_chain_of_many_members_is_indexed_or_named(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    for length in (100, 230, 250, 300, 480, 520, 1_000, 5_000):
        (tmp_path / "tree" / f"deep{length}.js").write_text(f"function f{length}() {{ a{'.b' * length}(); }}\n")
        (tmp_path / "tree" / f"deep{length}.py").write_text(f"def f{length}(a): a{'.b' * length}()\n")
        (tmp_path / "tree" / f"typed{length}.py").write_text(f"X: {'list[' * length}int{']' * length} = []\n")
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as mem:
        report = mem.index_code(tmp_path / "tree")
        assert report.files + sum(report.skipped.values()) == 24
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as mem:
        assert not mem.code.callers("deep100.py:deep100.f100").calls
        assert mem.index_code(tmp_path / "tree").changed == 0
