"""A private section is gone before its text is cut into pieces, whatever cuts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import read_stored

from graphmem import Memory
from graphmem.errors import NotFound
from graphmem.extract import testruns
from graphmem.extract.chats import gemini
from graphmem.extract.chats.turns import Conversation, ImportContext
from graphmem.extract.git import read_commits
from graphmem.extract.terminal import snapshot_draft
from graphmem.extract.transcripts import Transcript
from graphmem.model.sources import IngestReport
from graphmem.privacy import filter_text, hollowed_parts, redact, strip_private_sections

pytestmark = pytest.mark.core
SPANNING = "# Doc\n\nbody\n\n<private>\nzqhiddenfirst stuff\n\n## zqhiddenheading\nzqhiddensecond\n</private>\n\nafter\n\n## End\n\nlast words\n"


def everything(memory: Memory, store: Path) -> str:
    """All that the store holds, in its files."""
    memory.process()
    files = [path for path in store.rglob("*") if path.is_file()]
    return "\n".join(read_stored(path).decode("utf-8", "replace") for path in files)


@given(st.lists(st.sampled_from(["a", "\n", "<private>", "</private>", "zqhidden", "`", "```\n", " "]), max_size=25))
def test_a_hollow_text_has_as_many_lines_and_hides_as_much(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert strip_private_sections(text).count("\n") == text.count("\n")
    assert redact(strip_private_sections(text)).text.count("zqhidden") <= redact(text).text.count("zqhidden")


def test_pieces_of_a_hollow_text_still_tell_of_the_section() -> None:
    first, second, third = hollowed_parts(["a <private>b\nc", "d", "e</private> f"])
    assert [filter_text(each).text for each in (first, second, third)] == ["a [PRIVATE]\n", "", " f"]
    assert filter_text(first).sections == 1


@pytest.mark.parametrize("source", ["documents", "files"])
def test_a_section_of_a_document_may_span_headings(memory: Memory, tmp_path: Path, source: str) -> None:
    (folder := tmp_path / "docs").mkdir()
    (folder / "README.md").write_text(SPANNING)
    (folder / "open.md").write_text("# Open\n\n<private>\nzqhiddenthird\n\n## zqhiddensub\nzqhiddenfourth\n")
    memory.ingest(source, folder)
    assert "zqhidden" not in everything(memory, tmp_path / "store")
    hits = memory.search("last words").hits
    assert hits[0].ref == "README.md:14" and memory.stats()["privacy"]["sections"] == 2


def test_a_section_of_a_log_may_span_commands(memory: Memory, tmp_path: Path) -> None:
    log = tmp_path / "work.log"
    log.write_text(
        "$ make\nError: one\n<private>\n$ zqhiddenlogin\nError: zqhiddenfailed\n</private>\n$ make test\nError: two\n"
    )
    memory.ingest("terminal", log)
    assert "zqhidden" not in everything(memory, tmp_path / "store")


def test_no_error_is_quoted_from_a_section_and_no_cut_opens_one() -> None:
    draft = snapshot_draft(
        "a <private>\nValueError: zqhiddenvalue\n" + "zqhidden\n" * 20_000 + "</private> b",
        project="p",
        at=1,
        exit_code=1,
    )
    assert "zqhidden" not in str(draft)


def test_blocks_of_a_message_are_one_text(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "see <private>zqhidden1"},
        {"type": "image"},
        {"type": "text", "text": "zqhidden2</private> after"},
    ]
    record = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": blocks}}
    drafts = list(Transcript(tmp_path, "p", IngestReport("sessions")).read([json.dumps(record).encode()]))
    assert "zqhidden" not in str(drafts) and "after" in str(drafts)


def test_no_commit_is_read_out_of_a_section(tmp_path: Path) -> None:
    chat = Conversation(ImportContext("p", IngestReport("sessions")), "program", "s", 1)
    output = "<private>\n[main abc1234] zqhiddensubject\n</private>\n[main def5678] told"
    told = list(chat.add_tool_call("Bash", {"command": "git commit"}, output))[-1]
    assert told.payload["commits"] == [["def5678", "told"]]


def test_parts_of_a_turn_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint-a.json"
    path.write_text(
        json.dumps(
            [{"role": "user", "parts": [{"text": "see <private>zqhidden1"}, {"text": "zqhidden2</private> after"}]}]
        )
    )
    drafts = list(gemini.read(path, ImportContext("p", IngestReport("sessions"))))
    assert "zqhidden" not in str(drafts) and "after" in str(drafts)


def test_a_commit_has_one_message_and_its_patch_may_be_cut(memory: Memory, repository, tmp_path: Path) -> None:
    repository.commit("See <private>zqhidden1\n\nzqhidden2</private> after", {"a.py": "a = 1\n"})
    repository.commit("More", {"b.py": "b = 1  # <private> zqhidden3\n" + "# zqhidden4\n" * 2_000 + "# </private>\n"})
    memory.ingest("git", repository.path)
    assert "zqhidden" not in everything(memory, tmp_path / "store")
    assert "<private>" in next(read_commits(repository.path)).subject  # as git has it


def test_what_a_failed_test_said_is_cut_behind_its_sections() -> None:
    told = "AssertionError: <private>" + "zqhidden " * 2_000 + "</private>"
    suite = {"name": "a.js", "assertionResults": [{"status": "failed", "fullName": "t", "failureMessages": [told]}]}
    for text in (
        json.dumps({"numTotalTests": 1, "testResults": [suite]}),
        f"<testsuite><testcase name='t'><failure>{told.replace('<', '&lt;')}</failure></testcase></testsuite>",
        f"---- t stdout ----\n{told}\n\nfailures:\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured",
    ):
        run = testruns.parse_report(text)
        assert run is not None and run.failures and "zqhidden" not in str(run)


SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_file_with_a_secret_in_its_path_is_skipped_and_not_named(memory: Memory, repository, tmp_path: Path) -> None:
    path = f"dir-{SECRET}/x.py"
    repository.commit("Add", {path: "def f():\n    return 1\n", "y.py": "def g():\n    return 2\n"})
    for _ in range(2):
        report = memory.init(repository.path).code
        assert (report.files, report.skipped) == (1, {"secret in path": 1})
    memory.index_code(repository.path, only=[path])
    memory.rebuild()
    assert SECRET not in everything(memory, tmp_path / "store")
    with pytest.raises(NotFound, match="secret in path"):
        memory.code.callers("dir-[REDACTED:github_token]/x.py")


def test_a_section_of_a_checklist_may_span_items(memory: Memory, tmp_path: Path) -> None:
    memory.tasks.load("- [ ] one\n<private>\n- [ ] zqhiddentwo\n</private>\n- [ ] three\n", "markdown")
    assert {task.title for task in memory.tasks.find()} == {"one", "three"} and "zqhidden" not in everything(
        memory, tmp_path / "store"
    )
