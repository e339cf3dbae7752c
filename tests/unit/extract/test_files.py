"""A folder of everything: each file is read as what it is, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import UsageError
from graphmem.extract.files import UNKNOWN

JUNIT = '<testsuite name="unit"><testcase classname="a" name="b"><failure message="E: 3 != 4"/></testcase></testsuite>'
LOG = "$ make berth\ncc -o berth berth.c\nberth.c:3: error: expected expression\nmake: *** [berth] Error 1\n"
CHAT = [
    {"type": role, "sessionId": "s1", "uuid": f"u{role}", "timestamp": "2026-01-02T03:04:05Z",
     "message": {"role": role, "content": f"{role}: the crane stops at noon"}} for role in ("user", "assistant")
]  # fmt: skip


def filled(folder: Path) -> Path:
    texts = {
        "README.md": "# Harbour\n\nThe crane stops at noon.\n",
        "docs/README.md": "# Docs\n\nBerths are numbered from the sea.\n",
        "notes.txt": "The tide is high at six. The gate opens an hour before.\n",
        "words.txt": "anchor\nberth\ncrane\n",
        "build/reports/unit.xml": JUNIT,
        "coverage.json": json.dumps({"totals": {"percent_covered": 81.5}}),
        "data.json": json.dumps({"rows": [1, 2, 3]}),
        "terminal.log": LOG,
        "session.jsonl": "\n".join(map(json.dumps, CHAT)),
        "rows.jsonl": '{"a": 1}\n{"a": 2}\n',
        "crane.py": "print('up')\n",
        "node_modules/x/README.md": "# Foreign\n\nNot ours to read.\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    return folder


def test_every_kind_of_file_is_read_as_what_it_is(tmp_path: Path) -> None:
    folder = filled(tmp_path / "all")
    with Memory.open(tmp_path / "store", project="harbour") as mem:
        report = mem.ingest("files", folder)
        assert report.kinds == {
            "documents": 3,
            "sessions": 1,
            "prompts": 1,
            "answers": 1,
            "test runs": 1,
            "snapshots": 1,
        }
        assert report.skipped == {UNKNOWN: 4, "list or data": 1}
        again = mem.ingest("files", folder)
        assert (again.new, again.known) == (0, report.new)
        mem.process()
        paths = mem.cypher("MATCH (d:Document) RETURN DISTINCT d.path AS path ORDER BY path").rows
        assert paths == [["README.md"], ["docs/README.md"], ["notes.txt"]]
        (run,) = mem.cypher("MATCH (r:TestRun) RETURN r.failed, r.coverage").rows
        assert run == [1, 81.5]
        assert {hit.kind for hit in mem.search("crane noon", k=9).hits} >= {"turn", "document"}


@pytest.mark.parametrize("name", ["README.md", "build/reports/unit.xml", "terminal.log", "session.jsonl", "crane.py"])
def test_one_file_is_enough(tmp_path: Path, name: str) -> None:
    folder = filled(tmp_path / "all")
    with Memory.open(tmp_path / "store", project="harbour") as mem:
        assert mem.ingest("files", folder / name).new > 0


def test_an_option_that_a_source_does_not_know_is_refused(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="harbour") as mem:
        with pytest.raises(UsageError, match="`git` has no option `depth`; it has none"):
            mem.ingest("git", tmp_path, depth=3)
        with pytest.raises(UsageError, match=r"choose one of git, .*, files"):
            mem.ingest("newspapers")
