"""The public surface of two states of the code compared: names removed, changed, moved and added, in several languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.text.answers import FORMS

BEFORE = {
    "shop/__init__.py": "from shop.gate import Gate\n",
    "shop/gate.py": "class Gate:\n    def open(self): ...\n",
    "tools/check.py": "def check(): ...\n",
    "shop/cart.py": "LIMIT = 10\n\n\nclass Cart:\n    def __init__(self, owner):\n        self.owner = owner\n        self.size: int = 0\n\n"
    "    def add(self, item):\n        def inner():\n            pass\n        return inner\n\n    def drop(self): ...\n",
    "shop/tax.py": "def duty(amount, *, rate=0.1):\n    return amount * rate\n\n\ndef _round(x):\n    return x\n",
    "shop/old.py": "class Till:\n    def open(self): ...\n    def close(self): ...\n",
    "shop/_inner.py": "def hidden(): ...\n",
    "tests/test_cart.py": "def test_add(): ...\n",
    "web/index.ts": "export interface Item { name: string; price: number }\nexport function render(item: Item): string { return '' }\nfunction local() {}\n",
    "api/api.go": "package api\n\nfunc Serve(port int) error { return nil }\n\nfunc helper() {}\n",
}
AFTER = {
    "shop/gate.py": "__all__ = ('Other',)\n\n\nclass Gate:\n    def open(self): ...\n",  # its package offers it all the same
    "tools/check.py": "def check(path): ...\n",
    "shop/cart.py": "LIMIT = 20\n\n\nclass Cart:\n    def __init__(self, owner):\n        self.owner = owner.name\n        self.size: str = ''\n\n"
    "    def add(self, item, count=1):\n        def other():\n            pass\n        return other\n\n    def clear(self): ...\n",
    "shop/tax.py": "def _round(x, y):\n    return x\n",
    "shop/duties.py": "def duty(amount, *, rate=0.1):\n    return amount * rate\n",
    "shop/_inner.py": "def hidden(now): ...\n",
    "tests/test_cart.py": "def test_add(cart): ...\n",
    "web/index.ts": "export interface Item { name: string; price: bigint }\nexport function render(item: Item, to: Node): string { return '' }\n",
    "api/api.go": "package api\n\nfunc Serve(port int, host string) error { return nil }\n",
    "api/more.go": "package api\n\nfunc Stop() {}\n",
}


@pytest.fixture
def tree(memory: Memory, repository: Repository) -> Path:
    repository.commit("One", BEFORE)
    repository.git("tag", "v1")
    (repository.path / "shop/old.py").unlink()
    repository.commit("Two", AFTER, at=1_700_100_000)
    repository.git("tag", "v2")
    memory.index_code(repository.path)
    return repository.path


def test_what_breaks_comes_first_and_each_change_is_one_row(memory: Memory, tree: Path) -> None:
    found = memory.code.api_diff("v1", "v2")
    rows = [(row.change, row.symbol.name) for row in found.changes]
    assert rows == [
        ("removed", "shop.cart.Cart.drop"),
        ("removed", "shop.old"),
        ("changed", "api.Serve"),
        ("changed", "shop.cart.LIMIT"),
        ("changed", "shop.cart.Cart.size"),
        ("changed", "shop.cart.Cart.add"),
        ("changed", "web.index.Item.price"),
        ("changed", "web.index.render"),
        ("moved", "shop.duties.duty"),
        ("added", "api.Stop"),
        ("added", "shop.cart.Cart.clear"),
    ]
    assert found.counts == {"removed": 2, "changed": 6, "moved": 1, "added": 2} and found.left_out == 0
    by_name = {row.symbol.name: row for row in found.changes}
    assert by_name["shop.cart.Cart.add"].before == "def add(self, item)"
    assert by_name["shop.cart.Cart.add"].after == "def add(self, item, count=1)"
    assert (by_name["shop.duties.duty"].before, by_name["shop.duties.duty"].after) == (
        "shop.tax.duty",
        "shop.duties.duty",
    )
    assert by_name["shop.old"].members == 3  # the class and its methods


def test_a_state_is_compared_with_the_files_as_they_are(memory: Memory, tree: Path) -> None:
    assert memory.code.api_diff("v2").changes == ()
    (tree / "api/more.go").write_text("package api\n")
    memory.index_code(tree)
    (row,) = memory.code.api_diff("v2").changes
    assert (row.change, row.symbol.name) == ("removed", "api.Stop")
    assert memory.code.api_diff("v2", path="shop").changes == ()


def test_rows_that_do_not_fit_are_counted(memory: Memory, tree: Path) -> None:
    found = memory.code.api_diff("v1", "v2", limit=3)
    assert (len(found.changes), found.left_out, sum(found.counts.values())) == (3, 8, 11)
    assert memory.code.api_diff("v1", "v2", budget=60).left_out > 8


def test_bad_revisions_and_paths_are_refused(memory: Memory, tree: Path) -> None:
    for name in ("v9", "--all", ""):
        with pytest.raises(UsageError):
            memory.code.api_diff(name)
    with pytest.raises(NotFound, match="nothing public"):
        memory.code.api_diff("v1", path="nowhere")


def test_the_text_shows_both_signatures(memory: Memory, tree: Path) -> None:
    found = memory.code.api_diff("v1", "v2")
    text, end = FORMS[type(found)](found)
    assert "    - def add(self, item)\n    + def add(self, item, count=1)" in text
    assert "shop.tax.duty → shop.duties.duty" in text and "and 3 in it" in text
    assert end.startswith("2 removed, 6 changed, 1 moved, 2 added in the public surface from v1 (")


@pytest.mark.parametrize(
    "question", ["Which breaking changes are between v1.0 and v2.0?", "공개 API는 v1.0 이후 어떻게 바뀌었나?"]
)
def test_a_question_in_words_is_answered_by_it(memory: Memory, repository: Repository, question: str) -> None:
    repository.commit("One", {"shop.py": "def sell(item): ...\n"})
    repository.git("tag", "v1.0")
    repository.commit("Two", {"shop.py": "def sell(item, price): ...\n"}, at=1_700_100_000)
    repository.git("tag", "v2.0")
    memory.init(repository.path)
    found = memory.ask(question)
    assert found.type == "api changes"
    assert any("def sell(item) → def sell(item, price)" in line for line in found.lines)
    assert memory.ask("What broke in the public API?").lines[0].startswith("nothing changed")  # since the last tag
