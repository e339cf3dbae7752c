"""Settings reach the backends they name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.backends.text.fts5 import Fts5Index
from graphmem.errors import UsageError
from graphmem.model.changes import Item


def test_without_an_embedder_words_alone_are_searched(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", settings={"embedding.provider": "none"}) as mem:
        mem.observe("the parser is pure")
        assert mem.process().embedded == 0 and mem.search("parser").hits


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"embedding.provider": "magic"}, "must be one of"),
        ({"embedding": {"model": 3}}, "must be a string"),
        ({"nonsense.key": 1}, "unknown setting"),
        ({"embedding.provider": "onnx", "embedding.model": "/nowhere.onnx"}, "is missing"),
    ],
)
def test_wrong_settings_are_one_sentence(tmp_path: Path, settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence), Memory.open(tmp_path / "store", settings=settings) as mem:
        mem.search("x")
        mem.process()


def test_a_citation_names_its_item(memory: Memory) -> None:
    memory.remember("tabs, not spaces", title="Style")
    memory.process()
    hit = memory.search("tabs or spaces").hits[0]
    assert memory.details([hit.citation])[0].content == memory.details([hit.id])[0].content == "tabs, not spaces"
    for name in (hit.citation.strip("[]"), f" {hit.citation} "):
        assert memory.details([name])[0].id == memory.show(name)["node"]["id"] == hit.id


def test_the_id_of_what_has_a_ref_names_it_everywhere_and_so_does_the_ref(memory: Memory) -> None:
    said = memory.observe("The zebu is grey today.", ref="turn-1")
    for id, ref in ((memory.remember("The zebu is grey.", ref="wref"), "wref"), (said, "turn-1")):
        memory.process()
        for name in (id, ref):
            item = memory.details([name])[0].id
            assert memory.show(name)["node"]["id"] == item == memory.feedback(name, "useful")["id"]
            assert [entry.id for entry in memory.timeline([name]) if entry.is_target] == [item]
            assert memory.neighbours(name).columns and memory.path(name, name).rows
            assert memory.archive(name)["id"] == item == memory.restore(name)["id"]
    assert memory.forget(memory.remember("The gnu is brown.", ref="gref")).events == 1


def test_a_query_never_guesses_the_value_of_a_parameter(memory: Memory) -> None:
    memory.observe("the parser is pure")
    memory.process()
    query = "MATCH (t:Turn) WHERE t.content = $text RETURN t.content"
    with pytest.raises(UsageError, match="`text` has no value"):
        memory.cypher(query)
    assert memory.cypher(query, {"text": "the parser is pure"}).rows == [["the parser is pure"]]
    with pytest.raises(UsageError, match="the query has no `\\$more`"):
        memory.cypher(query, {"text": "x", "more": 1})


def test_empty_memories_and_unknown_scopes_are_refused(memory: Memory) -> None:
    for text in ("", " \n"):
        with pytest.raises(UsageError, match="nothing to remember"):
            memory.remember(text)
    with pytest.raises(UsageError, match="no scope `everything`"):
        memory.search("parser", scope="everything")


def test_an_export_into_no_folder_says_so(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        memory.export(tmp_path / "nowhere" / "log.jsonl")
    with pytest.raises(UsageError, match="name a file in it"):
        memory.export(tmp_path)


def test_what_was_said_just_now_is_found_before_anybody_projects_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as mem:
        mem.observe("the parser is pure")
        mem.process()
        mem.observe("배포는 금요일 오후에 하지 않는다")
        assert "배포" in mem.search("금요일에 배포해도 되나", kinds=["turn"]).hits[0].content
        gone = mem.observe("the linter runs on every commit")
        assert mem.search("linter").hits[0].id == gone
        mem.process()
        mem.forget(gone)
        assert gone not in {hit.id for hit in mem.search("linter").hits}


def test_an_older_batch_never_undoes_a_newer_one(tmp_path: Path) -> None:
    index = Fts5Index(tmp_path / "index.db")
    item = Item("i1", "turn", "", "the parser is pure", 1, event="e1")
    index.apply([], [item], [], {"events": 1}, ahead="events")
    index.apply(["i1"], [], [], {"events": 2}, ahead="events")
    index.apply([], [item], [], {"events": 1}, ahead="events")
    assert not index.find(["i1"]) and index.cursors() == {"events": 2}
    index.close()


def test_a_search_during_a_rebuild_says_so(memory: Memory) -> None:
    from graphmem.interfaces.mcp.answers import format_answer

    memory.observe("the parser is pure")
    memory.process()
    assert not memory.search("parser").degraded
    during = []

    def look(stage: str, count: int) -> None:
        during.append(memory.search("parser"))

    memory.rebuild(progress=look)
    assert during and all("being rebuilt" in found.degraded["index"] for found in during)
    assert "being rebuilt" in format_answer("search", replace(during[0], hits=()), 500)
    after = memory.search("parser")
    assert after.hits and "index" not in after.degraded
