"""`index --scip`: what a compiler said stays with the store: through edits, restores, rebuilds and further indexes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import SourceError

SCIP = Path(__file__).parents[3] / "fixtures" / "scip"
CERTAIN = "MATCH (a:Symbol)-[c:CALLS]->(b:Symbol) WHERE c.strategy STARTS WITH 'scip-' RETURN a.qualified_name, b.qualified_name, c.strategy, c.confidence ORDER BY 1, 2"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SCIP / "python", tmp_path / "tree"))


FILES = "MATCH (f:File) RETURN f.path, f.present, f.skipped ORDER BY f.path"


def certain(mem: Memory) -> set[tuple[str, str]]:
    rows = mem.cypher(CERTAIN).rows
    assert {row[3] for row in rows} <= {1.0}
    return {(row[0], row[1]) for row in rows}


def test_the_log_keeps_what_a_compiler_said(memory: Memory, tree: Path) -> None:
    (tree / "blob.py").write_bytes(b"\0\1" * 9)
    memory.index_code(tree)
    assert certain(memory) == set()
    report = memory.index_code(tree, scip=tree / "index.scip")
    assert report.certain >= 9 and report.unused == {}
    calls = certain(memory)
    assert ("shop.day.sell", "shop.till.Till.pay") in calls
    (call,) = memory.code.callers("Till.close").calls
    assert (call.strategy, call.confidence) == ("scip-python", 1.0)
    (tree / "index.scip").unlink()
    memory.process()  # values are followed
    assert certain(memory) == calls and memory.index_code(tree).certain == report.certain
    memory.rebuild()
    assert certain(memory) == calls
    memory._store.release_facts()
    for path in memory._store.path.glob("code.db*"):
        path.unlink()
    memory._store.indexes.clear()
    files = memory.cypher(FILES).rows
    assert ["blob.py", True, "binary"] in files
    (tree / "blob.py").unlink()
    memory.rebuild()  # from the log and git alone, as on another machine of this log
    assert memory.cypher(FILES).rows == files
    memory.process()
    assert certain(memory) == calls


def test_facts_of_a_changed_file_are_dropped_and_return_with_it(memory: Memory, tree: Path) -> None:
    memory.index_code(tree, scip=tree / "index.scip")
    calls, day = certain(memory), tree / "shop" / "day.py"
    text = day.read_text("utf-8")
    day.write_text(text + "\n\ndef more() -> None:\n    run()\n", "utf-8")
    memory.index_code(tree)
    assert {pair for pair in certain(memory) if pair[0].startswith("shop.day")} == set()
    assert {pair for pair in calls if pair[0].startswith("shop.till")} == certain(memory)
    assert [each.symbol.name for each in memory.code.callers("Till.close").calls] == ["shop.day.run"]  # our own guess
    day.write_text(text, "utf-8")
    memory.index_code(tree)
    assert certain(memory) == calls
    till = tree / "shop" / "till.py"
    till.write_text(till.read_text("utf-8").replace("def close", "def shut"), "utf-8")
    memory.index_code(tree)
    assert ("shop.day.run", "shop.till.Till.close") not in certain(memory)
    assert ("shop.day.run", "shop.day.sell") in certain(memory)


def test_indexes_of_several_languages_add_up(memory: Memory, tmp_path: Path) -> None:
    tree = tmp_path / "both"
    for name in ("python", "typescript"):
        shutil.copytree(SCIP / name, tree, dirs_exist_ok=True)
        memory.index_code(tree, scip=SCIP / name / "index.scip")
    assert {row[2] for row in memory.cypher(CERTAIN).rows} == {"scip-python", "scip-typescript"}


def test_an_index_of_another_tree_changes_nothing(memory: Memory, tree: Path, tmp_path: Path) -> None:
    memory.index_code(tree)
    with pytest.raises(SourceError, match=r"says nothing about .*: 2 not in the code graph"):
        memory.index_code(tree, scip=SCIP / "typescript" / "index.scip")
    (tmp_path / "x.scip").write_text("nonsense")
    with pytest.raises(SourceError, match="is not a SCIP index"):
        memory.index_code(tree, scip=tmp_path / "x.scip")
    assert certain(memory) == set() and memory.code.callers("Till.close").calls


def test_an_export_of_the_code_is_an_index(memory: Memory, tree: Path, tmp_path: Path) -> None:
    memory.index_code(tree)
    memory.process()
    report = memory.export(tmp_path / "out.scip", format="scip")
    assert report.records > 20
    with Memory.open(tmp_path / "other", project="p", settings={"embedding.provider": "none"}) as other:
        other.index_code(tree, scip=tmp_path / "out.scip")
        other.process()
        query = (
            "MATCH (a:Symbol)-[:CALLS]->(b:Symbol) RETURN a.qualified_name AS x, b.qualified_name AS y ORDER BY x, y"
        )
        assert other.cypher(query).rows == memory.cypher(query).rows


def test_merged_logs_say_nothing_certain(memory: Memory, tree: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "other", project="p", settings={"embedding.provider": "none"}) as other:
        other.index_code(tree, scip=tree / "index.scip")
        other.export(tmp_path / "log.jsonl")
    memory.merge(tmp_path / "log.jsonl")
    memory.index_code(tree)
    memory.rebuild()
    assert certain(memory) == set()
