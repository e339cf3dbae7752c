"""Hooks as the agent starts them: real processes, several at once, with an owner behind or without."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support import STOP_S, wait_until, with_deep

from graphmem import Memory
from graphmem.interfaces.hooks.place import find


def raw(event: str, data: bytes, cwd: Path) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-m", "graphmem.interfaces.entry", "hook", event], input=data, cwd=cwd,
                          capture_output=True, timeout=STOP_S)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hook(event: str, cwd: Path, session: str = "s1", **given: Any) -> dict[str, Any]:
    return raw(
        event, json.dumps({"hook_event_name": event, "session_id": session, "cwd": str(cwd)} | given).encode(), cwd
    )


def told(answer: dict[str, Any]) -> str:
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def told_at_last(event: str, cwd: Path, **given: Any) -> tuple[str, str]:
    """What a new session is told, and its name. An answer that takes long is left out, as on a busy machine or of an owner that
    has just started: then another session asks."""
    answers: list[str] = []

    def ask() -> str:
        answers.append(told(hook(event, cwd, f"{event}-{len(answers)}", **given)))
        return answers[-1]

    wait_until(ask)
    return answers[-1], f"{event}-{len(answers) - 1}"


def opened(cwd: Path) -> Memory:
    return Memory.open(find(str(cwd)).store, daemon=True)


@pytest.mark.parametrize(
    "data",
    with_deep(
        [
            b"\x00\xff" * 4_000,
            b"[" * 100_000,
            b'{"cwd": 5, "session_id": [], "tool_name": {}, "prompt": 7, "tool_input": "x"}',
        ],
        [b"", b"{", b"[]", b"null", b'"x"', b"x" * 3_000_000],
    ),
)
def test_no_input_disturbs_the_agent(data: bytes, tmp_path: Path) -> None:
    for event in ("PostToolUse", "UserPromptSubmit", "Unheard"):
        assert isinstance(raw(event, data, tmp_path), dict)


def record(number: int, kind: str, session: str, content: Any) -> str:
    return json.dumps({"type": kind, "sessionId": session, "uuid": f"{session}-{number}", "cwd": "/w",
                       "timestamp": f"2026-01-05T10:00:{number:02}Z", "message": {"role": kind, "content": content}})  # fmt: skip


def transcript(session: str) -> list[str]:
    use = {"type": "tool_use", "id": f"{session}-t1", "name": "Bash", "input": {"command": "make test"}}
    bad = {"type": "tool_use", "id": f"{session}-t2", "name": "Bash", "input": {"command": "make lint"}}
    return [
        record(1, "user", session, "Please run the tests."),
        record(2, "assistant", session, [{"type": "text", "text": "Running them."}, use]),
        record(3, "user", session, [{"type": "tool_result", "tool_use_id": f"{session}-t1", "content": "3 passed"}]),
        record(4, "assistant", session, [bad]),
        record(5, "user", session, [{"type": "tool_result", "tool_use_id": f"{session}-t2", "content": "E501", "is_error": True}]),
        record(6, "user", session, "continue"),
        record(7, "assistant", session, [{"type": "text", "text": f"All of {session} is done."}]),
        record(8, "user", session, "continue"),
    ]  # fmt: skip


def play(session: str, repository: Any) -> None:
    cwd = repository.path
    file = repository.path.parent / f"{session}.jsonl"
    hook("SessionStart", cwd, session, source="startup")
    hook("UserPromptSubmit", cwd, session, prompt="Please run the tests.")
    hook("PostToolUse", cwd, session, tool_name="Bash", tool_use_id=f"{session}-t1", tool_input={"command": "make test"},
         tool_response={"stdout": "3 passed", "stderr": ""})  # fmt: skip
    hook("UserPromptSubmit", cwd, session, prompt="continue")
    file.write_text("\n".join(transcript(session)[:7]) + "\n")
    hook("Stop", cwd, session, transcript_path=str(file))
    hook("UserPromptSubmit", cwd, session, prompt="continue")
    file.write_text("\n".join(transcript(session)) + "\n")
    hook("SessionEnd", cwd, session, transcript_path=str(file), reason="exit")


@pytest.mark.deep
@pytest.mark.usefixtures("default_engine")
def test_four_sessions_at_once_are_captured_once(repository) -> None:
    repository.commit("Start", {"a.py": "x = 1\n"})
    sessions = ["alpha", "beta", "gamma", "delta"]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda session: play(session, repository), sessions))
    with opened(repository.path) as mem:
        for session in sessions:
            events = [event for event in mem.history(session=session, limit=1_000) if event.type != "memory_shown"]
            counted = [(event.type, event.payload.get("content")) for event in events]
            assert sorted(counted, key=str) == sorted([
                ("session_start", None), ("user_prompt", "Please run the tests."), ("agent_response", "Running them."),
                ("tool_observation", "3 passed"), ("tool_observation", "E501"), ("user_prompt", "continue"),
                ("agent_response", f"All of {session} is done."), ("user_prompt", "continue"), ("session_end", None),
            ], key=str)  # fmt: skip
        folder = repository.path.parent / "transcripts"
        folder.mkdir()
        for session in sessions:
            (repository.path.parent / f"{session}.jsonl").rename(folder / f"{session}.jsonl")
        assert mem.ingest("sessions", folder).new == 0  # read later, they bring nothing new


@pytest.mark.usefixtures("default_engine")
def test_a_gotcha_is_told_before_the_mistake_is_repeated(repository) -> None:
    repository.commit("Start", {"a.py": "x = 1\n"})
    cwd = repository.path
    hook("SessionStart", cwd, "first", source="startup")
    with opened(cwd) as mem:
        mem.remember("The integration tests hang when HTTP_PROXY is set: unset HTTP_PROXY first.", kind="gotcha", title="Integration tests hang")  # fmt: skip
        mem.tasks.create("Document the proxy trouble")
        mem.process()
        woken, _ = told_at_last("SessionStart", cwd, source="startup")
        assert "unset HTTP_PROXY" in woken or "Integration tests hang" in woken
        assert "Document the proxy trouble" in woken and woken.startswith("<graphmem-recall>")
        answer, session = told_at_last(
            "UserPromptSubmit", cwd, prompt="Why do the integration tests hang when HTTP_PROXY is set?"
        )
        assert "unset HTTP_PROXY first" in answer and "[mem:" in answer and "not instructions" in answer
        again = told(
            hook("UserPromptSubmit", cwd, session, prompt="The integration tests hang when HTTP_PROXY is set, again")
        )
        assert "unset HTTP_PROXY first" not in again  # once a session is enough
        shown = [
            event for event in mem.history(limit=1_000) if event.type == "memory_shown" and event.session == session
        ]
        assert shown[0].payload["tokens"] > 0 and not any("HTTP_PROXY" in str(event.payload) for event in shown)
    done = subprocess.run(
        [sys.executable, "-m", "graphmem.interfaces.entry", "history", "--injected"],
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    assert "UserPromptSubmit" in done.stdout and "Integration tests hang" in done.stdout


def test_what_was_recalled_is_not_recorded_again(repository) -> None:
    repository.commit("Start", {"a.py": "x = 1\n"})
    cwd = repository.path
    echo = "<graphmem-recall>\nRecalled memory: data.\nthe moon is cheese\n</graphmem-recall>\nAnd now?"
    hook("UserPromptSubmit", cwd, prompt=echo)
    hook(
        "PostToolUse",
        cwd,
        tool_name="mcp__graphmem__search",
        tool_use_id="t1",
        tool_input={},
        tool_response="the moon is cheese",
    )
    hook("PostToolUse", cwd, tool_name="Bash", tool_use_id="t2", tool_input={"command": "graphmem search moon"}, tool_response={"stdout": "the moon is cheese"})  # fmt: skip
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    hook(
        "PostToolUse",
        cwd,
        tool_name="Bash",
        tool_use_id="t3",
        tool_input={"command": "env"},
        tool_response={"stdout": f"TOKEN={secret}"},
    )
    with opened(cwd) as mem:
        kept = [event for event in mem.history() if event.type != "memory_shown"]
        assert [event.payload["content"] for event in kept if event.type == "user_prompt"] == ["And now?"]
        assert not any("cheese" in str(event.payload) or secret in str(event.payload) for event in kept)
        assert sum(event.type == "tool_observation" for event in kept) == 1


def test_a_paused_repository_is_left_alone(repository) -> None:
    repository.commit("Start", {"a.py": "x = 1\n"})
    run = [sys.executable, "-m", "graphmem.interfaces.entry"]
    subprocess.run([*run, "pause"], cwd=repository.path, check=True, capture_output=True)
    assert hook("UserPromptSubmit", repository.path, prompt="Remember nothing of this.") == {}
    subprocess.run([*run, "resume"], cwd=repository.path, check=True, capture_output=True)
    hook("UserPromptSubmit", repository.path, prompt="But this.")
    with opened(repository.path) as mem:
        assert [event.payload["content"] for event in mem.history() if event.type == "user_prompt"] == ["But this."]


def test_nothing_said_in_one_folder_is_told_in_another(tmp_path: Path) -> None:
    said = "We decided that the lighthouse lamp turns every nine seconds, never faster."
    folders = [tmp_path / name for name in ("east", "west")]
    for folder in folders:
        folder.mkdir()
    hook("SessionStart", folders[0])
    hook("UserPromptSubmit", folders[0], prompt=said)
    with opened(folders[0]) as mem:
        mem.process()
    asked = "How fast does the lighthouse lamp turn?"
    assert "nine seconds" in told_at_last("UserPromptSubmit", folders[0], prompt=asked)[0]
    assert told(hook("UserPromptSubmit", folders[1], session="w", prompt=asked)) == ""
    nowhere = {"session_id": "w", "cwd": "/nonexistent", "prompt": asked}
    assert raw("UserPromptSubmit", json.dumps(nowhere).encode(), tmp_path) == {}
    with opened(folders[1]) as mem:
        assert [event.payload["content"] for event in mem.history(types=["user_prompt"])] == [asked]
