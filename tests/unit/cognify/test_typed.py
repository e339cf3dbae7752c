"""A project's own entity and relation types: found, related, asked in Cypher; a changed configuration reads again; a bad one
is one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.backends.graph.schema import parse_tables, schema_statements
from graphmem.errors import UsageError
from graphmem.owntypes import LABELS, RELATIONS
from graphmem.settings import load_settings

TYPES = {
    "types": {
        "entities": {
            "service": {"names": ["checkout", "billing api"], "patterns": ["svc-[a-z]+"]},
            "environment": {"names": ["staging", "production"]},
        },
        "relations": {
            "runs_in": {
                "from": "service",
                "to": "environment",
                "patterns": [r"{from} (?:runs|is deployed) (?:in|to) {to}"],
            }
        },
    }
}
QUIET = {"embedding.provider": "none"}


def test_own_types_are_found_and_a_changed_configuration_reads_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as mem:
        mem.observe("The Billing API runs in staging; checkout is deployed to production, svc-mail is not.")
        mem.process()
        assert mem.query("own_relations").rows == []
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET | TYPES) as mem:
        mem.process()
        related = [
            ["billing api", "service", "runs_in", "staging", "environment"],
            ["checkout", "service", "runs_in", "production", "environment"],
        ]
        assert mem.query("own_relations", {"kind": "runs_in"}).rows == related
        services = "MATCH (t:Turn)-[:MENTIONS]->(s:Service) RETURN s.name ORDER BY s.name"
        assert [row[0] for row in mem.cypher(services).rows] == ["billing api", "checkout", "svc-mail"]
        runs = "MATCH (s:Service)-[:RUNS_IN]->(e:Environment) RETURN s.name, e.name ORDER BY s.name"
        assert mem.cypher(runs).rows == [["billing api", "staging"], ["checkout", "production"]]
        assert mem.process().derived == 0
        mem.rebuild()
        assert mem.query("own_relations").rows == related


def test_own_labels_come_and_go_with_the_configuration(tmp_path: Path) -> None:
    """A relation may bear a name that the graph has already; what another configuration found is no longer shown, and
    comes back with it."""
    uses = {"types": {"entities": {"service": {"names": ["checkout", "ledger"]}, "order_book": {"names": ["the book"]}},
                      "relations": {"depends_on": {"from": "service", "to": "service", "patterns": ["{from} needs {to}"]},
                                    "keeps": {"from": "service", "to": "order_book", "patterns": ["{from} keeps {to}"]}}}}  # fmt: skip
    depends = "MATCH (s:Service)-[:DEPENDS_ON]->(t:Service) RETURN s.name, t.name"

    def opened(**types: Any) -> Memory:
        return Memory.open(tmp_path / "store", project="demo", settings=QUIET | types)

    with opened(**uses) as mem:
        mem.observe("The checkout needs the ledger, and the ledger keeps the book.")
        mem.remember("The ledger rounds down.")
        mem.process()
        assert mem.cypher(depends).rows == [["checkout", "ledger"]]
        assert mem.cypher("MATCH (:Service)-[:KEEPS]->(o:OrderBook) RETURN o.name, o.type").rows == [
            ["the book", "order_book"]
        ]
        schema = mem.schema()
        assert schema["nodes"]["OrderBook"] == schema["nodes"]["Entity"]
        assert schema["relations"]["KEEPS"]["pairs"] == [("Service", "OrderBook")]
        assert ("Service", "Service") in schema["relations"]["DEPENDS_ON"]["pairs"]
        assert mem.show("ledger")["node"]["_label"] == "Service"
        mem.export(tmp_path / "first.graphml", format="graphml")
        assert "Service" in (tmp_path / "first.graphml").read_text("utf-8")
    with opened() as mem:
        assert mem.process().derived == 0
        with pytest.raises(UsageError, match="Service"):
            mem.cypher(depends)
        assert mem.cypher("MATCH (e:Entity) WHERE e.type = 'service' RETURN e.id").rows == []
        assert mem.query("own_relations").rows == []
    with opened(**uses) as mem:
        assert mem.process().derived == 0
        assert mem.cypher(depends).rows == [["checkout", "ledger"]]
        mem.export(tmp_path / "second.graphml", format="graphml")
        assert (tmp_path / "first.graphml").read_bytes() == (tmp_path / "second.graphml").read_bytes()


def test_own_things_go_with_what_named_them(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET | TYPES) as mem:
        ref = mem.observe("The Billing API runs in staging.")
        mem.process()
        mem.forget(ref)
        assert mem.cypher("MATCH (s:Service) RETURN count(*)").rows == [[0]]


def test_the_names_of_the_graph_itself_are_those_of_its_schema() -> None:
    nodes, relations = parse_tables(schema_statements())
    assert nodes.keys() == LABELS and relations.keys() == RELATIONS


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"entities": {"service": {"names": []}}}, "types.entities.service"),
        ({"entities": {"file": {"names": ["x"]}}}, "types.entities.file"),
        ({"entities": {"Big Name": {"names": ["x"]}}}, "types.entities.Big Name"),
        ({"entities": {"service": {"names": ["x"], "colour": 1}}}, "types.entities.service.colour"),
        ({"entities": {"service": {"patterns": ["("]}}}, "types.entities.service.patterns"),
        ({"entities": {"service": {"patterns": ["a*"]}}}, "types.entities.service.patterns"),
        ({"relations": {"uses": {"from": "a", "to": "b", "patterns": ["{from} {to}"]}}}, "types.relations.uses.from"),
        (
            {
                "entities": {"aa": {"names": ["x"]}},
                "relations": {"uses": {"from": "aa", "to": "aa", "patterns": ["x"]}},
            },
            "types.relations.uses.patterns",
        ),
        ({"nodes": {"a": 1}}, "types"),
        ({"entities": {"task": {"names": ["x"]}}}, "types.entities.task"),
        ({"entities": {"test_run": {"names": ["x"]}}}, "types.entities.test_run"),
        ({"entities": {"order": {"names": ["x"]}}}, "types.entities.order"),
        ({"entities": {"a` b": {"names": ["x"]}}}, "types.entities.a` b"),
        ({"entities": {"ab_c": {"names": ["x"]}, "abc": {"names": ["x"]}}}, "types.entities.abc"),
        ({"entities": {"service": {"names": "checkout"}}}, "types.entities.service"),
        (
            {
                "entities": {"service": {"names": ["x"]}},
                "relations": {"part_of": {"from": "service", "to": "service", "patterns": ["{from} {to}"]}},
            },
            "types.relations.part_of",
        ),
        ([], "types"),
    ],
)
def test_a_bad_configuration_is_one_sentence_that_names_its_key(wrong: Any, key: str) -> None:
    with pytest.raises(UsageError) as raised:
        load_settings(overrides={"types": wrong})
    assert raised.value.data["key"] == key and "\n" not in raised.value.message
