"""A project's own entity and relation types: found, related, asked in Cypher; a changed configuration reads again; a bad one
is one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.settings import load

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
        services = "MATCH (t:Turn)-[:MENTIONS]->(e:Entity {type: 'service'}) RETURN e.name ORDER BY e.name"
        assert [row[0] for row in mem.cypher(services).rows] == ["billing api", "checkout", "svc-mail"]
        assert mem.process().derived == 0
        mem.rebuild()
        assert mem.query("own_relations").rows == related


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
        ([], "types"),
    ],
)
def test_a_bad_configuration_is_one_sentence_that_names_its_key(wrong: Any, key: str) -> None:
    with pytest.raises(UsageError) as raised:
        load(overrides={"types": wrong})
    assert raised.value.data["key"] == key and "\n" not in raised.value.message
