"""Source code with links: everything is escaped, nothing is lost, and only names lead anywhere."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import Memory
from graphmem.errors import NotFound
from graphmem.interfaces.web.source_view import Margin, Target, read_targets, source_html

LEAD = {(2, "checked"): Target("ledger.checked", "ledger.py", "def checked(cents)")}


def shown(page: str) -> list[str]:
    """The lines of the source that a page shows."""
    code = page[page.index('<td class="code">') :]
    return [html.unescape(re.sub(r"<[^>]+>", "", line)) for line in re.findall(r'<span class="line[^"]*">(.*?)</span>(?=<span class="line|</pre>)', code, re.S)]  # fmt: skip


def test_a_name_is_a_link_where_it_leads_and_nowhere_else() -> None:
    page = source_html("a.py", "checked = 1\nchecked(2)  # checked\n'checked'\n", LEAD, {2}, "ledger.checked")
    assert page.count("<a ") == 1
    assert 'class="to chosen" href="/code?file=ledger.py&amp;symbol=ledger.checked" title="def checked(cents)"' in page
    assert page.count("hll") == 1


def test_the_last_commit_of_lines_has_their_height() -> None:
    blame = {2: Margin("2026-11-01 Ada", "/item?id=commit:1", "Ada: Add it"), 4: Margin("", "", "")}
    page = source_html("a.py", "a\nb\nc\nd\n", {}, (), blame=blame)
    heights = re.findall(r'<span class="run" style="--lines:(\d+)">(<a)?', page)
    assert heights == [("1", ""), ("2", "<a"), ("1", "")]  # not committed, a commit, not committed


@given(st.text(max_size=200), st.sampled_from(["a.py", "a.ts", "a.unknown", "README.md"]))
def test_any_source_is_escaped_and_whole(text: str, path: str) -> None:
    page = source_html(path, text, {}, ())
    assert set(re.findall(r"<(/?\w+)", page)) <= {
        *("table", "tbody", "tr", "td", "pre", "span"), *("/table", "/tbody", "/tr", "/td", "/pre", "/span"),
    }  # fmt: skip
    lines = shown(page)
    wanted = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert len(wanted) - 1 <= len(lines) <= len(wanted)


@pytest.mark.parametrize("hostile", ["<img src=x onerror=alert(1)>", "'\"><script>alert(1)</script>", "&lt;b&gt;"])
def test_what_would_run_is_text(hostile: str) -> None:
    target = {(1, "f"): Target(hostile, hostile, hostile)}
    page = source_html("a.py", f"f('{hostile}')\n", target, ())
    assert "<img" not in page and "<script" not in page and html.escape(hostile) in page


def test_references_lead_from_a_name_to_its_definition(tmp_path: Path) -> None:
    (tmp_path / "ledger.py").write_text("def checked(cents):\n    return int(cents)\n\n\ndef charge(cents):\n    return checked(cents)\n")  # fmt: skip
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}, daemon=False) as mem:
        mem.index_code(tmp_path)
        found = read_targets(mem.code.references("ledger.py"))
        with pytest.raises(NotFound):
            mem.code.references("nowhere.py")
    assert found[6, "checked"].symbol == found[1, "checked"].symbol == "ledger.checked"
    assert found[6, "checked"].signature == "def checked(cents)"
