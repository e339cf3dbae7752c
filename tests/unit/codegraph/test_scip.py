"""SCIP: what real indexers wrote is read, laid over the code graph and written again; files of strangers do no harm. The indexes in
`fixtures/scip` were made by scip-python 0.6 and scip-typescript 0.4."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.bench import oracle
from graphmem.codegraph.build import Index, build
from graphmem.codegraph.scip import messages, reading
from graphmem.codegraph.scip.callees import callees_in
from graphmem.codegraph.scip.compiled import compiled_files
from graphmem.codegraph.scip.definitions import Definitions
from graphmem.codegraph.scip.reading import ScipIndex, read_scip
from graphmem.codegraph.scip.records import CompiledFile
from graphmem.codegraph.scip.symbols import format_descriptor, format_symbol, parse_symbol
from graphmem.codegraph.scip_export import write_scip
from graphmem.errors import NotInstalled, SourceError, UsageError

SCIP = Path(__file__).parents[3] / "fixtures" / "scip"
Edge = tuple[str, str]


@pytest.fixture(params=["python", "typescript"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(SCIP / request.param, tmp_path / request.param))


def read(root: Path, index: Index, file: Path | None = None, **options: Any) -> ScipIndex:
    def source_of(path: str) -> tuple[str, bytes] | None:
        return (index.facts[path].language, (root / path).read_bytes()) if path in index.facts else None

    return read_scip(file or root / "index.scip", root, source_of, **options)


def laid_over(root: Path, found: ScipIndex, index: Index) -> Index:
    files = compiled_files(found, index.facts, index.records)
    return build(root, compiled=lambda paths: {path: files[path] for path in paths if path in files})


def calls(index: Index, certain: bool = False) -> set[Edge]:
    own = (edge for edge in index.graph.edges if edge.type == "CALLS" and not edge.target.startswith("ext:"))
    return {(e.source.rpartition(":")[2], e.target.rpartition(":")[2]) for e in own if not certain or e.confidence == 1}


def written(
    path: Path, documents: dict[str, list[tuple[tuple[int, int, int], str, int]]], tool: str = "scip-test"
) -> Path:
    """An index with these occurrences: range, symbol and roles."""
    scip = messages.load_messages()
    index = scip.Index(metadata=scip.Metadata(tool_info=scip.ToolInfo(name=tool)))
    for name, occurrences in documents.items():
        document = index.documents.add(relative_path=name, position_encoding=1)
        for place, symbol, roles in occurrences:
            document.occurrences.add(range=place, symbol=symbol, symbol_roles=roles)
    path.write_bytes(index.SerializeToString())
    return path


def test_calls_of_a_compiler_are_certain_and_name_it(tree: Path) -> None:
    before = build(tree)
    found = read(tree, before)
    index = laid_over(tree, found, before)
    expected = {
        "python": {
            ("shop.day.sell", "shop.till.Till.pay"),
            ("shop.day.sell", "shop.till.Printer.print_line"),
            ("shop.day.sell", "shop.till.Receipt.print_line"),
            ("shop.day.run", "shop.day.sell"),
            ("shop.day.run", "shop.till.open_till"),
            ("shop.day.run", "shop.till.Till.pay"),
            ("shop.day.run", "shop.till.Till.close"),
            ("shop.till.Till.pay", "shop.till.Receipt"),
            ("shop.till.Till.pay", "shop.till.Receipt.__init__"),
            ("shop.till.open_till", "shop.till.Till"),
        },
        "typescript": {
            ("src.use.total", "src.shape.Square"),
            ("src.use.total", "src.shape.Square.constructor"),
            ("src.use.total", "src.shape.half#3"),
            ("src.use.total.<lambda1>", "src.shape.Shape.area"),
            ("src.use.total", "src.shape.scale"),
            ("src.shape.Square.area", "src.shape.scale"),
        },
    }[tree.name]
    assert expected <= calls(index, certain=True)
    tools = {edge.strategy for edge in index.graph.edges if edge.type == "CALLS" and edge.confidence == 1}
    assert f"scip-{tree.name}" in tools
    assert [s for s in index.graph.call_sites if s.name in ("loads", "area", "print_line")] == []


def test_the_benchmark_scores_the_graph(tree: Path) -> None:
    (score,), differences = oracle.run(tree / "index.scip", tree, 5)
    assert score.language == tree.name and score.edges >= 5 and score.judged >= 4
    assert score.precision == 1 and all(each.what == "missing" for each in differences)
    with pytest.raises(SourceError, match="run this in that tree"):
        oracle.run(tree / "index.scip", tree / "shop" if tree.name == "python" else tree / "src")


def test_our_index_gives_another_store_the_same_calls(tree: Path, tmp_path: Path) -> None:
    index = build(tree)
    with (tmp_path / "out.scip").open("wb") as file:
        count = write_scip(index, "shop", file)
    assert count > 20
    whole = messages.load_messages().Index.FromString((tmp_path / "out.scip").read_bytes())
    assert whole.metadata.tool_info.name == "graphmem" and whole.metadata.project_root == tree.as_uri()
    symbols = [each.symbol for document in whole.documents for each in document.symbols]
    assert len(symbols) == len(set(symbols)) and all(map(parse_symbol, symbols))
    defined = {o.symbol for d in whole.documents for o in d.occurrences if o.symbol_roles & 1}
    assert defined == set(symbols) >= {o.symbol for d in whole.documents for o in d.occurrences}
    found = read(tree, index, tmp_path / "out.scip")
    files = compiled_files(found, index.facts, index.records)
    targets = {target.rpartition(":")[2] for file in files.values() for call in file.calls for target in call.targets}
    named = {
        target for _, target in calls(index) if not target.endswith(("__init__", "constructor")) and "<" not in target
    }
    assert targets == named
    assert calls(laid_over(tree, found, index)) == calls(index)
    (tree / next(iter(index.facts))).write_text("changed = 1\n")
    with pytest.raises(UsageError, match="has changed since it was indexed"):
        write_scip(index, "shop", (tmp_path / "again.scip").open("wb"))


def test_who_implements_what_is_exported(tmp_path: Path) -> None:
    tree = Path(shutil.copytree(SCIP / "typescript", tmp_path / "typescript"))
    with (tmp_path / "out.scip").open("wb") as file:
        write_scip(build(tree), "shapes", file)
    whole = messages.load_messages().Index.FromString((tmp_path / "out.scip").read_bytes())
    related = {
        (each.display_name, other.symbol.rpartition("/")[2])
        for document in whole.documents
        for each in document.symbols
        for other in each.relationships
        if other.is_implementation
    }
    assert related == {("Square", "Shape#"), ("area", "Shape#area().")}


GUESSED = "class A:\n    def go(self): return 1\n\n\nclass B:\n    def go(self): return 2\n\n\ndef run(x=A()):\n    x.go()\n    x.rest()\n"
GO_A = ((1, 8, 10), "scip-test . p . `m`/A#go().", 1)
GO_B = ((5, 8, 10), "scip-test . p . `m`/B#go().", 1)


def one_file(tmp_path: Path) -> tuple[Path, Index]:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "m.py").write_text(GUESSED)
    return tree, build(tree)


def test_the_compiler_wins_over_a_guess(tmp_path: Path) -> None:
    tree, before = one_file(tmp_path)
    assert ("m.run", "m.A.go") in calls(before)
    file = written(tmp_path / "x.scip", {"m.py": [GO_A, GO_B, ((9, 6, 8), GO_B[1], 0)]})
    index = laid_over(tree, read(tree, before, file), before)
    assert {pair for pair in calls(index) if pair[0] == "m.run"} == {("m.run", "m.B.go")}
    assert [site.name for site in index.graph.call_sites] == ["rest"]  # of which the index says nothing


def test_a_call_that_leads_outside_is_settled(tmp_path: Path) -> None:
    tree, before = one_file(tmp_path)
    outside = ((9, 6, 8), "scip-test . other 1 `o`/C#go().", 0), ((10, 6, 10), "scip-test . other 1 `o`/C#rest().", 0)
    file = written(tmp_path / "x.scip", {"m.py": [GO_A, GO_B, *outside]})
    index = laid_over(tree, read(tree, before, file), before)
    assert not {pair for pair in calls(index) if pair[0] == "m.run"} and not index.graph.call_sites


def test_what_overrides_the_declared_method_is_kept(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "m.py").write_text(
        "class A:\n    def go(self): return 1\n\n\nclass B(A):\n    def go(self): return 2\n\n\ndef run():\n    x = B()\n    x.go()\n"
    )
    before = build(tree)
    assert ("m.run", "m.B.go") in calls(before)
    file = written(tmp_path / "x.scip", {"m.py": [GO_A, GO_B, ((10, 6, 8), GO_A[1], 0)]})
    index = laid_over(tree, read(tree, before, file), before)
    assert {("m.run", "m.A.go"), ("m.run", "m.B.go")} <= calls(index)


def test_facts_of_another_content_are_stale(tmp_path: Path) -> None:
    tree, before = one_file(tmp_path)
    found = read(tree, before, written(tmp_path / "x.scip", {"m.py": [GO_A, GO_B, ((9, 6, 8), GO_B[1], 0)]}))
    files = compiled_files(found, before.facts, before.records)
    (tree / "m.py").write_text("\n" + GUESSED)

    def compiled(paths: Any) -> dict[str, CompiledFile]:
        return {path: files[path] for path in paths if path in files}

    assert ("m.run", "m.A.go") in calls(build(tree, previous=before, compiled=compiled))
    (tree / "m.py").write_text(GUESSED)
    assert ("m.run", "m.B.go") in calls(build(tree, compiled=compiled))


def test_a_document_whose_definitions_moved_is_not_used(tree: Path) -> None:
    for source in (*tree.rglob("*.py"), *tree.rglob("*.ts")):
        source.write_text("\n\n" + source.read_text("utf-8"), "utf-8")
    found = read(tree, build(tree))
    assert found.skipped.get(reading.STALE, 0) >= 1


@pytest.mark.parametrize("path", ["../m.py", "/etc/passwd", "a//m.py", "./m.py", "", "a\\..\\m.py", "m.py\0"])
def test_paths_outside_of_the_tree_are_ignored(tmp_path: Path, path: str) -> None:
    tree, before = one_file(tmp_path)
    found = read(tree, before, written(tmp_path / "x.scip", {path: [GO_A], "absent.py": [GO_A]}))
    assert found.documents == [] and found.skipped == {reading.OUTSIDE: 1, reading.UNKNOWN_FILE: 1}


def test_the_root_of_an_index_may_lie_below_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "all"
    shutil.copytree(SCIP / "python", tree / "part")
    scip = messages.load_messages()
    index = scip.Index.FromString((tree / "part" / "index.scip").read_bytes())
    index.metadata.project_root = (tree / "part").as_uri()
    (tmp_path / "x.scip").write_bytes(index.SerializeToString())
    found = read(tree, build(tree), tmp_path / "x.scip")
    assert {document.path for document in found.documents} >= {"part/shop/day.py", "part/shop/till.py"}


@pytest.mark.parametrize(
    "content",
    [b"", b"hello, this is a text", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x02", b"\xff" * 40, b"\x07", b"\x12\x03abc", b"PK\x03\x04" + b"\0" * 99],
)  # fmt: skip
def test_garbage_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    tree, before = one_file(tmp_path)
    (tmp_path / "x.scip").write_bytes(content)
    with pytest.raises(SourceError, match=r"x\.scip is not a SCIP index: ") as error:
        read(tree, before, tmp_path / "x.scip")
    assert "\n" not in str(error.value)


@given(st.data())
def test_damaged_indexes_raise_one_kind_of_error(data: st.DataObject) -> None:
    tree = SCIP / "python"
    content = bytearray((tree / "index.scip").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = Path(_folder(), "x.scip")
    damaged.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    index = _fixture_index()
    try:
        found = read(tree, index, damaged)
    except SourceError:
        return
    laid_over_all = compiled_files(found, index.facts, index.records)
    assert all(isinstance(file, CompiledFile) for file in laid_over_all.values())


_made: dict[str, Any] = {}


def _fixture_index() -> Index:
    return _made.setdefault("index", build(SCIP / "python"))  # type: ignore[no-any-return]


def _folder() -> str:
    import tempfile

    if "folder" not in _made:
        _made["folder"] = tempfile.TemporaryDirectory()
    return str(_made["folder"].name)


def test_size_and_time_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, before = one_file(tmp_path)
    file = written(tmp_path / "x.scip", {"m.py": [GO_A]})
    with pytest.raises(SourceError, match="takes longer than -1 s"):
        read(tree, before, file, seconds=-1)
    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    with pytest.raises(SourceError, match="is larger than"):
        read(tree, before, file)
    with pytest.raises(SourceError, match="cannot be read"):
        read(tree, before, tmp_path / "absent.scip")


def test_symbols_of_strangers_take_no_time() -> None:
    started = time.perf_counter()
    for text in (
        "a b c d " + "`" * 50_000,
        "a" + " " * 50_001,
        "a b c d " + "x(" * 30_000,
        "[" * 50_000,
        "local " * 9_000,
    ):
        parse_symbol(text)
    assert time.perf_counter() - started < 5


@given(st.text(min_size=1).filter(lambda name: "\0" not in name), st.sampled_from(["/", "#", ".", "().", "!"]))
def test_any_name_survives_in_a_symbol(name: str, suffix: str) -> None:
    found = parse_symbol(format_symbol("graph mem", ("", "my  project", ""), format_descriptor(name, suffix)))
    assert found is not None and found.descriptors == ((name, suffix),) and found.scheme == "graph  mem"


def test_columns_count_in_the_units_of_the_indexer() -> None:
    line = "x = '🚀ä'; go()".encode()
    column = line.index(b"go")
    assert [
        reading._bytes_before(line, n, width) for n, width in ((len("x = '🚀ä'; ") + 1, 2), (len("x = '🚀ä'; "), 4))
    ] == [column] * 2


def test_a_src_folder_and_the_version_of_a_package_do_not_matter() -> None:
    document = reading.Document("src/shop/till.py", "python")
    other = reading.Document("src/shop/__init__.py", "python")
    document.definitions.append(reading.Definition("scip-python python shop 1 `src.shop.till`/Till#", 3, 6))
    found = Definitions([document, other])
    assert [place.line for place in found.find("scip-python python shop 0.0 `shop.till`/Till#__init__().") or ()] == [3]
    assert found.find("scip-python python python-stdlib 3 json/loads().") is None
    assert found.find("scip-python python shop 1 `shop.gone`/f().") == []


CALLS: dict[str, tuple[str, str]] = {
    "python": ("a.b(c)(d())\n", "b d"),
    "typescript": ("new x.Y<T>(a?.b(), this.#c())", "Y #c b"),
    "javascript": ("f(); new G(h.i())", "f G i"),
    "go": ("package p\nfunc f() { a.B(c()) }", "B c"),
    "java": ("class A { void f() { b(); c.d(new E<F>()); } }", "b d E"),
    "rust": ("fn f() { a(); b.c(); d::e::<T>(); }", "a c e"),
    "c": ("void f() { a(b->c()); }", "a c"),
    "cpp": ("void f() { a::b(); c.d(); new E(); }", "b d E"),
    "csharp": ("class A { void F() { B(); C.D(); new E(); } }", "B D E"),
    "ruby": ("a.b(c())\n", "b c"),
    "php": ("<?php a(); $b->c(); D::e(); new F();", "a c e F"),
    "kotlin": ("fun f() { a(); b.c() }", "a c"),
    "swift": ("func f() { a(); b.c() }", "a c"),
    "scala": ("object A { def f() = { a(); b.c(); new D() } }", "a c D"),
}


@pytest.mark.parametrize("language", CALLS)
def test_names_at_calls_are_found(language: str) -> None:
    source, names = CALLS[language]
    assert {callee.name for callee in callees_in(language, source.encode())} == set(names.split())


def test_without_protobuf_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Callable[[], None]:
        raise ImportError(name)

    monkeypatch.setattr(messages, "import_module", absent)
    with pytest.raises(NotInstalled, match=r"\.\[scip\]"):
        messages.load_messages()
