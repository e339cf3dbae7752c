"""Facts in the graph: nodes, evidence, subjects, and what becomes of facts of an older version."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from graphmem import Memory
from graphmem.model.events import Derivation
from graphmem.projections.registry import FACTS, project_derivation

FACT = {"id": "fact:1", "kind": "rule", "content": "Ada must never edit `src/a.py`.", "start": 3, "end": 34, "confidence": 0.8,
        "outcome": "unknown", "intent": "constrain", "entities": [["file", "src/a.py"]], "persons": ["Ada"],
        "files": ["src/a.py"], "valid": -3600}  # fmt: skip


def body(label: str, source: str) -> dict[str, object]:
    return {"source": source, "label": label, "project": "p", "session": "s", "facts": [FACT]}


def test_a_fact_has_its_evidence_its_subjects_and_its_times() -> None:
    made = project_derivation(Derivation(FACTS, "e1", "h", body("Commit", "commit:1"), 1, 7_200_000_000, 9))
    (fact,) = (node for node in made.nodes if node.label == "Fact")
    assert (fact.properties["valid_from"], fact.properties["at"], fact.properties["recorded_at"]) == (
        3_600_000_000, 7_200_000_000, 9,
    )  # fmt: skip
    kinds = {(edge.type, edge.target_label) for edge in made.edges}
    assert kinds == {("DERIVED_FROM", "Commit"), ("EVIDENCE_OF", "Fact"), ("RECORDED_IN", "Commit"), ("ABOUT", "File"),
                     ("MENTIONS", "Entity"), ("MENTIONS", "Person")}  # fmt: skip
    (evidence,) = (edge.properties for edge in made.edges if edge.type == "EVIDENCE_OF")
    assert (evidence["start_offset"], evidence["end_offset"], evidence["method"]) == (3, 34, "exact")
    assert made.items[0].kind == "fact" and made.links[0].item == "fact:1"


def test_an_explicit_memory_gives_no_edge_that_the_graph_lacks() -> None:
    made = project_derivation(Derivation(FACTS, "e1", "h", body("Skill", "skill:1"), 1, 1, 1))
    assert {edge.type for edge in made.edges} == {"ABOUT", "MENTIONS"}


def test_facts_of_the_first_version_are_left_out() -> None:
    assert not project_derivation(Derivation("facts/1", "e1", "h", body("Turn", "t"), 1, 1, 1))


def test_a_fact_is_about_the_symbol_and_the_file_that_it_names(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "shop.py").write_text(
        "def total_price():\n    return 1\n\n\ndef run():\n    return total_price()\n"
    )
    memory.index_code(tmp_path / "code")
    text = "`total_price` must never round because shop.py keeps cents."
    memory.observe(text, role="assistant", session="s", ref="r", at=datetime(2026, 3, 9, tzinfo=UTC))
    memory.process()
    assert memory.cypher("MATCH (:Fact)-[:ABOUT]->(x:Symbol) RETURN x.qualified_name").rows == [["shop.total_price"]]
    assert memory.cypher("MATCH (:Fact)-[:ABOUT]->(x:File) RETURN x.path").rows == [["shop.py"]]
    ((start, end),) = memory.cypher("MATCH (:Turn)-[e:EVIDENCE_OF]->(:Fact) RETURN e.start_offset, e.end_offset").rows
    assert text[start:end] == text


def test_what_was_derived_from_an_event_without_a_node_is_left_out() -> None:
    of_nothing = {"label": "", "node": "", "item": "", "project": "demo", "mentions": [["file", "a.py", 1]]}
    assert not project_derivation(Derivation("entities/3", "e1", "h", of_nothing, 1, 1, 1))
    assert not project_derivation(Derivation("typed/1", "e1", "h", of_nothing | {"relations": []}, 1, 1, 1))
