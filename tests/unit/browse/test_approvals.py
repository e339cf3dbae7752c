"""What is new waits for a person where the setting asks for it: it is neither found nor injected, and the decisions hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.browse.approvals import EXCLUDES, REPEATS, find_related
from graphmem.errors import NotFound, UsageError
from graphmem.hooks.respond import respond
from graphmem.interfaces.cli import render
from graphmem.interfaces.verbs.browse import config
from graphmem.log.approvals import read_approvals
from graphmem.ports.callers import for_agent

OLD = "We decided that the deployment of harbour uses blue-green switches."
NEW = "Decision: the retry limit of the crane client is 7, because the berth closes after eight."


def test_what_waits_names_what_it_excludes_and_repeats() -> None:
    waiting = {
        "old": "The harbour office closes at 17:00.", "new": "The harbour office closes at 19:00.",
        "gotcha": "Gotcha: the tide table is in UTC, not local time.", "buoy": "Buoy number 1 is lit from dusk to dawn.",
    }  # fmt: skip
    holding = {"tide": "The tide table is in UTC, not local time.", "other": "Buoy number 2 is lit from dusk to dawn."}
    found = find_related(waiting, {**holding, **waiting})
    assert {id: [tuple(one) for one in related] for id, related in found.items()} == {
        "old": [("new", EXCLUDES)], "new": [("old", EXCLUDES)], "gotcha": [("tide", REPEATS)],
    }  # fmt: skip


def facts(memory: Memory, query: str, **more: Any) -> dict[str, str]:
    return {hit.content: hit.status for hit in memory.search(query, kinds=["fact"], **more).hits}


def injected(memory: Memory, prompt: str) -> str:
    given = {"session_id": "reader", "prompt": prompt, "hook_event_name": "UserPromptSubmit"}
    return str(respond(memory._store, "UserPromptSubmit", given))


def started(memory: Memory, session: str) -> str:
    return str(respond(memory._store, "SessionStart", {"session_id": session, "hook_event_name": "SessionStart"}))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with something known, in which approval was then asked for, and something new was learnt."""
    path = tmp_path / "store"
    with Memory.open(path, project="harbour") as memory:
        memory.observe(OLD, session="before")
        memory.process()
    with Memory.open(path, settings={"approval.required": True}) as memory:
        memory.observe(NEW, session="after")
        memory.process()
        with for_agent():
            memory.remember("The crane client lives in src/crane.", title="Crane", ref="crane")
        memory.remember("The berth closes at eight.", title="Berth")
    return path


def open_store(path: Path) -> Memory:
    return Memory.open(path, settings={"approval.required": True})


