"""Exports: every form holds the whole graph, is read by the library of that form, and is complete or not there."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import networkx
import pyarrow.parquet
import pytest

from graphmem import Memory
from graphmem.errors import UsageError

WORDS = "The lamp turns <eight> times & rests\x07. 등대는 여덟 번 돈다."


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.remember(WORDS, title="Lamp", tags=["light"], kind="gotcha")
    memory.observe("Is the lamp lit?", session="evening")
    memory.tasks.create("Oil the lamp", blocked_by=["the ferry"], status="blocked")
    memory.process()
    return memory


def counted(mem: Memory) -> tuple[int, int]:
    stats = mem.stats()
    return sum(stats["nodes"].values()), sum(stats["relations"].values())


def test_graphml_is_read_by_networkx(filled: Memory, tmp_path: Path) -> None:
    file = tmp_path / "graph.graphml"
    report = filled.export(file, format="graphml")
    graph = networkx.read_graphml(file)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == counted(filled) and report.records == sum(
        counted(filled)
    )
    (lamp,) = (data for _, data in graph.nodes(data=True) if data.get("title") == "Lamp")
    assert lamp["label"] == "Gotcha" and "<eight> times & rests\ufffd. 등대는" in lamp["content"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_parquet_has_a_typed_table_for_each_label_and_type(filled: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    filled.export(folder, format="parquet")
    filled.export(folder, format="parquet")  # a later export takes the place of an earlier one
    nodes = {file.stem: pyarrow.parquet.read_table(file) for file in (folder / "nodes").iterdir()}
    relations = {file.stem: pyarrow.parquet.read_table(file) for file in (folder / "relations").iterdir()}
    assert (sum(map(len, nodes.values())), sum(map(len, relations.values()))) == counted(filled)
    assert str(nodes["Gotcha"].schema.field("at").type) == "timestamp[us, tz=UTC]"
    assert relations["BLOCKED_BY"]["target_label"].to_pylist() == ["Condition"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    with pytest.raises(UsageError, match="not empty"):
        filled.export(tmp_path / "mine", format="parquet")
    assert (tmp_path / "mine" / "diary.txt").exists()


def test_json_ld_links_nodes_and_states_what_relations_carry(filled: Memory, tmp_path: Path) -> None:
    filled.export(tmp_path / "graph.jsonld", format="jsonld")
    document = json.loads((tmp_path / "graph.jsonld").read_text("utf-8"))
    things = [entry for entry in document["@graph"] if entry["@type"] != "rdf:Statement"]
    statements = [entry for entry in document["@graph"] if entry["@type"] == "rdf:Statement"]
    names = {entry["@id"] for entry in things}
    links = [link for entry in things for value in entry.values() if isinstance(value, list) for link in value
             if isinstance(link, dict)]  # fmt: skip
    assert (len(things), len(links)) == counted(filled) and {link["@id"] for link in links} <= names
    assert any(
        entry["rdf:predicate"]["@id"].endswith("#BLOCKED_BY") and entry["raw_text"] == "the ferry"
        for entry in statements
    )


def test_markdown_is_a_page_for_people(filled: Memory, tmp_path: Path) -> None:
    filled.export(tmp_path / "page.md", format="markdown")
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "## Gotchas (1)" in page and "**Lamp**" in page and "&lt;eight>" in page and "Oil the lamp" in page


def test_what_was_forgotten_is_in_no_form(filled: Memory, tmp_path: Path) -> None:
    (hit,) = filled.search("lamp turns eight times", kinds=["gotcha"]).hits
    filled.forget(hit.id)
    for form in ("graphml", "jsonld", "markdown"):
        filled.export(tmp_path / form, format=form)
        assert "여덟" not in (tmp_path / form).read_text("utf-8")


def test_a_wrong_form_or_place_is_said(filled: Memory, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose log, graphml"):
        filled.export(tmp_path / "x", format="yaml")
    with pytest.raises(UsageError, match="not a folder"):
        filled.export(tmp_path / "none" / "x", format="graphml")
    assert list(tmp_path.iterdir()) == [filled.location]


def test_a_merge_says_which_other_projects_came(filled: Memory, tmp_path: Path) -> None:
    filled.export(tmp_path / "log.jsonl")
    with Memory.open(tmp_path / "second", project="harbour") as other:
        assert other.merge(tmp_path / "log.jsonl").others == ("demo",)


def test_a_page_keeps_what_no_longer_holds_apart(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="den") as memory:
        for day, text in enumerate(
            ("The cache TTL is 30 minutes.", "Dana owns the search.", "The cache TTL is now 45 minutes.")
        ):
            memory.observe(text, role="user", session=f"s{day}", at=datetime(2026, 3, 2 + day, 9, tzinfo=UTC))
        memory.process()
        memory.export(tmp_path / "page.md", format="markdown")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    facts = page.partition("## Facts")[2].partition("\n## ")[0]
    current, heading, ended = facts.partition("### No longer true")
    assert heading and "now 45 minutes" in current and "30 minutes" not in current
    assert "The cache TTL is 30 minutes. (superseded 2026-03-04)" in ended
