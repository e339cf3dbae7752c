"""Reports, long texts that tell of a fault: what they quote, and that code, history and talk stand first together."""

import pytest
from conftest import START

from graphmem.model.changes import Item
from graphmem.retrieve.reports import quoted_places

REPORT = """After the last release our importer drops the second of two equal rows although both carry a different receipt number
and the accountants miss entries every Monday. The importer should keep rows with different receipts. Expected: both rows are
kept and the summary counts two entries; observed: one row, one entry, and no warning anywhere in the output of the importer."""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('File "/usr/lib/python3/site-packages/shop/cart.py", line 3, in total', ["shop/cart"]),
        ("see shop.tax.rate", ["shop/tax/rate", "shop/tax"]),
        ("in `src/index.ts` and main.go", ["src/index", "main"]),
        ("nothing at all, e.g. this", []),
    ],
)
def test_quoted_places(text: str, places: list[str]) -> None:
    assert quoted_places(text) == places


def test_code_history_and_talk_stand_first_together(memory) -> None:
    symbols = [
        Item(f"s{n}", "symbol", f"importer.rows{n}", f"def rows{n}()\nKeep rows of the importer; entries of receipts are summed.",
             START, f"importer.py:{n + 1}", project="p")
        for n in range(6)
    ]  # fmt: skip
    memory.put(*symbols)
    memory.note("c", "Rows are equal where the receipts are.", kind="commit", title="Compare rows by receipt")
    memory.turns("Let us agree: two rows of the importer are equal only with the same receipt number.")
    memory.note("d", "The importer reads rows, receipts and entries of accountants.", kind="document", title="Importer")
    result = memory.retriever.search(REPORT, project="p", k=5)
    assert {hit.kind for hit in result.hits[:3]} == {"symbol", "commit", "turn"}
    chances = [hit.probability for hit in result.hits]
    assert chances == sorted(chances, reverse=True)
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
