"""Files that are not what they should be: truncated, endless, nested without end, of another encoding, with values of any type.
None ends in a raw error, and whatever of it can be read is kept and the rest counted."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import EXPLORES, examples

from graphmem import Memory
from graphmem.extract import foreign
from graphmem.extract.chats.turns import parse_time
from graphmem.model.sources import IngestReport

QUIET = {"embedding.provider": "none"}
DEEP = "[" * 100_000 + "]" * 100_000
ODD: dict[str, str] = {
    "null": "null", "a number": "5", "a huge number": "9" * 500, "an endless number": "9" * 5_000, "a float": "1e400", "a list": "[]",
    "an object": "{}", "true": "true", "a text": '"x"', "a surrogate": '"\\ud800"', "a NUL": '"\\u0000"', "deep": DEEP,
    "a list of lists": '[[["a"]]]', "a list of nulls": "[null, null]", "an object of null": '{"text": null}',
}  # fmt: skip
WHERE: dict[str, list[str]] = {
    "claude-code": ["sessionId", "timestamp", "cwd", "uuid", "message", "message.content", "message.content.0.text", "type"],
    "codex": ["timestamp", "payload", "payload.content", "payload.role", "payload.id", "payload.type"],
    "jsonl": ["role", "content", "session", "at", "id", "messages", "tool_calls", "cwd"],
    "gemini": ["type", "content", "timestamp", "id", "toolCalls"],
    "claude": ["uuid", "chat_messages.0", "chat_messages.0.content", "chat_messages.0.created_at", "created_at", "chat_messages.0.attachments"],
    "chatgpt": ["mapping.b.message", "mapping.b.parent", "mapping.b.message.author", "mapping.b.message.content.parts", "create_time", "current_node"],
}  # fmt: skip


def turn(program: str, text: str, number: int, session: str = "s") -> dict[str, Any]:
    """One sound record of a session of a program."""
    at = f"2026-01-01T00:00:{number:02}Z"
    said = {"type": "text", "text": text}
    tree = {"a": {"id": "a", "parent": None, "children": ["b"], "message": None},
            "b": {"id": "b", "parent": "a", "children": [], "message": {"id": f"m{number}", "author": {"role": "user"}, "create_time": 1_767_225_600 + number,
                                                                        "content": {"content_type": "text", "parts": [text]}}}}  # fmt: skip
    return {
        "claude-code": {"type": "user", "sessionId": session, "uuid": f"u{number}", "timestamp": at, "cwd": "/w", "message": {"role": "user", "content": [said]}},
        "codex": {"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": "user", "id": f"i{number}", "content": [said]}},
        "jsonl": {"role": "user", "content": text, "session": session, "at": at, "id": f"r{number}"},
        "gemini": {"type": "user", "content": text, "timestamp": at, "id": f"g{number}"},
        "claude": {"uuid": f"c{number}-{session}", "created_at": at, "chat_messages": [{"uuid": f"x{number}", "sender": "human", "created_at": at, "content": [said]}]},
        "chatgpt": {"id": f"t{number}-{session}", "create_time": 1_767_225_600 + number, "current_node": "b", "mapping": tree},
    }[program]  # fmt: skip


def spoilt(record: dict[str, Any], path: str, odd: str) -> str:
    """The JSON of a record with an odd value in one place."""
    mark = '"@odd@"'
    at: Any = record
    *parents, last = path.split(".")
    for name in parents:
        at = at[int(name) if name.isdigit() else name]
    at[int(last) if last.isdigit() else last] = "@odd@"
    return json.dumps(record).replace(mark, odd)


def written(folder: Path, program: str, texts: list[str], session: str = "s") -> Path:
    """A file of a program with these records of a session, as JSON each."""
    if program in ("claude", "chatgpt"):
        path = folder / "conversations.json"
        path.write_text("[" + ", ".join(texts) + "]", "utf-8")
    elif program == "gemini":
        path = folder / "session.jsonl"
        path.write_text("\n".join([json.dumps({"sessionId": session, "projectHash": "h"}), *texts]), "utf-8")
    else:
        path = folder / (f"rollout-{session}.jsonl" if program == "codex" else "chat.jsonl")
        path.write_text("\n".join(texts), "utf-8")
    return path


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", project="demo", settings=QUIET) as memory:
        yield memory


def prompts(mem: Memory) -> set[str]:
    return {event.payload["content"] for event in mem._store.log.read(types=["user_prompt"])}


@pytest.mark.parametrize("program", WHERE)
def test_an_odd_value_anywhere_loses_no_other_record(tmp_path: Path, mem: Memory, program: str) -> None:
    """Some hundred files: each field of each program with each odd value, between two sound records. Daily a third of these:
    each field with five values, and each value in some field."""
    cases = 0
    for which, place in enumerate(WHERE[program]):
        for number, (name, odd) in enumerate(ODD.items()):
            if not EXPLORES and (which + number) % 3:
                continue
            folder = tmp_path / program / place / str(number)
            folder.mkdir(parents=True)
            before, after = f"before {place} {name}", f"after {place} {name}"
            session = f"{program}-{cases}"
            texts = [
                json.dumps(turn(program, before, 1, session)),
                spoilt(turn(program, "odd one", 2, session), place, odd),
                json.dumps(turn(program, after, 3, session)),
            ]
            path = written(folder, program, texts, session)
            report = mem.ingest("sessions", path, program=program)
            assert isinstance(report, IngestReport) and not report.errors, (place, name, report.errors)
            found = prompts(mem)
            assert before in found and after in found, (place, name, report)
            cases += 1
    mem.process()
    assert mem.search("before content").hits and mem.health()["set_aside"] == []


TEXT = json.dumps(turn("jsonl", "a line before", 1)) + "\n"
LAST = json.dumps(turn("jsonl", "a line after", 3)) + "\n"
FILES: dict[str, bytes] = {
    "a mark of UTF-8": b"\xef\xbb\xbf" + (TEXT + LAST).encode(),
    "UTF-16 with a mark": (TEXT + LAST).encode("utf-16"),
    "UTF-16 without one": (TEXT + LAST).encode("utf-16-le"),
    "UTF-16 the other way": (TEXT + LAST).encode("utf-16-be"),
    "UTF-32": (TEXT + LAST).encode("utf-32"),
    "bytes of another encoding": TEXT.encode() + "{\"role\": \"user\", \"content\": \"café\"}\n".encode("latin-1") + LAST.encode(),
    "lines of garbage": TEXT.encode() + b"\x00\x01\xff\n{\n}\n[1]\nnull\n\n\n" + LAST.encode(),
    "a line without end": TEXT.encode() + LAST.encode() + b'{"role": "user", "content": "trunc',
    "carriage returns": (TEXT + LAST).replace("\n", "\r\n").encode(),
    "ids twice": (TEXT + TEXT + LAST).encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_encodings_and_garbage_keep_the_lines_that_are_whole(tmp_path: Path, mem: Memory, name: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(FILES[name])
    report = mem.ingest("sessions", path)
    assert {"a line before", "a line after"} <= prompts(mem), report
    if "garbage" in name:
        assert sum(report.skipped.values()) == 5
    if name == "bytes of another encoding":
        assert "caf\ufffd" in prompts(mem)


def test_an_endless_line_is_passed_over_with_bounded_memory(
    tmp_path: Path, mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chat.jsonl"
    with path.open("wb") as file:
        file.write(TEXT.encode())
        file.write(b'{"role": "user", "content": "')
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n' + LAST.encode())
    report = mem.ingest("sessions", path)
    assert {"a line before", "a line after"} == prompts(mem) and report.skipped["line too long"] == 1


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("program", ["claude", "chatgpt"])
def test_a_truncated_export_keeps_what_is_whole(tmp_path: Path, mem: Memory, program: str, cut: float) -> None:
    texts = [json.dumps(turn(program, f"message {number}", number)) for number in range(20)]
    whole = "[" + ", ".join(texts) + "]"
    path = tmp_path / "conversations.json"
    path.write_text(whole[: int(len(whole) * cut)])
    report = mem.ingest("sessions", path, program=program)
    assert len(prompts(mem)) == int(20 * cut) or len(prompts(mem)) == int(20 * cut) - 1
    assert report.skipped["malformed conversation"] == 1


def test_circular_parents_end(tmp_path: Path, mem: Memory) -> None:
    record = turn("chatgpt", "in a circle", 1)
    record["mapping"]["a"]["parent"] = "b"
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([record]))
    mem.ingest("sessions", path, program="chatgpt")
    assert prompts(mem) == {"in a circle"}


def test_damaged_archives_are_one_sentence(tmp_path: Path, mem: Memory) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([turn("claude", "zipped", 1)] * 200))
    data = bytearray(path.read_bytes())
    data[60:90] = b"\xff" * 30
    path.write_bytes(bytes(data))
    report = mem.ingest("sessions", path, program="claude")
    assert report.skipped["unreadable file"] == 1 and "\n" not in report.errors[0]


@pytest.mark.parametrize(
    ("told", "year"),
    [("2026-01-01T00:00:00Z", 2026), (1_767_225_600, 2026), (1_767_225_600.5, 2026), ("1767225600", 2026), (1_767_225_600_000, 2026),
     (1_767_225_600_000_000, 2026), (1_767_225_600_000_000_000, 2026), ("1767225600000000000", 2026)],
)  # fmt: skip
def test_times_of_every_unit(told: object, year: int) -> None:
    from datetime import UTC, datetime

    assert datetime.fromtimestamp(parse_time(told) / 1e6, UTC).year == year


@settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    told=st.one_of(
        st.integers(), st.floats(), st.text(max_size=30), st.none(), st.lists(st.integers()), st.datetimes().map(str)
    )
)
def test_no_time_is_beyond_the_bounds(told: object) -> None:
    from graphmem.model.bounds import is_time

    assert is_time(parse_time(told))


@settings(max_examples=examples(100), deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=4, max_size=400),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_texts_with_a_mark_are_decoded(text: str, encoding: str) -> None:
    assert foreign.decode(text.encode(encoding)) == text
