"""Transcripts of Claude Code: what was said and done comes back with the host's own times and ids, whatever the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.extract.transcripts import Transcript
from graphmem.model.sources import IngestReport

pytestmark = pytest.mark.core
NUMBERS = iter(range(10**9))


def record(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s1", "uuid": f"u{next(NUMBERS)}", "cwd": "/home/me/shop", "gitBranch": "main",
            "timestamp": "2026-02-11T21:41:44.800Z", "message": {"role": kind, "content": content}} | more  # fmt: skip


def call(name: str, identifier: str, **arguments: Any) -> dict[str, Any]:
    return record("assistant", [{"type": "tool_use", "id": identifier, "name": name, "input": arguments}])


def result(identifier: str, output: Any, **more: Any) -> dict[str, Any]:
    return record("user", [{"type": "tool_result", "tool_use_id": identifier, "content": output, **more}])


def read(tmp_path: Path, *records: Any) -> tuple[list[Any], IngestReport]:
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in records]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(lines))
    report = IngestReport("sessions")
    return list(Transcript(file, "shop", report).drafts()), report


def test_prompts_answers_and_calls_become_events(tmp_path: Path) -> None:
    drafts, _ = read(
        tmp_path,
        record("user", "Fix the cart"),
        record("assistant", [{"type": "text", "text": "I will."}, {"type": "thinking", "thinking": "…"}]),
        call("Edit", "t1", file_path="/home/me/shop/src/cart.py", new_string="x"),
        result("t1", "updated"),
        call("Bash", "t2", command="git commit -m x"),
        result("t2", "[main 1234567] Fix the cart\n 1 file changed"),
        call("Bash", "t3", command="false"),
        result("t3", "Exit code 3\nboom", is_error=True),
    )
    assert [d.type for d in drafts] == ["session_start", "user_prompt", "agent_response"] + ["tool_observation"] * 3
    assert drafts[0].payload["branch"] == "main" and drafts[1].at == 1770846104800000
    assert drafts[3].payload["writes"] == ["src/cart.py"]
    assert drafts[4].payload["commits"] == [["1234567", "Fix the cart"]] and drafts[4].payload["exit_code"] == 0
    assert drafts[5].payload["exit_code"] == 3 and drafts[5].payload["failed"] is True
    assert len({d.dedupe_key for d in drafts}) == len(drafts)


def test_a_call_at_the_end_waits_for_its_result(tmp_path: Path) -> None:
    drafts, report = read(tmp_path, call("Bash", "t1", command="sleep 9"))
    assert [d.type for d in drafts] == ["session_start"] and report.skipped == {"call without a result yet": 1}
    drafts, _ = read(tmp_path, call("Bash", "t1", command="sleep 9"), *[record("user", "go on")] * 300)
    assert drafts[-1].type == "tool_observation" and drafts[-1].payload["failed"] is True


def test_meta_records_are_not_the_users_words(tmp_path: Path) -> None:
    drafts, _ = read(tmp_path, record("user", "This session is continued", isCompactSummary=True))
    assert drafts[1].payload["role"] == "system"


@pytest.mark.parametrize(
    "line",
    [
        "{broken",
        "[]",
        "3",
        '"text"',
        "\x00\x01",
        '{"type": "user"}',
        '{"type": "user", "message": 1, "sessionId": "s"}',
    ],
)
def test_broken_lines_cost_themselves_only(tmp_path: Path, line: str) -> None:
    drafts, _ = read(tmp_path, line, record("user", "hello"))
    assert [d.payload.get("content") for d in drafts][-1] == "hello"


def test_an_unreadable_file_is_counted(tmp_path: Path) -> None:
    report = IngestReport("sessions")
    assert list(Transcript(tmp_path / "missing.jsonl", "p", report).drafts()) == [] and report.skipped == {
        "unreadable file": 1
    }


_JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(["type", "text", "id", "name", "input", "tool_use_id", "content", "is_error", "timestamp"]), inner, max_size=4), max_leaves=8)  # fmt: skip


@given(st.lists(_JSON, max_size=3), st.sampled_from(["user", "assistant"]))
def test_no_record_breaks_it(tmp_path_factory: pytest.TempPathFactory, content: list[Any], kind: str) -> None:
    read(tmp_path_factory.mktemp("t"), record(kind, content, timestamp=content[0] if content else None))
