"""Documents are cut at their headings; nothing of the text is lost on the way."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Repository

from graphmem import Memory
from graphmem.extract import documents
from graphmem.extract.documents import find_documents, is_prose, split_sections
from graphmem.extract.headings import find_headings

pytestmark = pytest.mark.core

TEXT = """before

# One

first

## Two

```sh
# no heading
```

# Three
"""


def test_sections_carry_their_headings_and_lines() -> None:
    found = [(s.title, s.line) for s in split_sections(TEXT, "notes.md")]
    assert found == [("notes.md", 1), ("One", 3), ("One › Two", 7)]
    assert "# no heading" in list(split_sections(TEXT, "notes.md"))[2].text


def test_a_block_of_code_ends_at_its_own_fence() -> None:
    """Four backticks may contain three: the comments behind them were headings, and the headings code, to the end of the page."""
    page = (
        "# Use\n\n````md\n```sh\n# no heading\n````\n\n## Limits\n\n~~~\n```\n# no heading\n~~~\n\n### More\n\ntext\n"
    )
    assert [s.title for s in split_sections(page, "notes.md")] == ["Use", "Use › Limits", "Use › Limits › More"]
    assert [s.title for s in split_sections("``` inline ``` words\n\n# One\n\ntext\n", "a.md")] == ["a.md", "One"]


def test_rules_for_contributors_are_read_other_hidden_folders_are_not(tmp_path: Path) -> None:
    for name in (".github/CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE/fix.md", ".cache/notes.md", "docs/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# Title\n\nText.\n")
    found = {path.relative_to(tmp_path).as_posix() for path in find_documents(tmp_path)}
    assert found == {".github/CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE/fix.md", "docs/a.md"}


def test_translations_of_pages_are_read_without_doubtful_ones() -> None:
    berths, tides = split_sections(CATALOGUE, "ko/berths.po")
    assert berths.text == "선석\n\n열두 개가 있습니다."
    assert tides.text == "조수\n\nThey are high."


def test_yaml_is_looked_for_in_folders_of_manuals_and_notes_without_a_suffix_everywhere(tmp_path: Path) -> None:
    for name in (
        "docs/content/manual.yml",
        "ci/build.yml",
        "CHANGES",
        "src/CHANGES",
        "LICENSE",
        "po/ko.po",
        "site/a.mdx",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("title: one\n")
    found = {path.relative_to(tmp_path).as_posix() for path in find_documents(tmp_path)}
    assert found == {"docs/content/manual.yml", "CHANGES", "src/CHANGES", "po/ko.po", "site/a.mdx"}


def test_a_long_section_is_cut_at_blank_lines() -> None:
    parts = list(split_sections("# Long\n\n" + "word " * 300 + "\n\n" + ("line\n" * 900 + "\n") * 3, "x"))
    assert len(parts) > 1 and {part.title for part in parts} == {"Long"}


@given(
    st.lists(
        st.sampled_from(
            ["# A", "## B", "text", "", "```", "~~~", "# ", "===", "---", "----", "= C", "== D", "title: E"]
        ),
        max_size=30,
    ),
    st.sampled_from([".md", ".rst", ".adoc", ".txt", ""]),
)
def test_no_line_of_text_is_lost_or_doubled(lines: list[str], suffix: str) -> None:
    sections = list(split_sections("\n".join(lines), f"n{suffix}"))
    kept = [line for section in sections for line in section.text.split("\n") if line == "text"]
    titles = sum(heading.title == "text" for heading in find_headings(lines, f"n{suffix}"))
    assert lines.count("text") - titles <= len(kept) <= lines.count("text")
    assert [section.line for section in sections] == sorted({section.line for section in sections})


RST = """.. _start:

==========
Quickstart
==========

Handling :class:`Unknown` Fields
================================

Text.

=====  =====
A      B
=====  =====

A paragraph of two lines
that a rule ends.
-----

``load`` and `dump <x>`_
~~~~~~~~~~~~~~~~~~~~~~~~

More.

Next
====
Last.
"""
SETEXT = """Title
=====

