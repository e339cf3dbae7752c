"""The benchmark of transcripts counts their lines, and refuses a folder without any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.bench import cognify
from graphmem.errors import UsageError


def test_lines_of_all_copies_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cognify, "_COPIES", (2,))
    session = "00000000-0000-4000-8000-000000000001"
    said = [
        ("user", "Please mend the lamp.\nIt is dark."),
        ("assistant", [{"type": "text", "text": "It glows again."}]),
    ]
    records = [
        {"type": who, "sessionId": session, "uuid": f"{n:08}-0000-4000-8000-000000000000", "cwd": "/work/lamp",
         "timestamp": f"2026-01-01T00:00:0{n}Z", "message": {"role": who, "content": content}}
        for n, (who, content) in enumerate(said)
    ]  # fmt: skip
    (tmp_path / f"{session}.jsonl").write_text("\n".join(map(json.dumps, records)))
    rows = list(cognify.run(tmp_path))
    assert [row[0] for row in rows] == [f"2 times {what}" for what in ("reading", "deriving", "both", "the same again")]
    assert rows[0][3] == "6 lines" and "lines/min" in rows[2][3] and "MB" in rows[3][3]


def test_a_folder_without_transcripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no transcripts"):
        list(cognify.run(tmp_path))
