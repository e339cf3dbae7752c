"""Chats of other programs: every form gives the same turns with original times, once, whatever else its files hold."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import read_stored

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.extract.chats import programs
from graphmem.extract.chats.gemini import folders_by_hash
from graphmem.extract.chats.turns import ImportContext, parse_time, spoken_text
from graphmem.model.sources import IngestReport
from graphmem.text.todolists import read_todo_call

pytestmark = pytest.mark.core
FIXTURES = Path(__file__).parents[3] / "fixtures" / "sessions"


def read(name: str, path: Path, **options: Any) -> tuple[list[Any], IngestReport]:
    report = IngestReport("sessions")
    return list(programs.PROGRAMS[name].read(path, ImportContext("demo", report, **options))), report


def said(drafts: list[Any]) -> list[tuple[str, str]]:
    return [(draft.actor, draft.payload.get("content", "")) for draft in drafts if draft.type != "session_start"]


def fixture(name: str) -> Path:
    (path,) = (
        path for path in (FIXTURES / name).rglob("*") if path.is_file() and not path.name.startswith("checkpoint")
    )
    return path


def at(draft: Any) -> str:
    return datetime.fromtimestamp(draft.at / 1e6, UTC).isoformat()


def test_codex() -> None:
    drafts, report = read("codex", fixture("codex"))
    (plan,) = (draft for draft in drafts if draft.payload.get("tool") == "TodoWrite")
    assert read_todo_call("TodoWrite", plan.payload["input"]) is not None
    start, prompt, tests, patch, answer = (draft for draft in drafts if draft is not plan)
    assert start.payload["cwd"] == "/home/mina/tide" and start.payload["branch"] == "main"
    assert prompt.payload["content"].startswith("The tide table") and at(prompt) == "2026-01-05T09:30:01+00:00"
    assert tests.payload["command"] == "pytest -q" and tests.payload["exit_code"] == 1 and tests.payload["failed"]
    assert tests.payload["content"] == "FAILED tests/test_table.py::test_today\n"
    assert patch.payload["writes"] == ["tide/table.py", "tide/clock.py"] and not patch.payload["failed"]
    assert answer.type == "agent_response" and "harbour" in answer.payload["content"]
    assert {draft.session for draft in drafts} == {"0199f00d-1111-7222-8333-444455556666"}
    assert report.skipped == {"malformed line": 1, "call without a result yet": 1}
    assert len({draft.dedupe_key for draft in drafts}) == len(drafts)


def test_codex_before_records_were_wrapped(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-06-01T00-00-00-x.jsonl"
    records = [{"id": "old", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}, {"record_type": "state"},
               {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
               {"type": "local_shell_call", "call_id": "a", "action": {"type": "exec", "command": ["ls", "-l", "my dir"]}},
               {"type": "function_call_output", "call_id": "a", "output": "Process exited with code 2\nOutput:\nno"}]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, records)))
    drafts, _ = read("codex", path)
    assert said(drafts) == [("user", "Hello"), ("tool", "no")] and drafts[1].session == "old"
    assert drafts[2].payload["command"] == "ls -l 'my dir'" and drafts[2].payload["exit_code"] == 2
    assert at(drafts[1]) == "2025-06-01T00:00:00+00:00"  # the turn says no time: that of its session


def test_gemini() -> None:
    drafts, _ = read("gemini", fixture("gemini"))
    assert [draft.type for draft in drafts] == ["session_start", "user_prompt", "agent_response", *["tool_observation"] * 2,
                                                "agent_response"]  # fmt: skip
    assert drafts[3].payload["reads"] == ["/srv/ferry/parse.py"]
    assert drafts[4].payload["command"] == "python -m ferry sunday" and drafts[4].payload["exit_code"] == 3
    assert drafts[4].payload["content"] == "no departures" and at(drafts[4]) == "2026-02-03T08:00:09+00:00"


def test_gemini_checkpoints_and_lines(tmp_path: Path) -> None:
    drafts, _ = read("gemini", FIXTURES / "gemini" / "4f" / "checkpoint-lighthouse.json")
    assert said(drafts)[0] == ("user", "등대 점등 시각을 UTC로 저장해 주세요.") and drafts[2].payload["writes"] == [
        "lamp.py"
    ]
    path = tmp_path / "session-1.jsonl"
    whole = json.loads(fixture("gemini").read_text())
    messages = whole.pop("messages")
    grown = [messages[0], {**messages[1], "toolCalls": []}, *messages[1:]]
    path.write_text("\n".join(map(json.dumps, [whole, *grown, {"$set": {"lastUpdated": "2026-02-03T09:00:00Z"}}])))
    assert programs.recognise_program(path) == "gemini"
    assert said(read("gemini", path)[0]) == said(read("gemini", fixture("gemini"))[0])


def test_a_gemini_chat_belongs_to_the_folder_of_its_hash(tmp_path: Path) -> None:
    chat = json.loads(fixture("gemini").read_text())
    path = tmp_path / "chats" / "session-1.json"
    path.parent.mkdir()
    path.write_text(json.dumps(chat | {"projectHash": next(iter(folders_by_hash(["/srv/ferry"])))}))
    drafts, _ = read("gemini", path, folders=["/srv/ferry"], wanted=lambda folder: folder == "/srv/ferry")
    assert drafts[0].payload["cwd"] == "/srv/ferry" and drafts[3].payload["reads"] == ["parse.py"]
    _, report = read("gemini", path, folders=["/srv/other"], wanted=lambda folder: folder == "/srv/other")
    assert report.skipped == {"session of another project": 1}


def cursor(folder: Path, project: str = "/home/mina/buoy") -> Path:
    """A user folder of Cursor with one composer in the table of all workspaces, and an old chat in a workspace's own."""
    bubbles = [
        {"bubbleId": "b1", "type": 1, "text": "Make the buoy blink.", "createdAt": "2026-05-05T05:00:00.000Z"},
        {"bubbleId": "b2", "type": 2, "text": "", "createdAt": "2026-05-05T05:00:05.000Z", "toolFormerData": {
            "name": "edit_file", "status": "completed", "toolCallId": "c1", "params": "{\"relativeWorkspacePath\":\"lamp.c\"}",
            "rawArgs": "{\"target_file\":\"lamp.c\",\"code_edit\":\"blink();\"}", "result": "{\"isApplied\":true}"}},
        {"bubbleId": "b3", "type": 2, "text": "", "createdAt": "2026-05-05T05:00:09.000Z", "toolFormerData": {
            "name": "run_terminal_cmd", "status": "completed", "toolCallId": "c2", "rawArgs": "{\"command\":\"make\"}",
            "result": "{\"output\":\"cc: error\",\"exitCodeV2\":2}"}},
        {"bubbleId": "b4", "type": 2, "text": "It blinks.", "timingInfo": {"clientStartTime": 1777957220000}},
        {"bubbleId": "b5", "type": 2, "text": "", "toolFormerData": {"name": "run_terminal_cmd", "userDecision": "rejected"}},
    ]  # fmt: skip
    composer = {"composerId": "k1", "createdAt": 1777957200000,
                "fullConversationHeadersOnly": [{"bubbleId": f"b{n}"} for n in range(1, 7)]}  # fmt: skip
    shared, own = folder / "globalStorage" / "state.vscdb", folder / "workspaceStorage" / "w1" / "state.vscdb"
    for path in (shared, own):
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as base:
            for table in ("ItemTable", "cursorDiskKV"):
                base.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    with sqlite3.connect(shared) as base:
        rows = [("composerData:k1", json.dumps(composer)), ("composerData:draft", "{}"), ("composerData:bad", b"\xff{")]
        rows += [(f"bubbleId:k1:{bubble['bubbleId']}", json.dumps(bubble)) for bubble in bubbles]
        base.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    with sqlite3.connect(own) as base:
        tabs = {"tabs": [{"tabId": "t1", "lastSendTime": 1700000000000,
                          "bubbles": [{"type": "user", "text": "Old chat?"}, {"type": "ai", "rawText": "Old answer."}]}]}  # fmt: skip
        base.execute(
            "INSERT INTO ItemTable VALUES ('composer.composerData', ?)",
            [json.dumps({"allComposers": [{"composerId": "k1"}]})],
        )
        base.execute(
            "INSERT INTO ItemTable VALUES ('workbench.panel.aichat.view.aichat.chatdata', ?)", [json.dumps(tabs)]
        )
    (own.parent / "workspace.json").write_text(json.dumps({"folder": f"file://{project}"}))
    return folder


