"""`mem.code` and indexing: answers say what they do not know, and an edit is seen exactly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.errors import NotFound, StoreError, UsageError
from graphmem.interfaces.cli import render
from graphmem.interfaces.envelope import to_json_values
from graphmem.interfaces.text.code import calls_text, impact_text
from graphmem.tasks.formats.records import TaskRecord
from graphmem.text.tokens import count_tokens

CART = "class Cart:\n    def total(self):\n        return tax(sum(self.prices()))\n\n    def prices(self):\n        return []\n\n\ndef tax(n):\n    return n\n\n\ndef unused():\n    return outside.call()\n"


def fill_repository(repository: Repository) -> None:
    repository.commit(
        "Add the cart",
        {
            "shop/__init__.py": "",
            "shop/cart.py": CART,
            "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 0\n",
        },
    )


def test_callers_callees_and_definition(memory: Memory, tree: Path) -> None:
    callers = memory.code.callers("tax")
    assert [(c.symbol.name, c.line) for c in callers.calls] == [("shop.cart.Cart.total", 3)] and callers.open_sites == 0
    assert {c.symbol.name for c in memory.code.callees("Cart.total").calls} >= {
        "shop.cart.tax",
        "shop.cart.Cart.prices",
    }
    assert memory.code.definition("shop/cart.py", 3, 16).name == "shop.cart.tax"
    assert memory.code.definition("shop/cart.py", 9, 4).name == "shop.cart.tax"
    assert (
        memory.code.definition("shop/cart.py:3:16").name
        == memory.code.definition("shop/cart.py:9").name
        == "shop.cart.tax"
    )
    with pytest.raises(NotFound, match="no symbol"):
        memory.code.callers("nobody")
    with pytest.raises(NotFound):
        memory.code.definition("shop/cart.py", 6, 0)
    with pytest.raises(UsageError):
        memory.code.definition("shop/cart.py", 0)
    with pytest.raises(UsageError, match="line numbers start at 1"):
        memory.code.definition("shop/cart.py")


PLACES = [
    ("shop/cart.py:9", "shop.cart.tax"), ("shop/cart.py:10:4", "shop.cart.tax"), ("{root}/shop/cart.py:9-10", "shop.cart.tax"),
    ("shop/cart.py:3", "shop.cart.Cart.total"), ("shop/cart.py:1", "shop.cart.Cart"), ("shop/cart.py:8", "shop.cart.tax"),
    ("shop/deco.py:4", "shop.deco.Shelf.one"), ("shop/deco.py:6", "shop.deco.Shelf.one"), ("shop/deco.py:2", "shop.deco.Shelf.size"),
    ("shop/deco.py:9", "shop.deco.many"), ("shop/deco.py:13", "shop.deco.many"), ("shop/deco.py:14", "shop.deco"),
]  # fmt: skip


def test_a_place_means_the_innermost_symbol_there(memory: Memory, tree: Path) -> None:
    (tree / "shop/deco.py").write_text(
        "class Shelf:\n    size = 1\n\n    @property\n    def one(self):\n        self.two = 2\n        return 1\n\n"
        "@overload\ndef many(x: int): ...\n@overload\ndef many(x: str): ...\ndef many(x): return x\n\nmany(1)\n"
    )
    memory.index_code(tree)
    for place, name in PLACES:
        check_place(memory, place.format(root=tree), name)


def check_place(memory: Memory, place: str, name: str) -> None:
    found = memory.code.callers(place)
    assert found.symbol.name == name and memory.code.callees(place).symbol == found.symbol
    assert {changed.name for changed in memory.code.impact(place).changed} == {name}
    assert memory.code.callers(name).calls == found.calls
    if name.endswith("many"):
        assert [call.line for call in found.calls] == [15] and found.symbol.line == 13
    if name == "shop.cart.tax":
        assert memory.code.callers(place, as_of="HEAD").calls and len(memory.code.history(place).rows) == 1


def test_both_arms_of_a_condition_are_one_function(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "m.c").write_text("#ifdef A\nint f(int a)\n{\n  return a;\n}\n#else\nint f(int a)\n{\n  return 2;\n}\n#endif\n"
                                  "int main() { return f(1); }\n")  # fmt: skip
    memory.index_code(tmp_path)
    by_place = [memory.code.callers(place) for place in ("f", "m.c:3", "m.c:8")]
    assert [[call.symbol.name for call in found.calls] for found in by_place] == [["m.main"]] * 3
    assert [found.symbol.line for found in by_place[1:]] == [2, 7]


def test_a_file_means_its_module(memory: Memory, tree: Path) -> None:
    found = memory.code.impact("shop/cart.py")
    assert [place.name for place in found.changed] == ["shop.cart"] and found == memory.code.impact("shop.cart")
    assert memory.code.callers("cart.py").symbol == memory.code.callers("shop.cart").symbol


def test_the_impact_of_a_file_names_its_tests(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "url.ts").write_text("export function parse(s: string) { return s }\n")
    (tmp_path / "url.test.ts").write_text('import { parse } from "./url"\ntest("parses", () => { parse("a") })\n')
    memory.index_code(tmp_path)
    whole, one = memory.code.impact("url.ts"), memory.code.impact("parse")
    assert whole.tests == one.tests != () and whole.risk >= one.risk > 0
    assert not memory.code.impact("--- a/url.ts\n+++ b/url.ts\n@@ -2,0 +3 @@\n+// x\n").tests


def test_of_a_file_that_was_not_read_it_is_said_why(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "huge.py").write_text("x = 1\n" * 200_000)
    memory.index_code(tmp_path)
    assert memory.code.outline("huge.py").skipped == "too large"
    for target in ("huge.py", "huge.py:3"):
        with pytest.raises(NotFound, match=r"huge\.py are unknown: it was not indexed \(too large\)"):
            memory.code.callers(target)


def test_what_lies_around_a_thing_is_shown_by_any_of_its_names(memory: Memory, tree: Path) -> None:
    (file,) = memory.cypher("MATCH (f:File {path: 'shop/cart.py'}) RETURN f.id").rows[0]
    assert memory.around(["shop/cart.py"]) == memory.around([file])
    with pytest.raises(NotFound, match=r"no item named `shop/card.py`"):
        memory.around(["shop/card.py"])


def test_what_is_left_out_takes_no_place_of_what_is_shown(memory: Memory, tree: Path) -> None:
    whole = memory.around(["shop/cart.py"])
    others = {node["label"] for node in whole["nodes"]} - {"File"}
    assert "Symbol" in others and len(others) > 1
    few = memory.around(["shop/cart.py"], limit=1, without=["Symbol"])
    assert len(few["edges"]) == 1 and all(node["label"] != "Symbol" for node in few["nodes"])
    every = memory.around(limit=500, without=["Symbol", "File"])
    assert not {node["label"] for node in every["nodes"]} & {"Symbol", "File"}


def test_a_prototype_means_the_function_that_it_declares(memory: Memory, tree: Path) -> None:
    (tree / "till.h").write_text("/* pay(now) */\nint *pay(int sum);\nint nowhere(void);\n")
    (tree / "till.c").write_text(
        '#include "till.h"\nint *pay(int sum) { return 0; }\nint day(void) { pay(1); return 0; }\n'
    )
    memory.index_code(tree)
    found = memory.code.callers("till.h:2")
    assert found.symbol.file == "till.c" and [call.symbol.name for call in found.calls] == ["till.day"]
    assert [memory.code.callers(f"till.h:{line}").symbol.kind for line in (1, 3)] == ["module", "module"]


def test_a_place_without_a_symbol_is_refused_in_a_sentence(memory: Memory, tree: Path) -> None:
    with pytest.raises(NotFound, match=r"no symbol at shop/cart.py:99: it has 14 lines"):
        memory.code.callers("shop/cart.py:99")
    with pytest.raises(NotFound, match=r"`shop/card.py` is not indexed"):
        memory.code.impact("shop/card.py:3")
    with pytest.raises(UsageError, match="start at 1"):
        memory.code.callees("shop/cart.py:0")
    (tree / "shop/cart.py").unlink()
    assert memory.code.callers("shop/cart.py:9").stale == ("shop/cart.py",)


def test_the_text_of_a_file_is_read_in_the_encoding_that_it_names(memory: Memory, tree: Path) -> None:
    (tree / "shop/menu.py").write_bytes(b"# coding: latin-1\n\x0c\ndef caf\xe9(): return caf\xe9()\n")
    memory.index_code(tree)
    assert "def café()" in memory.code.outline("shop/menu.py").text
    assert memory.code.definition("shop/menu.py", 3, 19).name == "shop.menu.café"


def test_the_line_of_a_call_is_one_of_the_file_beside_it(
    memory: Memory, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "shop/till.py").write_text("from shop.cart import tax\n\n\n\n\n\ndef pay():\n    return tax(1)\n")
    memory.index_code(tree)
    down, up = memory.code.callees("shop.till.pay"), memory.code.callers("tax")
    assert [(down.file(call), call.line, call.symbol.file) for call in down.calls] == [
        ("shop/till.py", 8, "shop/cart.py")
    ]
    assert ("shop/till.py", 8) in [(up.file(call), call.line) for call in up.calls]
    render.show("code callees", down)
    file, line = capsys.readouterr().out.splitlines()[:2]
    assert file == "shop/cart.py" and line.split()[:2] == ["8", "tax"]
    assert line.endswith(f"(line {down.calls[0].symbol.line})")


def test_a_file_that_is_there_is_meant_before_one_that_is_gone(
    memory: Memory, repository, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("Begin the till", {"till.py": "a = 1\n"})
    (tree / "till.py").unlink()
    repository.commit("Move the till", {"shop/till.py": "def pay(): pass\n"})
    memory.init(tree)
    monkeypatch.chdir(tree / "shop")
    assert [row[3] for row in memory.code.history("till.py").rows] == ["Move the till"]
    (tree / "shop/till.py").unlink()
    assert {row[3] for row in memory.code.history("till.py").rows} == {"Begin the till", "Move the till"}


@pytest.mark.parametrize("given", ["./shop/cart.py", "{root}/shop/cart.py", "../shop/cart.py", "shop/../shop/cart.py"])
def test_a_file_is_named_from_the_root_from_here_or_by_its_whole_path(
    memory: Memory, tree: Path, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "tests")
    path = given.format(root=tree)
    assert memory.code.outline(path).file == "shop/cart.py"
    assert memory.code.definition(path, 3, 16).name == "shop.cart.tax"
    assert len(memory.code.history(path).rows) == 1
    assert memory.code.outline("test_cart.py", as_of="HEAD").file == "tests/test_cart.py"
    (tree / "other").mkdir()
    for folder in ("shop", "other"):
        (tree / folder / "same.py").write_text("def one(): pass\n")
    memory.index_code(tree)
    assert memory.code.outline("cart.py").file == memory.code.callers("cart.py:9").symbol.file == "shop/cart.py"
    with pytest.raises(NotFound, match=r"several files; choose one: other/same.py, shop/same.py"):
        memory.code.callers("same.py:1")
    (tree / "shop/cart.py").unlink()
    memory.index_code(tree)
    assert len(memory.code.history(path).rows) == 1
    for other in ("/etc/passwd", "../../shop/cart.py", "\0", "~"):
        with pytest.raises(NotFound, match="is not indexed"):
            memory.code.outline(other)


def test_history_of_a_file_is_git_s_own(memory: Memory, repository) -> None:
    """Also what was committed since the graph was brought up to date, under names that git takes for patterns."""
    repository.commit("Begin", {"[a].py": "def one():\n    return 1\n" * 9, "a.py": "x = 1\n"}, at=1_700_000_000)
    memory.init(repository.path)
    repository.git("mv", "[a].py", "b*.py")
    repository.commit("Move", {"c.py": "y = 1\n"}, at=1_700_000_100)
    repository.commit("Mend", {"b*.py": (repository.path / "b*.py").read_text() + "z = 1\n"}, at=1_700_000_200)
    changes = {name: [(row[3], row[4]) for row in memory.code.history(name).rows] for name in ("b*.py", "a.py")}
    assert changes == {"b*.py": [("Mend", "M"), ("Move", "R"), ("Begin", "A")], "a.py": [("Begin", "A")]}
    shutil.rmtree(repository.path / ".git")
    assert [row[3] for row in memory.code.history("a.py").rows] == ["Begin"]


def test_the_source_of_an_overloaded_method_is_its_implementation(memory: Memory, tree: Path) -> None:
    (tree / "manager.ts").write_text(
        "export class Manager {\n  fetch(name: string): string\n  fetch(name: string, size: number): string[]\n"
        "  fetch(name: string, size?: number): any {\n    return [name, size]\n  }\n}\n"
    )
    memory.index_code(tree)
    found = memory.code.source("Manager.fetch")
    assert (found.first, found.last) == (4, 6) and "return [name, size]" in found.text


def test_declared_overloads_do_not_stand_for_the_function(memory: Memory, tree: Path) -> None:
    (tree / "shop/price.py").write_text(
        "from typing import overload\n\n\n@overload\ndef price(x: int) -> int: ...\n@overload\ndef price(x: str) -> str: ...\n"
        "def price(x):\n    return x\n\n\ndef bill():\n    return price(1)\n"
    )
    (tree / "shop/price.pyi").write_text("def price(x: int) -> int: ...\ndef _gone() -> int: ...\n")
    memory.index_code(tree)
    found = memory.code.callers("price")
    assert (found.symbol.line, [call.symbol.name for call in found.calls]) == (8, ["shop.price.bill"])
    assert memory.code.definition("shop/price.py", 13, 11).line == 8
    dead = memory.code.dead(exported=True)
    assert "shop.price._gone" not in {place.name for place, _ in dead.dead} and dead.spared["declaration"] == 1


def test_a_history_ends_where_another_function_stood(memory: Memory, tmp_path: Path) -> None:
    """Git follows lines, and would go on with a deleted function in the same place; a renamed one goes on."""
    repository = Repository(tmp_path / "repository")
    before = "def join_names(names, k):\n    out = [name.strip() for name in names]\n    return ', '.join(out)\n"
    after = "def raise_if_missing(path):\n    if not path.exists():\n        raise FileNotFoundError(path)\n    print(path)\n"
    for number, text in enumerate(
        (before, before.replace("', '", "'; '"), after, after.replace("raise_if_missing", "check"))
    ):
        repository.commit(f"Step {number}", {"m.py": text})
    memory.init(repository.path)
    rows = memory.code.history("check").rows
    assert [(row[3], row[4]) for row in rows] == [("Step 3", "M"), ("Step 2", "A")]
    assert [commit.subject for commit, _, _ in memory.code.hunks("check").commits] == ["Step 3", "Step 2"]
    query = "MATCH (c:Commit)-[r:CHANGED]->(s:Symbol {name: 'check'}) RETURN c.subject, r.change ORDER BY c.subject"
    assert memory.cypher(query).rows == [["Step 2", "A"], ["Step 3", "M"]]


def test_history_is_followed_through_merges_and_uncommitted_edits(memory: Memory, repository) -> None:
    lines = [f"def f{n}():\n    return {n}\n\n\n" for n in range(9)]
    text = "".join(lines)
    repository.commit("Begin", {"a.py": text}, at=1_700_000_000)
    main = repository.git("rev-parse", "--abbrev-ref", "HEAD").strip()
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("Above", {"a.py": text.replace("def f1()", "x = 1\n" * 8 + "\n\ndef f1()")}, at=1_700_000_100)
    repository.commit(
        "On the side",
        {"a.py": (repository.path / "a.py").read_text().replace("return 7", "return 70")},
        at=1_700_000_200,
    )
    repository.git("checkout", "-q", main)
    other = text.replace("return 5", "return 50").replace("def f3()", "y = 2\n" * 7 + "\n\ndef f3()")
    repository.commit("On the line", {"a.py": other}, at=1_700_000_150)
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side", at=1_700_000_300)
    memory.init(repository.path)
    subjects = lambda name: [row["subject"] for row in memory.code.history(name).to_dicts()]
    wanted = {"f7": ["On the side", "Begin"], "f5": ["On the line", "Begin"], "f3": ["Begin"], "f6": ["Begin"]}
    assert {name: subjects(name) for name in wanted} == wanted
    (repository.path / "a.py").write_text(
        "# one\n# two\n" + (repository.path / "a.py").read_text() + "def new():\n    pass\n"
    )
    memory.index_code(repository.path)
    assert {name: subjects(name) for name in wanted} == wanted
    assert subjects("new") == []
    assert [row["change"] for row in memory.code.history("f7").to_dicts()] == ["M", "A"]


def test_impact_of_a_symbol_and_of_a_change(memory: Memory, tree: Path) -> None:
    memory.tasks.create("Check the tax", files=["shop/cart.py"])
    memory.remember("We decided that shop/cart.py rounds every tax to whole cents.", kind="fact")
    memory.process()
    report = memory.code.impact("tax")
    titles = dict(report.related)
    assert titles["Task"] == "Check the tax" and "whole cents" in titles["Fact"]
    assert {r.symbol.name for r in report.reached} >= {"shop.cart.Cart.total"}
    assert [place.name for place in report.tests] == ["tests.test_cart.test_total"]
    with pytest.raises(UsageError, match="nothing has changed"):
        memory.code.changes()
    (tree / "shop/cart.py").write_text(CART.replace("return n\n", "return n * 2\n"))
    changed = memory.code.changes()
    assert [place.name for place in changed.changed] == ["shop.cart.tax"] and changed.stale == ()


def test_what_is_gone_reaches_what_it_reached(memory: Memory, tree: Path) -> None:
    (tree / "shop/cart.py").write_text(CART.replace("def tax(n):\n    return n\n\n\n", ""))
    before = memory.code.changes()  # it was not indexed yet
    memory.index_code(tree)
    after = memory.code.changes()
    for report in (before, after):
        assert "tests.test_cart.test_total" in {place.name for place in report.tests} and report.risk > 0
    assert before == after and [place.name for place in after.changed] == ["shop.cart.tax"] and after.open_sites >= 1
    with pytest.raises(UsageError, match="neither a commit"):
        memory.code.changes("nosuch")


LEDGER = "def first():\n    return second()\n\n\ndef second():\n    return 1\n\n\nclass Book:\n    pass\n"


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("edit", "changed", "reached"),
    [
        (lambda t: "import os\n" + t, {"ledger"}, {"use"}),
        (lambda t: t.replace("def second", "# why\ndef second"), {"ledger"}, {"use"}),
        (lambda t: t.replace("return 1", "return 2"), {"ledger.second"}, {"ledger.first"}),
        (lambda t: t.replace("    return 1\n", ""), {"ledger.second"}, {"ledger.first"}),
        (lambda t: t + "\n\ndef third():\n    return second()\n", {"ledger.third"}, set()),
        (lambda t: t.replace("class Book:\n    pass\n", ""), {"ledger.Book"}, {"use"}),
    ],
    ids=["above", "between", "inside", "last line", "at the end", "gone"],
)
def test_changes_are_those_of_the_files_as_they_are(
    memory: Memory, repository, indexed: bool, edit, changed: set[str], reached: set[str]
) -> None:
    repository.commit("Begin", {"ledger.py": LEDGER, "use.py": "from ledger import Book\n\nbook = Book()\n"})
    memory.index_code(repository.path)
    (repository.path / "ledger.py").write_text(edit(LEDGER))
    if indexed:
        memory.index_code(repository.path)
    found = memory.code.changes()
    assert {place.name for place in found.changed} == changed
    assert {step.symbol.name for step in found.reached} >= reached and not found.stale


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("staged", [False, True])
def test_changes_know_new_and_renamed_files(memory: Memory, repository, indexed: bool, staged: bool) -> None:
    repository.commit("Begin", {"ledger.py": LEDGER, "use.py": "from ledger import Book\n\nbook = Book()\n"})
    memory.index_code(repository.path)
    (repository.path / "새로.py").write_text("from ledger import first\n\n\ndef fresh():\n    return first()\n")
    if staged:
        repository.git("add", "-A")
    if indexed:
        memory.index_code(repository.path)
    assert [place.name for place in memory.code.changes().changed] == ["새로.fresh"]
    (repository.path / "새로.py").unlink()
    (repository.path / "ledger.py").rename(repository.path / "book.py")
    if staged:
        repository.git("add", "-A")
    if indexed:
        memory.index_code(repository.path)
    found = memory.code.changes()
    assert {"ledger.Book", "ledger.first"} <= {place.name for place in found.changed}
    assert "use" in {step.symbol.name for step in found.reached}


def test_dead_code_unresolved_calls_and_the_overview(memory: Memory, tree: Path) -> None:
    assert [place.name for place, _ in memory.code.dead(exported=True).dead] == ["shop.cart.unused"]
    assert memory.code.unresolved().total >= 0
    assert {row.name for row in memory.code.overview().packages} == {"shop", "tests"}


def test_the_code_as_a_commit_left_it(memory: Memory, tree: Path, repository) -> None:
    first = repository.git("rev-parse", "HEAD").strip()
    assert memory.code.overview(as_of="HEAD") == memory.code.overview()
    more = CART.replace("return n\n", "return duty(n)\n\n\ndef duty(n):\n    return n\n")
    repository.commit("Split the tax", {"shop/cart.py": more, "docs.txt": "no code"}, at=1_700_000_500)
    memory.ingest("git", tree)
    memory.index_code(tree)
    memory.process()
    assert [c.symbol.name for c in memory.code.callers("duty").calls] == ["shop.cart.tax"]
    with pytest.raises(NotFound, match="duty"):
        memory.code.callers("duty", as_of=first)
    assert [c.symbol.name for c in memory.code.callees("tax", as_of="HEAD~1").calls] == []
    assert memory.code.callers("tax", as_of="HEAD~1").calls and not memory.code.callers("tax", as_of="HEAD~1").stale
    then = memory.code.outline("shop/cart.py", as_of=first)
    assert then.text == CART and not then.stale and "duty" in memory.code.outline("shop/cart.py").text
    assert memory.code.definition("shop/cart.py", 3, 16, as_of="HEAD~1").name == "shop.cart.tax"
    subjects = [row["subject"] for row in memory.code.history("tax").to_dicts()]
    assert subjects == ["Split the tax", "Add the cart"]
    assert [row["subject"] for row in memory.code.history("shop/cart.py", as_of=first).to_dicts()] == ["Add the cart"]
    with pytest.raises(UsageError, match="neither a commit"):
        memory.code.callers("tax", as_of="--output=x")
    with pytest.raises(UsageError, match="no commit before"):
        memory.code.callers("tax", as_of="1999-01-01")


def test_an_edit_reaches_graph_and_search_and_nothing_else_moves(memory: Memory, tree: Path) -> None:
    (tree / "shop/cart.py").write_text(CART.replace("tax", "duty"))
    report = memory.index_code(tree)
    assert report.changed == 1
    names = [row[0] for row in memory.cypher("MATCH (s:Symbol) WHERE NOT s.external RETURN s.qualified_name").rows]
    assert "shop.cart.duty" in names and "shop.cart.tax" not in names
    assert memory.code.callers("duty").calls and memory.search("duty", kinds=["symbol"]).hits
    assert not [hit for hit in memory.search("tax", kinds=["symbol"]).hits if hit.title == "shop.cart.tax"]
    assert memory.index_code(tree).changed == 0


def test_the_index_survives_and_is_made_again_for_another_process(memory: Memory, tree: Path) -> None:
    store = memory.location
    memory.close()
    with Memory.open(store) as again:
        assert again.code.callers("tax").calls
        assert again.index_code(tree).changed == 0
        (tree / "shop/cart.py").unlink()
        again.index_code(tree)
        with pytest.raises(NotFound):
            again.code.callers("tax")


def test_who_only_reads_follows_edits_of_another(memory: Memory, tree: Path) -> None:
    with Memory.open(memory.location) as reader:
        assert not reader.code.callers("unused").calls and len(reader.code.callers("tax").calls) == 1
        (tree / "shop/more.py").write_text("from .cart import tax, unused\ndef more():\n    return tax(unused())\n")
        memory.index_code(tree, only=["shop/more.py"])
        assert [c.symbol.name for c in reader.code.callers("unused").calls] == ["shop.more.more"]
        assert reader.code.callers("tax") == memory.code.callers("tax")
        memory.process()
        (tree / "shop/more.py").unlink()
        memory.index_code(tree, only=["shop/more.py"])
        assert not reader.code.callers("unused").calls and reader.code.files() == memory.code.files()


def test_todo_comments_are_notes_and_no_tasks(memory: Memory, tree: Path) -> None:
    (tree / "shop/cart.py").write_text(CART + "# TODO(ann): round the tax\n")
    memory.index_code(tree)
    memory.process()
    assert not memory.tasks.find() and not memory.cypher("MATCH (t:Task) RETURN t.title").rows
    line = CART.count("\n") + 1
    assert memory.code.todos().rows == [["shop/cart.py", line, "todo", "round the tax", "ann"]]
    assert not memory.code.todos(limit=1).truncated
    (tree / "shop/cart.py").write_text(CART)
    assert not memory.code.todos().rows


def test_tasks_that_were_made_of_comments_are_no_ready_work_and_close_with_them(memory: Memory, tree: Path) -> None:
    fields = {"title": "round the tax", "files": ["shop/cart.py"], "labels": ["todo"]}
    memory._store.tasks.absorb([TaskRecord("", fields, source="code", created=1, updated=1)])  # as earlier versions did
    (tree / "shop/cart.py").write_text(CART + "# TODO: round the tax\n")
    memory.index_code(tree)
    (task,) = memory.tasks.find()
    assert task.open and task.is_note and not memory.tasks.ready() and "round" not in memory.tasks.prime()
    (tree / "shop/cart.py").write_text(CART)
    memory.index_code(tree)
    memory.process()
    assert not memory.tasks.find()[0].open


def test_where_nothing_is_indexed_it_says_so(memory: Memory) -> None:
    with pytest.raises(NotFound, match="graphmem index"):
        memory.code.callers("x")
    with pytest.raises(NotFound, match="not a folder"):
        memory.index_code("/nowhere")


def test_an_index_that_is_gone_is_asked_for_once_more(memory: Memory, tree: Path) -> None:
    store = memory.location
    memory.close()
    (store / "code.db").unlink()
    with Memory.open(store) as later:
        with pytest.raises(NotFound, match=r"is missing.*`graphmem index"):
            later.code.callers("tax")
        later.index_code(tree)
        assert later.code.callers("tax").calls


@pytest.mark.parametrize("again", ["index", "rebuild"])
def test_an_index_that_is_deleted_while_it_is_open_is_read_again_for_all(
    memory: Memory, tree: Path, again: str
) -> None:
    before = memory.code.callers("tax").calls
    for file in memory.location.glob("code.db*"):
        file.unlink()
    with pytest.raises(NotFound, match=r"is missing.*`graphmem index"):
        memory.code.callers("tax")
    memory.index_code(tree) if again == "index" else memory.rebuild()
    assert memory.code.callers("tax").calls == before
    with Memory.open(memory.location) as other:
        assert other.code.callers("tax").calls == before


def test_watching_indexes_what_changed(memory: Memory, tree: Path) -> None:
    import threading

    stop = threading.Event()
    batches = memory.watch(tree, stop=stop)
    writer = threading.Timer(0.5, lambda: (tree / "shop/cart.py").write_text(CART.replace("tax", "levy")))
    writer.start()
    changed, report = next(batches)
    stop.set()
    assert changed == ["shop/cart.py"] and report.changed == 1
    assert memory.code.callers("levy").calls


def test_an_answer_fits_its_budget_and_counts_what_it_left_out(memory: Memory, tree: Path) -> None:
    users = "".join(f"def user_{n}():\n    target()\n\n\n" for n in range(40))
    (tree / "many.py").write_text(f"def target():\n    pass\n\n\n{users}def lonely():\n    unknown_thing()\n")
    memory.index_code(tree)
    whole = memory.code.callers("many.target")
    assert len(whole.calls) == 40 and not whole.left_out
    assert len(memory.code.callers("many.target", budget=975).calls) == 40  # its text takes no more
    small = memory.code.callers("many.target", budget=400)
    assert 0 < len(small.calls) < 40 and small.left_out == 40 - len(small.calls)
    assert [call.line for call in small.calls] == [call.line for call in whole.calls[: len(small.calls)]]
    assert small.total == 40 and count_tokens("\n".join(calls_text(small))) <= 400
    reached = memory.code.impact("many.target", budget=500)
    assert reached.left_out and count_tokens("\n".join(impact_text(reached))) <= 500
    for answer in (
        memory.code.overview(budget=500),
        memory.code.dead(exported=True, budget=300),
    ):
        assert answer.left_out and count_tokens(json.dumps(to_json_values(answer))) <= 500
    with pytest.raises(UsageError, match="at least 1"):
        memory.code.callers("many.target", budget=0)


def test_callers_of_what_is_not_called(memory: Memory, tree: Path) -> None:
    (tree / "shapes.ts").write_text(
        "export interface Shape { size: number }\nexport class Box implements Shape { size = 1 }\n"
    )
    (tree / "use.ts").write_text(
        'import { Box, Shape } from "./shapes"\nfunction area(s: Shape) { return s.size * 2 }\n'
        "function grow(b: Box) { b.size = 3 }\n"
    )
    memory.index_code(tree)
    assert [c.symbol.name for c in memory.code.callers("shapes.ts").calls] == ["use"]
    assert {c.symbol.name for c in memory.code.callers("Shape").calls} == {"use.area", "shapes.Box"}
    assert [c.symbol.name for c in memory.code.callers("Box.size").calls] == ["use.grow"]
    assert [(c.symbol.name, c.strategy) for c in memory.code.callers("Shape.size").calls][:1] == [
        ("use.area", "refers to")
    ]


def test_rows_are_grouped_by_file_and_tests_come_last(memory: Memory, tree: Path) -> None:
    (tree / "deep.py").write_text("def target():\n    pass\n\n\ndef b():\n    target()\n\n\ndef a():\n    target()\n")
    (tree / "zoo.py").write_text("from deep import a, target\n\n\ndef z():\n    target()\n    a()\n")
    (tree / "test_deep.py").write_text("from deep import target\n\n\ndef test_it():\n    target()\n")
    memory.index_code(tree)
    found = memory.code.callers("deep.target")
    assert [c.symbol.name for c in found.calls] == ["deep.b", "deep.a", "zoo.z", "test_deep.test_it"]
    assert found.total == 4 and calls_text(found)[0].splitlines()[0] == "deep.py"
    reached = memory.code.impact("deep.target").reached
    assert [r.depth for r in reached] == sorted(r.depth for r in reached)
    assert {r.symbol.name for r in reached if r.depth == 1 and r.relation == "CALLS"} >= {"deep.a", "deep.b", "zoo.z"}


def test_vendored_and_generated_code_is_neither_dead_nor_to_do(memory: Memory, tree: Path) -> None:
    for number, name in enumerate(("deps/lib.py", "api_pb2.py", "own.py")):
        text = f"def _unused_{number}():\n    # TODO: mend {name} some day\n    return 1\n"
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)
    memory.index_code(tree)
    memory.process()
    dead = memory.code.dead()
    assert "own.py" in {place.file for place, _ in dead.dead} and dead.spared["vendored or generated"] == 2
    assert not {"deps/lib.py", "api_pb2.py"} & {place.file for place, _ in dead.dead}
    assert {row[0] for row in memory.code.todos().rows} == {"own.py"} and not memory.tasks.find()


def test_an_unknown_name_comes_with_names_like_it(memory: Memory, tree: Path) -> None:
    (tree / "names.py").write_text("class A:\n    def run(self): ...\n\n\nclass B:\n    def run(self): ...\n")
    memory.index_code(tree)
    with pytest.raises(NotFound, match=r"similar names: names\.A\.run"):
        memory.code.callers("rum")
    with pytest.raises(NotFound, match=r"is ambiguous; choose one: names\.py:names\.A\.run, names\.py:names\.B\.run"):
        memory.code.callers("run")


def test_two_trees_of_one_project_keep_apart(memory: Memory, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for folder, body in ((tree, "def here(): print(1)\n"), (other, "def there(): print(2)\n")):
        folder.mkdir(exist_ok=True)
        (folder / "same.py").write_text(body)
        memory.index_code(folder)
        memory.process()
    named = "MATCH (s:Symbol) WHERE s.file = 'same.py' RETURN s.name ORDER BY s.name"
    assert memory.cypher(named).rows == [["here"], ["same"], ["same"], ["there"]]
    assert memory.cypher("MATCH (f:File {path: 'same.py'}) RETURN count(f)").rows == [[2]]
    (other / "same.py").write_text("x = 1\n")
    memory.index_code(other)
    assert memory.cypher(named).rows[0] == ["here"]
    printing = "MATCH (a:Symbol)-[:CALLS]->(b:Symbol {name: 'print'}) WHERE a.name = 'here' RETURN count(*)"
    assert memory.cypher(printing).rows == [[1]]
    memory.rebuild()
    assert memory.cypher(named).rows == [["here"], ["same"], ["same"], ["x"]]


def test_no_callers_comes_with_what_may_run_it_all_the_same(memory: Memory, tmp_path: Path) -> None:
    kinds = "".join(
        f"class {name}(Shape):\n    def area(self):\n        return {n}\n\n\n" for n, name in enumerate("ABCDE")
    )
    (tmp_path / "shapes.py").write_text(
        f"class Shape:\n    def area(self):\n        side = 2\n        return side * side\n\n\n{kinds}"
        "def total(scale, shape: Shape):\n    return shape.area()\n\n\ndef later(timer):\n    timer.start(tick)\n\n\ndef tick():\n    pass\n"
    )
    memory.index_code(tmp_path)
    area, tick = memory.code.callers("C.area"), memory.code.callers("shapes.tick")
    assert (area.calls, area.through_base, area.handed_on) == ((), 1, 0)
    assert (tick.calls, tick.through_base, tick.handed_on) == ((), 0, 1)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.ts", "function twice(x: number) { return x }\nexport const r = later(twice)\n"),
        ("a.ts", "function twice() {}\nexport const table = { a: twice }\n"),
        ("a.rs", "fn twice(x: &i32) -> i32 { x * 2 }\nfn all(v: Vec<i32>) { v.iter().map(twice).collect() }\n"),
        ("a.c", "static int twice(void) { return 0; }\nstruct ops o = {.read=twice};\n"),
        ("a.c", "#define CALL(f, x) f(x)\nint twice(int x) { return x; }\nint main(void) { return CALL(twice, 2); }\n"),
    ],
)
def test_a_function_that_is_handed_on_has_no_callers_and_a_note(
    memory: Memory, tmp_path: Path, file: str, text: str
) -> None:
    (tmp_path / file).write_text(text)
    memory.index_code(tmp_path)
    found = memory.code.callers("a.twice")
    assert (found.calls, found.handed_on) == ((), 1)


def test_an_interface_from_outside_may_run_a_method(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/log\n")
    (tmp_path / "log.go").write_text(
        'package log\n\nimport "example.com/core"\n\ntype quiet struct{}\n\nfunc (q quiet) Add(name string) {}\n\n'
        'func all(e core.Encoder) { e.Add("x") }\n'
    )
    memory.index_code(tmp_path)
    assert (memory.code.callers("quiet.Add").calls, memory.code.callers("quiet.Add").through_base) == ((), 1)


@pytest.mark.parametrize(
    ("file", "text", "method", "through"),
    [
        ("a.go", 'package a\n\nimport "time"\n\ntype Mock struct{}\n\nfunc (m *Mock) Add(d time.Duration) {}\n\n'
                 "func f(t time.Time) { t.Add(1) }\n", "Mock.Add", 0),
        ("a.go", 'package a\n\nimport "io"\n\ntype sink struct{}\n\nfunc (s *sink) Write(b []byte) (int, error) { return 0, nil }\n\n'
                 "func f(w io.Writer) { w.Write(nil) }\n", "sink.Write", 1),
        ("a.go", 'package a\n\nimport "example.com/core"\n\ntype quiet struct{}\n\nfunc (q quiet) Add(name string) {}\n\n'
                 'func f(e core.Encoder) { e.Add("x"); e.Flush() }\n', "quiet.Add", 0),
        ("A.java", "import java.util.BitSet;\nimport java.util.Iterator;\nclass Bits implements Iterator<String> {\n    public boolean hasNext() { return false; }\n"
                   "    public String next() { return null; }\n    void set(int at) {}\n"
                   "    static void f(BitSet b, Iterator<String> i) { b.set(1); i.next(); }\n}\n", "Bits.set", 0),
        ("A.java", "import java.util.BitSet;\nimport java.util.Iterator;\nclass Bits implements Iterator<String> {\n    public boolean hasNext() { return false; }\n"
                   "    public String next() { return null; }\n    static void f(Iterator<String> i) { i.next(); }\n}\n", "Bits.next", 1),
        ("a.py", "import datetime\nimport logging\n\n\nclass Kept(logging.Handler):\n    def replace(self):\n        pass\n\n\n"
                 "def f(day: datetime.date):\n    return day.replace()\n", "Kept.replace", 0),
        ("a.py", "import logging\n\n\nclass Kept(logging.Handler):\n    def emit(self, record):\n        pass\n\n\n"
                 "def f(to: logging.Handler):\n    return to.emit(1)\n", "Kept.emit", 1),
    ],
)  # fmt: skip
def test_a_call_on_a_type_from_outside_runs_a_method_only_if_that_type_may_be_above(
    memory: Memory, tmp_path: Path, file: str, text: str, method: str, through: int
) -> None:
    (tmp_path / file).write_text(text)
    memory.index_code(tmp_path)
    assert memory.code.callers(method).through_base == through


def test_symbols_that_only_the_index_was_told_of_go_again(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the process had been killed between the two."""
    file = tmp_path / "tree" / "app.py"
    file.parent.mkdir()
    file.write_text("def first():\n    return 1\n")
    memory.index_code(file.parent)
    file.write_text("def first():\n    return 1\n\n\ndef second():\n    return first()\n")
    with monkeypatch.context() as patch:
        patch.setattr(type(memory._store.graph), "apply", lambda *_: (_ for _ in ()).throw(StoreError("cut off")))
        with pytest.raises(StoreError, match="cut off"):
            memory.index_code(file.parent)
    assert memory._store.text.find(["sym:demo:app.py:app.second"])
    file.write_text("def first():\n    return 1\n")
    memory.index_code(file.parent)
    assert not memory._store.text.find(["sym:demo:app.py:app.second"])
    assert memory._store.text.find(["sym:demo:app.py:app.first"])
