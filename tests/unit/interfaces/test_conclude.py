"""What agents save of a finished piece of work: only in the strict form, and only with a quote of what was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.hooks.respond import respond
from graphmem.interfaces.mcp.groups import GROUPS
from graphmem.interfaces.verbs.conclusions import MOST, conclude
from graphmem.settings import load_settings
from graphmem.store import Store

KEY = "AKIA" + "Z7QXM2PL4WT9KD3B"
GOOD = {"kind": "decision", "text": "The session cache is kept in Redis because two hosts share it.", "subject": "session cache",
        "value": "Redis", "files": ["src/cache.py"], "evidence": "keep the session cache in Redis,  two hosts share it"}  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(
        tmp_path_factory.mktemp("conclude") / "s", project="demo", settings={"embedding.provider": "none"}
    ) as opened:
        opened.observe(
            f"Please keep the session cache in Redis, two hosts share it. You must never flush Redis. The key is {KEY}.",
            session="a",
        )
        todos = [{"content": "Move the session cache to Redis before noon", "status": "pending"}]
        given = {"session_id": "a", "tool_name": "TodoWrite", "tool_use_id": "t", "tool_input": {"todos": todos},
                 "tool_response": todos[0]["content"]}  # fmt: skip
        respond(opened._store, "PostToolUse", given)
        yield opened


def test_a_memory_is_saved_once_with_its_evidence_and_redacted(memory: Memory) -> None:
    group = GROUPS["memory"]
    tool, arguments = group.resolve({"action": "conclude", "memories": [GOOD]})
    assert tool.verb.call is conclude
    first, again = conclude(memory, **arguments), conclude(memory, [json.dumps([GOOD])], session="a")
    assert not first.refused and [one["id"] for one in first.saved] == [one["id"] for one in again.saved]
    event = memory.event(first.saved[0]["id"])
    (turn,) = memory.history(types=["user_prompt"])
    assert (event.payload["evidence"], event.payload["tags"], event.payload["kind"]) == (
        [turn.id],
        ["decision"],
        "fact",
    )
    leaked = GOOD | {
        "text": f"The key of the session cache is {KEY}.",
        "value": "",
        "evidence": "two hosts share it",
    }
    (saved,) = conclude(memory, [json.dumps(leaked)]).saved
    assert KEY not in memory.event(saved["id"]).payload["content"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"evidence": "the user wants Redis and nothing but Redis for it"}, "not found"),
        ({"evidence": "Move the session cache to Redis before noon"}, "not found"),  # the agent's own list is no turn
        ({"evidence": "two hosts share it"}, "does not contain the value"),
        ({"value": "Valkey"}, "`text` does not contain"),
        ({"kind": "summary"}, "`kind` must be"),
        ({"text": 5}, "`text` needs"),
        ({"files": "src/cache.py"}, "`files` must be"),
        ({"importance": 5}, "unknown field"),
        ({"text": "The session cache is kept in Redis because three hosts share 30 keys."}, "the number 30"),
        ({"text": "The session cache is kept in Redis because Kubernetes hosts share it."}, "the name `Kubernetes`"),
        ({"text": "The session cache is never kept in Redis."}, "a negation"),
        (
            {"text": "The session cache of Redis makes deployments slower under heavier traffic peaks.", "subject": ""},
            "most of its words",
        ),
        (
            {"text": "Redis may be flushed while the session cache is in use.", "evidence": "never flush Redis"},
            "an affirmation",
        ),
    ],
)
def test_what_is_refused(memory: Memory, change: dict[str, Any], reason: str) -> None:
    found = conclude(memory, [json.dumps(GOOD | change)])
    assert not found.saved and reason in found.refused[0]["reason"]


def test_more_than_seven_and_what_is_no_json(memory: Memory) -> None:
    many = [json.dumps(GOOD | {"text": f"{GOOD['text']} ({mark})"}) for mark in "abcdefgh"]
    found = conclude(memory, many)
    assert (len(found.saved), len(found.refused)) == (MOST, 1)
    with pytest.raises(UsageError):
        conclude(memory, ["no"])


def test_the_agent_is_asked_once_a_session_and_only_if_the_user_wants_it(tmp_path: Path) -> None:
    def commit(store: Store, number: int, output: str = "[main 1234567] Move the cache", **more: str) -> str:
        given = {"session_id": "one", "tool_name": "Bash", "tool_use_id": str(number),
                 "tool_input": {"command": "git commit -am x"}, "tool_response": {"stdout": output, "stderr": ""}}  # fmt: skip
        answer = respond(store, "PostToolUse", given | more)
        return answer.get("hookSpecificOutput", {}).get("additionalContext", "")

    for asks in (False, True):
        chosen = load_settings(None, {"embedding.provider": "none", "capture.ask": asks})
        store = Store(tmp_path / str(asks), chosen, "demo")
        assert commit(store, 1, "nothing to commit") == commit(store, 2, agent_id="sub") == ""
        assert ("conclude" in commit(store, 3)) is asks
        assert commit(store, 4) == "" == commit(store, 3)
        assert "capture.ask" not in str(respond(store, "SessionStart", {"session_id": "one", "source": "compact"}))
        for event in ("Stop", "PreCompact", "SessionEnd"):
            assert respond(store, event, {"session_id": "one"}) == {}
        store.close()
