"""Who may replace whose words: a person those of an agent, but not the other way round; and what is said in passing, of which no fact
is made, still replaces and is replaced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.cli import render
from graphmem.ports.callers import for_agent

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "store"
    with Memory.open(path, project="harbour") as memory:
        memory.remember("The timeout of the crane is 30 seconds.", at=DAY)
        memory.remember("Berths are assigned by Sigrid.", at=DAY)
        memory.observe("branch off from develop for anything you do", session="a", at=DAY, ref="develop")
        memory.observe("the tide gauge listens on 7001", session="a", at=DAY)
        with for_agent():
            memory.remember("The timeout of the crane is now 60 seconds.", at=DAY + timedelta(days=1))
            memory.remember("Berths are assigned by Matteo.", at=DAY + timedelta(days=1))
            memory.remember("The mast height is 20 m.", at=DAY + timedelta(days=1))
            memory.remember("The depth of the basin is 8 m.", at=DAY + timedelta(days=1))
            memory.remember("The depth of the basin is 9 m.", at=DAY + timedelta(days=2))
        memory.remember("The mast height is 21 m.", at=DAY + timedelta(days=2))
        later = DAY + timedelta(days=3)
        memory.observe("develop is dead, branch off from trunk from now on", session="b", at=later, ref="trunk")
        memory.observe("the lock gauge listens on 7002", session="b", at=later)
        memory.process()
    return path


@pytest.mark.parametrize(
    ("question", "persons", "agents"),
    [
        (
            "timeout of the crane",
            "The timeout of the crane is 30 seconds.",
            "The timeout of the crane is now 60 seconds.",
        ),
        ("who assigns berths", "Berths are assigned by Sigrid.", "Berths are assigned by Matteo."),
    ],
)
def test_what_an_agent_writes_down_only_contests_what_a_person_said(
    store: Path, question: str, persons: str, agents: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory.open(store) as memory:
        result = memory.search(question)
        first, second = result.hits[:2]
        assert (first.content, second.content) == (persons, agents)
        assert first.status == second.status == "contested"
        assert agents in first.against and persons in second.against
        assert f"(contested by {second.citation} {agents})" in result.context
        pairs = {(row["one"], row["other"]) for row in memory.query("facts_contested", {"limit": 9}).to_dicts()}
        assert {(agents, persons)} <= pairs
        render.show("search", result)
    assert f"contradicted by: {second.citation}" in capsys.readouterr().out


def test_a_persons_words_and_newer_ones_of_the_same_speaker_replace(store: Path) -> None:
    with Memory.open(store) as memory:
        heights = [h.content for h in memory.search("mast height").hits if "mast" in h.content]
        assert heights == ["The mast height is 21 m."]
        depths = [h.content for h in memory.search("depth of the basin").hits if "basin" in h.content]
        assert depths == ["The depth of the basin is 9 m."]


def test_what_is_said_in_passing_is_marked_until_what_replaced_it_is_forgotten(store: Path) -> None:
    with Memory.open(store) as memory:
        assert memory.search("which branch to branch off from").hits[0].content.startswith("develop is dead")
        found = memory.search("branch off from", kinds=["turn"]).hits
        assert {h.content: h.status for h in found}["branch off from develop for anything you do"] == "superseded"
        gauges = [h for h in memory.search("gauge listens on", kinds=["turn"]).hits if "gauge" in h.content]
        assert [h.status for h in gauges] == ["active", "active"]
    with Memory.open(store) as memory:
        memory.forget("trunk")
        memory.process()
        found = memory.search("branch off from", kinds=["turn"]).hits
        assert {h.content: h.status for h in found}["branch off from develop for anything you do"] == "active"