def test_cursor(tmp_path: Path) -> None:
    folder = cursor(tmp_path / "User")
    drafts, report = read("cursor", folder / "globalStorage" / "state.vscdb")
    assert said(drafts) == [
        ("user", "Make the buoy blink."),
        ("tool", ""),
        ("tool", "cc: error"),
        ("assistant", "It blinks."),
    ]
    assert drafts[0].payload["cwd"] == "/home/mina/buoy" and drafts[2].payload["writes"] == ["lamp.c"]
    assert drafts[3].payload["exit_code"] == 2 and at(drafts[4]) == "2026-05-05T05:00:20+00:00"
    assert report.skipped == {"malformed entry": 1, "rejected call": 1, "deleted message": 1}
    old, _ = read("cursor", folder / "workspaceStorage" / "w1" / "state.vscdb")
    assert (
        said(old) == [("user", "Old chat?"), ("assistant", "Old answer.")] and at(old[1]) == "2023-11-14T22:13:20+00:00"
    )


def test_exports() -> None:
    drafts, report = read("chatgpt", fixture("chatgpt"))
    assert said(drafts) == [("user", "Which knot holds a fender?"), ("tool", "A clove hitch is usual."),
                            ("assistant", "Use a clove hitch with a half hitch on top.")]  # fmt: skip
    assert drafts[2].payload["input"] == {"input": "fender knot"} and at(drafts[1]) == "2026-01-05T08:00:01+00:00"
    assert report.skipped == {"superseded answer": 1, "malformed conversation": 1}
    drafts, report = read("claude", fixture("claude"))
    assert said(drafts) == [("user", "Which sail for thirty knots of wind?"), ("assistant", "Hoist the storm jib and a third reef."),
                            ("tool", "storm jib")]  # fmt: skip
    assert report.skipped == {"attachment": 1}


