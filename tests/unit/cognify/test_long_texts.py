"""Reading statements takes no time out of proportion: a text that almost fits a form must not stop a store."""

from __future__ import annotations

import subprocess
import sys

READ = """
import itertools
from graphmem.cognify.claims import claim_of, claim_clause
from graphmem.cognify.statements import find_statements
from graphmem.cognify.subjects import relative_path, subject_of
from graphmem.tasks.extract import listings, prose
starts = ["We changed the ", "I moved ", "The team agreed to move the ", "Use ", "Added ", "The ", "- [ ] ", "bd-a1: ", "- ", "",
          "프로젝트는 ", "기본 ", "a can't be ", "is waiting for "]
parts = ["a" * 60, "word " * 60, "some_long_identifier " * 12, "a/b/c/" * 60, "가나다 " * 60, "는 은 " * 60, "x, " * 60, "a-b." * 60,
         "from to " * 40, "is now " * 40, "until " * 40, "[P2] " * 40, "(a " * 40, "' " * 60]
for start, part in itertools.product(starts, parts):
    for text in (start + part, start + part + "!", start + part + " to"):
        claim_of(text), claim_clause(text), subject_of(text, {}), relative_path(text, "/home")
        list(find_statements(text, standing_orders=True)), list(prose.blocked(text)), list(prose.tasks_of_checklist(text))
        list(listings.issues_of_bd(text)), list(listings.issues_of_gh(text, ""))
"""


def test_no_text_takes_forever() -> None:
    subprocess.run([sys.executable, "-c", READ], check=True, timeout=300)  # a few seconds; endless before
