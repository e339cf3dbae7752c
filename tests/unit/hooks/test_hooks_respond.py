"""What hooks capture and recall, on a real store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import settings
from graphmem.hooks import capture, selection
from graphmem.hooks.respond import respond
from graphmem.model.results import Hit
from graphmem.operations.keeping import Supersede
from graphmem.operations.pipeline import Process
from graphmem.store import Store

PROMPT = "Why do the integration tests hang when HTTP_PROXY is set?"


@pytest.fixture
def store(tmp_path: Path, clock) -> Iterator[Store]:
    chosen = settings.load_settings(None, {"embedding.provider": "none"})
    opened = Store(tmp_path / "store", chosen, "demo", clock)
    yield opened
    opened.close()


def hit(probability: float, number: int = 0) -> Hit:
    return Hit(
        f"i{number}",
        None,
        "fact",
        1.0,
        "",
        "s",
        "c",
        datetime(2026, 1, 1, tzinfo=UTC),
        None,
        "[mem:x]",
        {},
        probability,
    )


def test_only_what_is_probable_is_told() -> None:
    def told(*probabilities: float) -> tuple[list[float], bool]:
        chosen, sure = selection.select_hits([hit(p, n) for n, p in enumerate(probabilities)], selection.Limits())
        return [one.probability for one in chosen], sure

    assert told() == ([], False)
    assert told(0.2, 0.95, 0.9, 0.7) == ([0.95, 0.9], True)  # 0.85 of the best, and at least 0.75
    assert told(*[0.9] * 9) == ([0.9] * 5, True)
    assert told(0.74, 0.73, 0.72, 0.71, 0.6) == ([0.74, 0.73, 0.72], False)
    assert told(0.69) == ([], False)
    twins = [hit(p, n) for n, p in enumerate((0.2, 0.19, 0.05))]
    assert selection.select_hits(twins, selection.Limits(), 0.4) == (twins[:2], False)
    assert selection.select_hits(twins, selection.Limits(), 0.2) == ([], False)
    few = selection.Limits.of({"CLAUDE_MEMORY_MAX_COUNT": "1", "CLAUDE_MEMORY_MIN_SCORE": "much", "OTHER": "1"})
    assert few == selection.Limits(most=1)


def test_a_memory_is_told_once_and_counted(store: Store) -> None:
    from graphmem.model.events import Draft

    payload = {
        "content": "The integration tests hang when HTTP_PROXY is set: unset HTTP_PROXY first.",
        "kind": "gotcha",
    }
    store.recorder.record([Draft("memory_remembered", payload, store.clock.now(), "", "demo", "user")])
    store.run(Process())
    asked = {"session_id": "s", "prompt": PROMPT}
    assert respond(store, "UserPromptSubmit", asked, until=1) == {}  # too late: nothing was shown, nothing is counted
    assert not list(store.log.read(types=("memory_shown",)))
    answer = respond(store, "UserPromptSubmit", asked)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit" and "unset HTTP_PROXY" in answer["additionalContext"]
    (shown,) = store.log.read(types=("memory_shown",))
    assert shown.payload["tokens"] > 10 and shown.payload["citations"][0] in answer["additionalContext"]
    assert respond(store, "UserPromptSubmit", asked | {"prompt": PROMPT + " Again"}) == {}
    other = respond(store, "UserPromptSubmit", asked | {"session_id": "t"})
    assert other and "Again" not in json.dumps(other)
    assert respond(store, "UserPromptSubmit", asked | {"session_id": "u", "prompt": "continue"}) == {}


def test_a_decision_is_told_and_an_earlier_question_is_not(store: Store) -> None:
    said = "We decided that the session cookie domain is never inferred from SERVER_NAME."
    asked_before = "Is the session cookie domain inferred from SERVER_NAME?"
    for session, prompt in (("one", said), ("two", asked_before)):
        respond(store, "UserPromptSubmit", {"session_id": session, "prompt": prompt})
    store.run(Process())
    asked = {"session_id": "three", "prompt": "may the session cookie domain be inferred from SERVER_NAME?"}
    context = json.dumps(respond(store, "UserPromptSubmit", asked))
    assert "never inferred" in context and "Is the session" not in context


def test_a_session_starts_without_what_was_replaced(store: Store) -> None:
    from graphmem.model.events import Draft

    said = ("문서는 매주 새로 쓴다.", "게이트웨이의 포트는 8080이다.", "게이트웨이의 포트는 9090이다.",
            "게이트웨이의 포트는 9191이다.", "The queue keeps its order.")  # fmt: skip
    first = store.clock.now()
    store.recorder.record(
        [Draft("memory_remembered", {"content": each}, first + n, "", "demo", "user") for n, each in enumerate(said)]
    )
    store.run(Process())
    told = respond(store, "SessionStart", {"session_id": "s"})["hookSpecificOutput"]["additionalContext"]
    assert "8080" not in told and "9090" not in told
    assert "9191" in told and "order" in told and "매주" in told  # the places of what was replaced go to older ones


def test_a_named_memory_is_told_until_all_that_it_says_was_replaced(store: Store) -> None:
    from graphmem.model.events import Draft

    for ref, tool in (("d1", "Redis"), ("d2", "Memcached")):
        payload = {"content": f"We decided to use {tool} for the cache of the shop.", "kind": "document", "ref": ref}
        store.recorder.record([Draft("memory_remembered", payload, store.clock.now(), "", "demo", "user")])
    store.run(Process())
    said = lambda: respond(store, "SessionStart", {"session_id": "s"})["hookSpecificOutput"]["additionalContext"]
    assert "Redis" in said() and "Memcached" in said()
    facts = store.graph.query("MATCH (f:Fact) RETURN f.id, f.content").rows
    old, new = (next(id for id, content in facts if tool in content) for tool in ("Redis", "Memcached"))
    store.run(Supersede(old, new))
    store.run(Process())
    assert "Redis" not in said() and "Memcached" in said()


def test_a_session_starts_with_how_work_is_committed(store: Store) -> None:
    for session in "ab":
        for number in range(2):
            for command in ("make lint", f"git commit -m {number}"):
                given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"exit_code": 0}}
                call = f"{session}{number}{command[0]}"
                respond(store, "PostToolUse", {"session_id": session, "tool_use_id": call, **given})
    store.run(Process())
    told = respond(store, "SessionStart", {"session_id": "c"})["hookSpecificOutput"]["additionalContext"]
    assert "How to commit (`git commit`): `make lint` first" in told


def test_an_empty_store_says_nothing(store: Store) -> None:
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "Unheard"):
        assert (
            respond(
                store,
                event,
                {"session_id": "s", "prompt": PROMPT, "tool_name": "Bash", "tool_input": {"command": "make"}},
            )
            == {}
        )
    assert [event.type for event in store.log.read()] == ["session_start", "user_prompt"]
    assert not list(store.path.glob("graph-*"))  # hooks never open the graph


def test_a_failing_call_is_recorded_as_such(store: Store) -> None:
    given = {
        "session_id": "s",
        "tool_name": "Bash",
        "tool_use_id": "t",
        "tool_input": {"command": "make"},
        "error": "Exit code 2\nno rule",
    }
    respond(store, "PostToolUseFailure", given)
    respond(store, "PostToolUse", given)
    (event,) = store.log.read()
    assert event.payload["failed"] and event.payload["exit_code"] == 2 and event.payload["command"] == "make"
    respond(store, "PostToolUse", {"session_id": "s", "tool_name": "TodoRead", "tool_input": {}})
    assert len(list(store.log.read())) == 1


@pytest.mark.parametrize(
    ("name", "code", "kept"), [("exit_code", 4, 4), ("exitCode", 127, 127), ("exit_code", 0, 0), ("exit_code", "x", 0)]
)
def test_a_status_beside_the_output_tells_that_a_call_failed(store: Store, name: str, code: object, kept: int) -> None:
    given = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make"},
             "tool_response": {"stdout": "no rule to make target", "stderr": "", name: code}}  # fmt: skip
    respond(store, "PostToolUse", given)
    (event,) = store.log.read()
    assert (event.payload["exit_code"], event.payload["failed"]) == (kept, bool(kept))


@pytest.mark.parametrize("name", [None, 5, [], {}, "Bash"])
def test_a_tool_without_a_proper_name_is_answered(store: Store, name: object) -> None:
    assert respond(store, "PreToolUse", {"session_id": "s", "tool_name": name, "tool_input": {"command": "make"}}) == {}


@pytest.mark.parametrize(("response", "text"), [
    ("x", "x"), (None, ""), ({"stdout": "a", "stderr": "b"}, "a\nb"), ({"stdout": "", "stderr": ""}, ""),
    ([{"type": "text", "text": "한글"}, {"type": "image"}], '한글\n{"type": "image"}'),
    ({"type": "text", "file": {"filePath": "/a", "content": "body"}}, "body"),
    ({"filePath": "/a", "structuredPatch": []}, "changed /a"), ({"odd": 1}, '{"odd": 1}'),
])  # fmt: skip
def test_responses_of_tools_in_all_their_forms(response: object, text: str) -> None:
    assert capture.plain_text(response) == text


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8)  # fmt: skip


@given(JSON)
def test_any_response_has_a_text(response: object) -> None:
    assert isinstance(capture.plain_text(response), str)


def test_the_tail_of_a_long_transcript_has_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\n".join(b'{"n": %d, "pad": "%s"}' % (n, b"x" * 1_000) for n in range(1_000)))
    lines = capture.read_last_lines(str(file))
    assert 400 < len(lines) < 600 and all(json.loads(line)["pad"] for line in lines)
    assert capture.read_last_lines(str(tmp_path / "none")) == capture.read_last_lines("") == []


def test_what_teaches_nothing_is_not_told(store: Store) -> None:
    from graphmem.model.events import Draft

    def said(number: int, kind: str, role: str, content: str) -> Draft:
        payload = {"role": role, "content": content}
        return Draft(kind, payload, store.clock.now() + number, f"old{number}", "demo", role)

    request = "Move the berth ledger to whole cents, then run the ledger tests and tell me what the rounding does."
    teaching = "The berth ledger rounds half to even, once a night, in ledger/round.py."
    store.recorder.record(
        [
            said(1, "user_prompt", "user", request.replace("Move", "Now move")),
            said(2, "agent_response", "assistant", "Now let me look at how the berth ledger rounds to whole cents:"),
            said(
                3,
                "tool_observation",
                "tool",
                "Read ledger/round.py round.py def ledger_rounding(cents): berth ledger tests",
            ),
            said(4, "agent_response", "assistant", teaching),
        ]
    )
    store.run(Process())
    told = json.dumps(respond(store, "UserPromptSubmit", {"session_id": "new", "prompt": request}))
    assert "let me look" not in told and "Read ledger" not in told and "Now move" not in told
    asked = {"session_id": "newer", "prompt": "how does the berth ledger round?"}
    assert "half to even" in json.dumps(respond(store, "UserPromptSubmit", asked))
    again = {"session_id": "old4", "prompt": "how does the berth ledger round, once more?"}
    assert "half to even" not in json.dumps(
        respond(store, "UserPromptSubmit", again)
    )  # it was said in this very session


def test_a_start_that_was_answered_too_late_is_told_with_a_prompt(store: Store) -> None:
    respond(store, "UserPromptSubmit", {"session_id": "one", "prompt": "Always run the linter before a commit."})
    store.run(Process())
    assert respond(store, "SessionStart", {"session_id": "two"}, until=1) == {}  # its process has stopped waiting
    prompt = {"session_id": "two", "prompt": "What colour is the harbour wall?"}
    assert "Always run the linter" in str(respond(store, "UserPromptSubmit", prompt))
    assert "Always run the linter" not in str(respond(store, "UserPromptSubmit", prompt))
    assert "Always run the linter" in str(respond(store, "SessionStart", {"session_id": "three"}))
    assert "Always run the linter" not in str(respond(store, "UserPromptSubmit", prompt | {"session_id": "three"}))