def test_an_export_may_stay_in_its_zip_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(fixture("chatgpt"), "user/conversations.json")
    assert programs.recognise_program(tmp_path / "export.zip") == "chatgpt"
    assert said(read("chatgpt", tmp_path / "export.zip")[0]) == said(read("chatgpt", fixture("chatgpt"))[0])


def test_json_lines_of_any_program() -> None:
    drafts, report = read("jsonl", fixture("jsonl"))
    assert said(drafts) == [("user", "Paint the pier."), ("assistant", "Which colour?"), ("user", "Is the slipway open?"),
                            ("tool", "open until six"), ("assistant", "Yes, until six.")]  # fmt: skip
    assert {draft.session for draft in drafts} == {"pier", "chat-9"} and at(drafts[1]) == "2026-04-01T08:00:00+00:00"
    assert drafts[-2].payload["command"] == "slipway status"
    assert report.skipped == {"malformed line": 1, "record without role and text": 2}


def test_every_form_is_recognised(tmp_path: Path) -> None:
    found = {path.parent.name: program.name for path, program in programs.chat_files(FIXTURES)}
    assert found == {
        "codex": "codex",
        "chats": "gemini",
        "4f": "gemini",
        "chatgpt": "chatgpt",
        "claude": "claude",
        "jsonl": "jsonl",
    }
    (tmp_path / "package.json").write_text('{"name": "x"}')
    (tmp_path / "bad.zip").write_bytes(b"PK nothing")
    assert programs.chat_files(tmp_path) == []
    with pytest.raises(UsageError):
        programs.chat_files(tmp_path, "emacs")


