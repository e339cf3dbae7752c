"""Answers that need no second search: places of unresolved calls with their functions, what a filter leaves out, comments before a
definition, reasons and narrow patches of a history, and clones that lack objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.code.commit_reasons import first_sentences, narrow_patch
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.text.code import calls_text, impact_text
from graphmem.interfaces.text.history import commit_line, commits_end

LIBRARY = '''"""The library."""

import json
from dataclasses import dataclass
from typing import Protocol


class Port(Protocol):
    def send(self, text): ...


class Mail:
    def send(self, text):
        return json.dumps(text)


# Sends the text twice.

def twice(mail: Mail):
    mail.send("a")
    return mail.send("b")


@dataclass
class Row:
    mark: str


def read(row: Row):
    if row.mark:
        return row.mark
    return json.dumps(twice(Mail()))


def unknown(given, other):
    given.send(1)
    other.send(2)


def reads(given):
    return given.mark
'''
TESTS = "from library import Mail, twice\n\n\nclass Fake:\n    def send(self, text): ...\n\n\ndef test_twice():\n    twice(Mail())\n"


def fill_repository(repository: Repository) -> None:
    old = LIBRARY.replace('mail.send("b")', 'mail.send("c")')
    repository.commit("Add the library", {"library.py": old})
    reason = "The receiver wants b.  It refuses\nc since May.\n\nTested: by hand\nSigned-off-by: a <a@b>"
    repository.commit(f"Send b\n\n{reason}", {"library.py": LIBRARY}, at=1_700_100_000)
    repository.commit("Use it", {"use.py": "import library\n", "tests/test_library.py": TESTS}, at=1_700_200_000)


def test_unresolved_calls_have_their_functions(memory: Memory, tree: Path) -> None:
    found = memory.code.callers("Mail.send")
    assert found.open_places == ("library.py:36", "library.py:37")
    assert found.open_functions == ("unknown", "unknown")
    assert "(library.py:36 unknown, 37 unknown)" in calls_text(found)[1]
    assert "library.py:36 unknown, 37 unknown" in impact_text(memory.code.impact("Mail.send"))[1]
    assert any("library.py:36 unknown, 37 unknown" in line for line in memory.code.explain("Mail.send").lines)


def test_lines_that_are_listed_are_not_unresolved(memory: Memory, tree: Path) -> None:
    found = memory.code.callers("Row.mark")
    assert [(call.symbol.name, call.line, call.further) for call in found.calls] == [("library.read", 30, (31,))]
    assert found.open_places == ("library.py:41",)
    assert memory.code.impact("Row.mark").open_places == ("library.py:41",)


def test_what_a_filter_leaves_out_is_counted(memory: Memory, tree: Path) -> None:
    found = memory.code.callers("twice", path="use.py")
    assert (found.total, found.hidden, found.hidden_tests) == (0, 2, 1)
    assert "the filter leaves out 2 more (1 in tests and examples)" in calls_text(found)[1]
    assert "no unresolved call" not in calls_text(found)[1]
    text = memory.code.text("twice(Mail())", no_tests=True)
    assert (text.total, text.hidden) == (1, 1) and "--no-tests leaves out 1 line" in FORMS[type(text)](text)[1]
    ports = memory.code.implementations("Port", no_tests=True)
    assert [row.symbol.name for row in ports.implemented_by] == ["library.Mail"] and ports.hidden == 1
    assert memory.code.implementations("Port", path="tests").hidden == 1
    assert [record.path for record in memory.code.files(no_tests=True)] == ["library.py", "use.py"]
    assert memory.code.todos(path="use.py").rows == [] and memory.code.routes(path="use.py").routes == ()


def test_calls_of_the_tree_come_before_those_of_libraries(memory: Memory, tree: Path) -> None:
    names = [call.symbol.name for call in memory.code.callees("read").calls]
    assert names[-1] == "json.dumps" and set(names[:-1]) == {"library.Mail", "library.twice"}
    cut = memory.code.callees("read", limit=2)
    assert cut.left_out == 1 and not any(call.symbol.external for call in cut.calls)


@pytest.mark.parametrize("line", [17, 18, 19])
def test_a_comment_before_a_definition_means_it(memory: Memory, tree: Path, line: int) -> None:
    assert memory.code.callers(f"library.py:{line}").symbol.name == "library.twice"
    assert memory.code.callers("library.py:3").symbol.kind == "module"


def test_a_history_has_reasons_and_narrow_patches(memory: Memory, tree: Path) -> None:
    rows = memory.code.history("twice", reasons=True)
    assert [row["reason"] for row in rows.to_dicts()] == ["The receiver wants b.", ""]
    assert commit_line(rows.rows[0]).endswith("Send b\n  The receiver wants b.")
    assert commits_end(rows) == "2 commits; --patch shows what each changed"
    assert len(memory.code.history("twice").columns) == 5
    (_, reason, patch), (_, _, added) = memory.code.hunks("twice").commits
    assert reason == "The receiver wants b. It refuses c since May."
    assert patch == '@@ -20 +20 @@\n     mail.send("a")\n-    return mail.send("c")\n+    return mail.send("b")'
    assert added.count("\n+") >= 2 and "diff --git" not in added


def test_reasons_are_no_trailers_or_marks() -> None:
    assert first_sentences("Constraint: none\nRejected: all", 1) == ""
    assert first_sentences("* fix(a): stop it\n* fix(b): start it", 1) == "fix(a): stop it"
    patch = "--- a/x.py\n+++ b/y.py\n@@ -1,9 +1,9 @@\n a\n-b\n+B\n c\n d\n e\n-f\n+F\n"
    assert narrow_patch(patch, "z.py") == ("y.py\n@@ -1 +1 @@\n a\n-b\n+B\n c\n@@ -5 +5 @@\n e\n-f\n+F", "x.py")


def test_patches_are_searched_where_objects_are_missing(memory: Memory, tree: Path) -> None:
    blob = Repository.git(_At(tree), "rev-parse", "HEAD~2:library.py").strip()  # type: ignore[arg-type]
    (tree / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found = memory.code.patches("test_twice")
    assert [match.commit.subject for match in found.commits] == ["Use it"] and found.unread == 2
    assert "2 commits not fully read" in FORMS[type(found)](found)[1]
    assert memory.code.patches("import library", path="use.py").unread == 0


class _At:
    """A repository by its path alone."""

    def __init__(self, path: Path) -> None:
        self.path = path


def test_tests_of_a_file_have_their_nearest_distance_and_importers(memory: Memory, tree: Path) -> None:
    plan = memory.code.tests("library.py")
    assert [place.file for place in plan.importers] == ["use.py"]
    text = FORMS[type(plan)](plan)[0]
    assert "tests/test_library.py  1 step" in text and "imported by 1 file: use.py" in text
