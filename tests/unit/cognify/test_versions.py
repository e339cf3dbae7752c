"""A store whose facts an older version of the step made: they are derived anew, once, and what the old ones said is no
longer shown."""

from __future__ import annotations

from pathlib import Path

from graphmem import Memory
from graphmem.model.changes import Changes, Item, Node
from graphmem.model.events import Derivation
from graphmem.settings import load_settings
from graphmem.store import Store
from graphmem.sync.pipeline import MADE

QUIET = {"embedding.provider": "none"}
OLD = "fact:0123456789abcdef"


def aged(path: Path) -> None:
    """Make of the store one whose facts another version derived and showed."""
    store = Store(path, load_settings(path, QUIET))
    event = next(store.log.read(types=["user_prompt"]))
    place = {"source": event.id, "label": "Turn", "project": "demo", "session": ""}
    fact = {"id": OLD, "kind": "rule", "content": "The lamp is red.", "start": 0, "end": 9, "confidence": 1.0}
    store.log.store_derivations([Derivation("facts/0", event.id, "0", place | {"facts": [fact]})])
    store.graph.apply(Changes(nodes=[Node("Fact", OLD, {"content": "The lamp is red."})]), {})
    store.text.apply([], [Item(OLD, "fact", "", "The lamp is red.", 1)], [], {MADE: 1})
    store.backlog.fail("facts/0", [event.id], "it was wrong")
    store.close()


def test_facts_of_an_older_version_are_derived_anew(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Memory.open(path, project="demo", settings=QUIET) as mem:
        mem.observe("Good morning.", role="user")
        mem.process()
        mem.observe("We decided to keep the lamp oil in `cellar.toml` because the attic leaks.", role="user")
    aged(path)
    with Memory.open(path, project="demo", settings=QUIET) as mem:
        assert mem.process().derived > 0
        ((identifier, content),) = mem.cypher("MATCH (f:Fact) RETURN f.id, f.content").rows
        assert identifier != OLD and "cellar.toml" in content
        assert [hit.id for hit in mem.search("lamp", kinds=["fact"]).hits] == [identifier]
        assert mem.process().derived == 0
    store = Store(path, load_settings(path, QUIET))
    assert store.backlog.letters(dead=False) == []
    store.close()