def test_twice_is_once_and_an_unchanged_file_is_not_read_again(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    shutil.copytree(FIXTURES, folder)
    first = memory.ingest("sessions", folder)
    assert first.kinds == {"sessions": 7, "prompts": 7, "answers": 8, "tool calls": 9}, first
    again = memory.ingest("sessions", folder)
    assert again.new == 0 and again.known == first.new and not again.skipped
    path = folder / "jsonl" / "chat.jsonl"
    path.write_text(
        path.read_text() + json.dumps({"session": "pier", "role": "user", "content": "Blue.", "id": "3"}) + "\n"
    )
    grown = memory.ingest("sessions", folder)
    assert (
        grown.new == 1
        and grown.known == first.new
        and grown.skipped == {"malformed line": 1, "record without role and text": 2}
    )


def test_only_sessions_of_the_repository(memory: Memory, repository, make_repository, tmp_path: Path) -> None:
    repository.commit("x", {"src/a.py": "1"})
    neighbour = make_repository(repository.path.name + "2")
    folder = tmp_path / "chats"
    folder.mkdir()
    places = {"in": repository.path, "deep": repository.path / "src", "out": neighbour.path, "gone": repository.path / "no" / "more",
              "beside": Path(str(repository.path) + "3")}  # fmt: skip
    for number, (name, cwd) in enumerate(places.items()):
        meta = {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": name, "cwd": str(cwd)}}
        turn = {"type": "response_item", "timestamp": "2026-01-01T00:00:01Z",
                "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": name}]}}  # fmt: skip
        (folder / f"rollout-{number}.jsonl").write_text(json.dumps(meta) + "\n" + json.dumps(turn))
    report = memory.ingest("sessions", folder, program="codex", root=repository.path)
    assert {event.session for event in memory.history() if event.session} == {"in", "deep", "gone"}
    assert report.skipped == {"session of another project": 2}
    assert memory.ingest("sessions", folder, program="codex").kinds["sessions"] == 2  # all: those that were left out


def test_secrets_never_reach_the_store(memory: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps({"role": "user", "content": f"use {secret} please", "id": "1"}))
    memory.ingest("sessions", path)
    assert not any(
        secret[8:] in read_stored(file).decode("latin-1") for file in memory.location.iterdir() if file.is_file()
    )


def test_a_limit_cuts_every_session(memory: Memory) -> None:
    report = memory.ingest("sessions", FIXTURES, limit=1)
    assert report.new == 14 and report.skipped["turn beyond the limit"] == 17, report
    assert memory.ingest("sessions", FIXTURES).new == 17


@given(st.lists(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
                             lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                                 st.sampled_from(["type", "payload", "role", "content", "messages", "mapping", "chat_messages", "id", "parts",
                                                  "message", "author", "toolCalls", "call_id", "output", "arguments", "text", "sessionId"]),
                                 inner, max_size=4), max_leaves=12), max_size=5))  # fmt: skip
def test_no_json_stops_a_reader(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("any")
    texts = {"a.jsonl": "\n".join(map(json.dumps, records)), "a.json": json.dumps(records)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name, program in programs.PROGRAMS.items():
        path = folder / ("a.json" if name in ("gemini", "chatgpt", "claude") else "a.jsonl")
        if name != "cursor":
            for draft in program.read(path, ImportContext("demo", IngestReport("sessions"))):
                assert draft.dedupe_key and isinstance(draft.payload.get("content", ""), str)


def test_times_and_commands_as_programs_write_them() -> None:
    whole = 1767225600000000
    assert {parse_time(value) for value in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00", 1767225600, 1767225600.0, 1767225600000, whole,
                                        "1767225600")} == {whole}  # fmt: skip
    assert parse_time("soon") == parse_time(None) == parse_time(True) == parse_time(float("inf")) == parse_time([]) == 0
    assert spoken_text(["bash", "-lc", "a | b"]) == "a | b" and spoken_text("x") == "x" and spoken_text(None) == ""