def test_what_is_new_waits_and_decisions_hold_after_a_rebuild(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(store) as memory:
        waiting = {row["text"]: row["id"] for row in memory.approvals().to_dicts()}
        assert any("retry limit" in text for text in waiting) and "The crane client lives in src/crane." in waiting
        assert not any("blue-green" in text or "closes at eight." in text for text in waiting), waiting
        assert any("blue-green" in text for text in facts(memory, "deployment of harbour"))
        (new,) = [text for text in waiting if "retry limit" in text]
        assert new not in facts(memory, "retry limit of the crane client")
        assert facts(memory, "retry limit of the crane client", waiting=True)[new] == "waiting"
        render.show("search", memory.search("retry limit of the crane client", kinds=["fact"], waiting=True))
        assert "(waiting for approval)" in capsys.readouterr().out
        assert "The berth closes at eight." in facts(memory, "when does the berth close")
        assert "7" not in injected(memory, "What is the retry limit of the crane client?")
        begun = started(memory, "second")
        assert "blue-green" in begun and "retry limit" not in begun
        assert [row[0] for row in memory.cypher("MATCH (f:Fact {id: $id}) RETURN f.status", {"id": waiting[new]})] == [
            "waiting"
        ]

        memory.approve(waiting[new])
        assert facts(memory, "retry limit of the crane client")[new] == "active"
        assert "7" in injected(memory, "What is the retry limit of the crane client?")
        assert "retry limit" in started(memory, "third")
        memory.reject("crane", "it moved")
        memory.rebuild()
        assert facts(memory, "retry limit of the crane client")[new] == "active"
        assert not facts(memory, "where does the crane client live").keys() & {"The crane client lives in src/crane."}
        assert [row["status"] for row in memory.approvals(every=True).to_dicts() if row["kind"] == "fact"] == [
            "rejected"
        ]

        memory.reject("crane", undo=True)
        assert "The crane client lives in src/crane." in {row["text"] for row in memory.approvals().to_dicts()}
        made = memory.approve("crane", content="The crane client lives in lib/crane.")["id"]
        (kept,) = memory.details([made])
        (was,) = memory.details(["crane"])
        assert (kept.title, kept.tags) == (was.title, was.tags) and kept.title
        found = facts(memory, "where does the crane client live")
        assert "The crane client lives in lib/crane." in found and "The crane client lives in src/crane." not in found
        memory.approve(waiting[new], undo=True)
        assert new not in facts(memory, "retry limit of the crane client")
        with pytest.raises(NotFound, match="approvals"):
            memory.approve("mem:zzzzzz")
        with pytest.raises(UsageError, match="new text"):
            memory.approve([waiting[new], "crane"], content="both")
        for blank in ("", " ", "[mem:]", [], ["crane", ""]):
            with pytest.raises(UsageError, match="at least one"):
                memory.approve(blank)
            with pytest.raises(UsageError, match="at least one"):
                memory.reject(blank)
        with pytest.raises(UsageError, match="review"):
            memory.allow("")
        with pytest.raises(NotFound):
            memory.details([""])


def test_without_the_setting_nothing_waits(store: Path) -> None:
    with Memory.open(store) as memory:
        memory.process()
        assert not memory.approvals().rows
        assert any("retry limit" in text for text in facts(memory, "retry limit of the crane client"))
        with pytest.raises(UsageError, match="is off"):
            memory.approve("crane")
    with open_store(store) as memory:  # asked for again: only what comes now is new
        memory.process()
        assert not memory.approvals().rows


def required(memory: Memory) -> bool:
    return read_approvals(memory._store.log).is_required


def test_older_settings_the_environment_and_agents_do_not_release_what_waits(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(store) as early:  # opened before the setting is saved
        early.remember("The lock is shut.", title="Lock")
        with Memory.open(store) as late:
            late.configure({"approval.required": True})
            assert required(early)  # without anything recorded since
        with Memory.open(store) as late, for_agent():
            late.remember("The pilot boat is yellow.", title="Pilot")
        early.remember("The tug is red.", title="Tug")
        early.process()
        waiting = {row["title"] for row in early.approvals().to_dicts()}
        assert "Pilot" in waiting and "Tug" not in waiting, waiting
        monkeypatch.setenv("GRAPHMEM_APPROVAL__REQUIRED", "false")
        with Memory.open(store) as late:
            late.remember("The tow boat is green.", title="Tow")
            assert required(late)  # no environment releases what waits
        monkeypatch.delenv("GRAPHMEM_APPROVAL__REQUIRED")
        with Memory.open(store) as late:
            early.configure({"approval.required": False})
            assert not required(late)
            late.remember("The quay is long.", title="Quay")
            assert not required(late)  # opened before
            monkeypatch.setenv("AI_AGENT", "1")
            for value in ("true", "false", "default"):
                with pytest.raises(UsageError, match="only a person"):
                    config(late, "approval.required", value)
            with pytest.raises(UsageError, match="only a person"):
                late.configure({"approval.required": False})  # from Python, the page of the viewer, and the API
            for decide in (late.approve, late.reject, late.allow):
                with pytest.raises(UsageError, match="only a person"):
                    decide("mem:aaaaaa")
            assert not required(late) and config(late, "capture.ask", "default")


def test_approving_what_excludes_each_other_warns_and_contests_both(store: Path) -> None:
    one, other = "The berth fee is 20 euros.", "The berth fee is 35 euros."
    with open_store(store) as memory:
        with for_agent():
            ids = [memory.remember(text) for text in (one, other)]
        memory.process()
        assert "conflicts" not in memory.approve(ids[0])
        given = memory.approve(ids[1])
        assert [(pair["relation"], pair["content"]) for pair in given["conflicts"]] == [("contradicts", one)]
        assert "exclude each other" in given["warning"]
        assert {facts(memory, "berth fee")[text] for text in (one, other)} == {"contested"}
