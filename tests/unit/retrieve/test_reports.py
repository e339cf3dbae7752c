"""Reports, long texts that tell of a fault: what they quote, and that code, history and talk stand first together."""

import pytest
from retrieving import START

from graphmem.model.changes import Item
from graphmem.retrieve.reports import quoted_places, read_frames

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


DECIDED = (
    "The importer must keep both of two equal rows with a different receipt number: accountants count entries by receipt,"
    " so rows are only equal where the receipts are."
)


def _importer(memory) -> None:
    memory.put(
        *(
            Item(f"s{n}", "symbol", f"importer.rows{n}", f"def rows{n}()\nKeep rows of the importer; entries of receipts.",
                 START, f"importer.py:{n + 1}", project="p")
            for n in range(6)
        )
    )  # fmt: skip
    memory.note("d", "How to install the program on a new machine.", kind="document", title="Install")
    for n in range(6):  # a word of a small store would tell too much
        memory.note(f"o{n}", f"Colour number {n} of the chart.", kind="commit", title=f"Paint chart {n}")


def test_what_was_decided_on_the_very_matter_stands_before_the_code(memory) -> None:
    _importer(memory)
    memory.note("c", DECIDED, kind="commit", title="Compare rows by receipt")
    assert memory.ask(f"{REPORT} The fault is in importer.rows0.", k=5)[0] == "c"


def test_code_stands_before_what_shares_a_few_words_with_the_report(memory) -> None:
    _importer(memory)
    memory.note("c", "Release notes: the importer is faster.", kind="commit", title="Write release notes")
    memory.turns("I liked the output of the last release, the summary is neat.")
    assert memory.ask(REPORT, k=5)[0].startswith("s")


def test_the_talk_that_changed_a_decision_stands_for_the_one_that_made_it(memory) -> None:
    _importer(memory)
    memory.turns(DECIDED, "Agreed.", session="old")
    memory.turns("Amendment to the importer rule on rows with a different receipt number: rows without any are dropped.",
                 "Understood.", session="new", start=50)  # fmt: skip
    assert memory.ask(REPORT, k=5)[0] == "new50"


TRACE = """Adding up the cart of a customer without a name fails since the update, and the shop shows an error page instead of the sum.
Before the update the cart was added up and the sum was shown, with or without a name of the customer.

Traceback (most recent call last):
  File "/opt/app/site-packages/shop/page.py", line 12, in show
    return self.add_up(cart)
  File "/opt/app/site-packages/shop/cart.py", line 30, in fold
    return money.sum_of(cart.prices)
  File "/opt/app/site-packages/shop/vendor/money.py", line 7, in sum_of
    raise ValueError(name)
ValueError: the customer has no name
"""


def test_frames_of_other_languages_begin_with_the_innermost() -> None:
    script = "TypeError: no name\n    at Cart.addUp (src/cart.js:30:5)\n    at show (src/page.js:12:3)"
    assert read_frames(script) == [("src/cart.js", "addUp"), ("src/page.js", "show")]
    assert read_frames("lib/cart.rb:30:in `add_up'\n\tfrom lib/page.rb:12:in 'Page#show'") == [
        ("lib/cart.rb", "add_up"),
        ("lib/page.rb", "show"),
    ]
    assert read_frames("the file cart.py, line 3") == []


def test_the_innermost_own_frame_of_a_trace_is_the_likeliest_place(memory) -> None:
    def symbol(name: str, text: str, place: str) -> Item:
        return Item(name, "symbol", name, text, START, place, project="p", role="function")

    memory.put(
        symbol(
            "shop.customer.name_of", "def name_of(customer)\nThe name of a customer, or an error.", "shop/customer.py:3"
        ),
        symbol("shop.page.show", "def show(rows)\nShow rows.", "shop/page.py:10"),
        symbol("shop.cart.fold", "def fold(rows)\nFold rows.", "shop/cart.py:28"),
        symbol("shop.cart.empty", "def empty(rows)\nNo rows.", "shop/cart.py:40"),
        symbol(
            "shop.vendor.money.sum_of", "def sum_of(prices)\nThe sum, or an error if no name.", "shop/vendor/money.py:5"
        ),
        *(symbol(f"shop.colours.c{n}", f"def c{n}()\nColour {n}.", f"shop/colours.py:{n + 1}") for n in range(8)),
    )
    found = [hit.title for hit in memory.retriever.search(TRACE, project="p", kinds=["symbol"]).hits]
    assert found[0] == "shop.cart.fold"
    assert found.index("shop.vendor.money.sum_of") > found.index("shop.page.show")