Part [one](https://example.org) {#one}
--------------------------------------

Text
over two lines
---

- item
---
"""
FRONT = """---
title: "Getting started"
sidebar: 1
---

Text.

## Install

More.
"""
ASCIIDOC = """= Book

== Chapter

----
== no heading
----
"""
RELEASES = """# Changes

**1.3.0** (2026-02-15)

- bread

__1.2__:

- **1.1** was burnt

**Note**

Text.

## Older
- ashes
"""


PLAIN_RELEASES = """Crane Changes

Changes in 1.3.0

 * lifts 2.5 tons
1.2 was burnt

Version 1.2 (2026-02-15)
 * lowers
"""
MANUAL = """headline: Crane manual
body: |

  A crane lifts what it is given.
  title: no heading

sections:
  - title: Lifting
    entries: &all
      - title: "`lift(load)`"
        body: |
          It lifts the load.
          It never lets go of it.

      - title: lower
        body: |
          It lowers the load.
"""
CATALOGUE = """msgid ""
msgstr "Language: ko"

#: ../berths.rst:2
msgid "Berths"
msgstr "선석"

#: ../berths.rst:5
msgid ""
"There are \\"twelve\\" "
"of them."
msgstr "열두 개가 있습니다."

#: ../berths.rst:9
msgid "Tides"
msgstr "조수"

#, fuzzy
#: ../berths.rst:12
msgid "They are high."
msgstr "틀린 번역"

#: ../berths.rst:15
msgid "Fog"
msgstr ""

#: ../berths.rst:18
msgid "It is thick."
msgstr ""

#: src/crane.c:9
msgid "cannot lift"
msgstr "들 수 없음"
"""


@pytest.mark.parametrize(
    ("name", "text", "titles"),
    [
        ("a.rst", RST, [("Quickstart › Handling Unknown Fields", 7),
                        ("Quickstart › Handling Unknown Fields › `load` and dump", 20), ("Quickstart › Next", 25)]),
        ("a.txt", RST, [("Quickstart › Handling Unknown Fields", 7),
                        ("Quickstart › Handling Unknown Fields › `load` and dump", 20), ("Quickstart › Next", 25)]),
        ("a.md", SETEXT, [("Title › Part one", 4)]),
        ("a.md", FRONT, [("Getting started", 1), ("Getting started › Install", 8)]),
        ("a.md", RELEASES, [("Changes › 1.3.0 (2026-02-15)", 3), ("Changes › 1.2", 7), ("Changes › Older", 15)]),
        ("a.rst", RELEASES[11:], [("1.3.0 (2026-02-15)", 1), ("1.2", 5)]),
        ("a.adoc", ASCIIDOC, [("Book › Chapter", 3)]),
        ("a.rdoc", ASCIIDOC, [("Book › Chapter", 3)]),
        ("a.mdx", FRONT, [("Getting started", 1), ("Getting started › Install", 8)]),
        ("a.org", "* Quay :berth:\n** Crane\nOne.\n* Tide\nHigh.\n", [("Quay › Crane", 2), ("Tide", 4)]),
        ("CHANGES", PLAIN_RELEASES, [("CHANGES", 1), ("Changes in 1.3.0", 3), ("Version 1.2 (2026-02-15)", 8)]),
        ("docs/manual.yml", MANUAL, [("Crane manual", 1), ("Crane manual › Lifting", 8),
                                     ("Crane manual › Lifting › `lift(load)`", 10), ("Crane manual › Lifting › lower", 15)]),
        ("ko/berths.po", CATALOGUE, [("선석 (Berths)", 4), ("조수 (Tides)", 14)]),
    ],
)  # fmt: skip
def test_each_markup_has_its_headings(name: str, text: str, titles: list[tuple[str, int]]) -> None:
    assert [(section.title, section.line) for section in split_sections(text, name)] == titles


@pytest.mark.parametrize(
    "line", ["# " + " #" * 200_000, "= " + " =" * 200_000, "=" * 400_000 + "x", "[" * 400_000, ".. " + "a" * 400_000]
)
@pytest.mark.parametrize("name", ["a.md", "a.rst", "a.adoc", "a.org", "a.yml", "CHANGES"])
def test_long_lines_are_read_in_linear_time(name: str, line: str) -> None:
    started = time.process_time()
    list(split_sections(f"text\n\n{line}\n{line}\n", name))
    assert time.process_time() - started < 1


def test_a_document_that_was_cut_in_an_earlier_way_is_read_again(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.rst").write_text("Title\n=====\n\nText.\n\nBerths\n------\n\nTwelve.\n")
    with monkeypatch.context() as earlier:
        earlier.setattr(documents, "_FORMAT", 1)
        earlier.setattr(documents, "find_headings", lambda lines, name: ())
        assert memory.ingest("documents", tmp_path).new == 1
    assert [memory.ingest("documents", tmp_path).new for _ in range(2)] == [1, 0]
    memory.process()
    found = memory.search("title berths text", k=20, kinds=["document"]).hits
    assert sorted(hit.title for hit in found) == ["Title", "Title › Berths"]


@pytest.mark.parametrize(
    ("name", "text", "prose"),
    [
        ("notes.txt", "The parser is pure.\nIt reads no files.\n\nRelease on Friday", True),
        ("메모.txt", "파서는 파일을 읽지 않는다\n\n배포는 금요일에 한다", True),
        ("requirements.txt", "# pinned\nflask==3.0\nclick>=8.1\n", False),
        ("words.txt", "# Ordinary words.\nalpha, beta, gamma,\ndelta\n", False),
        ("README.txt", "alpha beta", True),
        ("list.md", "- alpha\n- beta", True),
        ("CHANGES", "- alpha\n- beta", True),
        ("manual.yml", MANUAL, True),
        ("settings.yml", "title: crane\nloads:\n  - one\n  - two\nrun: |\n  make all\n", False),
        ("ko.po", CATALOGUE, True),
        ("ko.po", CATALOGUE[-60:], False),
    ],
)
def test_lists_and_data_are_not_for_reading(name: str, text: str, prose: bool) -> None:
    assert is_prose(Path(name), text) is prose


def test_a_document_is_dated_by_its_last_change(memory: Memory, repository: Repository) -> None:
    repository.commit("One", {"docs/berths.md": "# Berths\n\nTwelve.\n", "docs/crane.md": "# Crane\n\nOne.\n"})
    repository.commit(
        "Two", {"docs/crane.md": "# Crane\n\nTwo of them.\n", "큰 배.md": "# 배\n\n크다.\n"}, at=1_700_100_000
    )
    edited = repository.path / "docs" / "berths.md"
    edited.write_text("# Berths\n\nThirteen.\n")
    new = repository.path / "new.md"
    new.write_text("# New\n\nNot committed.\n")
    for path, at in ((edited, 1_700_200_000), (new, 1_700_300_000)):
        os.utime(path, (at, at))
    memory.ingest("documents", repository.path)
    memory.process()
    found = memory.search("berths crane 배 new", k=20, kinds=["document"]).hits
    assert {hit.title: int(hit.at.timestamp()) for hit in found} == {
        "Crane": 1_700_100_000, "배": 1_700_100_000, "Berths": 1_700_200_000, "New": 1_700_300_000,
    }  # fmt: skip
