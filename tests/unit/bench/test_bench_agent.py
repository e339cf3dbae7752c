"""The benchmark of an agent's reading: the right answers come from syntax and git, and both ways are run as commands."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.bench import agent, agent_questions
from graphmem.bench.agent_syntax import Mention, read_syntax
from graphmem.errors import UsageError

FILES = {
    "shop/tax.py": '"""Taxes."""\n\n\nclass Base:\n    pass\n\n\nclass Flat(Base):\n    reduced: float = 0.07\n\n\n'
    "def add_tax(amount):\n    \"\"\"Add the tax.\"\"\"\n    rate = 1.1 + Flat().reduced\n    total = amount * rate\n"
    "    note = 'the full amount'\n    return round(total)\n",
    "shop/till.py": "from shop.tax import add_tax\n\n\ndef pay_bill(n):\n    return add_tax(n)\n\n\ndef refund_bill(n):\n    return -add_tax(n)\n",
    "shop/web.py": "from shop.till import pay_bill\n\n\ndef serve_page(n):\n    return pay_bill(n)\n",
    "tests/test_till.py": "from shop.till import pay_bill\n\n\ndef test_pay():\n    assert pay_bill(10) == 11\n",
}  # fmt: skip
OTHERS = {
    "a.ts": "export class Cart implements Priced {\n  totalPrice = 1;\n  addItem(x: number) { return sumUp(x); }\n}\n"
    "const sumUp = (x: number) => { return x; };\ninterface Priced { addItem(x: number): number; }\n",
    "b.go": "package b\n\ntype Cart struct {\n\ttotalPrice int\n}\n\nfunc (c *Cart) AddItem(x int) int {\n\tc.totalPrice = sumUpAll(x)\n\treturn x\n}\n\n"
    "func sumUpAll(x int) int { return x }\n",
    "c.rs": "impl Shape for Square {\n    fn side(&self) -> u32 { self.width_px + measure_it(1) }\n}\ntrait Shape {}\n"
    "struct Square { width_px: u32 }\nfn measure_it(x: u32) -> u32 { x }\n",
    "d.c": "struct cart { int total_price; };\nstatic int *sum_it(int x);\nstatic int *sum_it(int x) { return 0; }\n"
    "int add_item(struct cart *c) { c->total_price = 1; return *sum_it(2); }\n",
    "E.java": "class Cart extends Shop.Basket {\n  int totalCost;\n  int addOne(int x) { return sumAll(x) + this.totalCost; }\n  int sumAll(int x) { return x; }\n}\n"
    "class Shop { static class Basket {} }\n",
}  # fmt: skip


@pytest.fixture
def commit(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    def make(files: dict[str, str]) -> Path:
        root = tmp_path / "shop"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for command in (
            ["init", "-q"], ["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "Open the shop"],
        ):  # fmt: skip
            subprocess.run(["git", *command], cwd=root, check=True)
        return root

    return make


def test_syntax_says_who_calls_what(commit: Callable[[dict[str, str]], Path]) -> None:
    root = commit(FILES)
    found = {each.name: each for each in agent_questions.find_targets(read_syntax(root))}
    assert set(found) == {"add_tax", "pay_bill"}  # the others are not called, or their names are too short
    assert {caller.name for caller in found["add_tax"].callers} == {"pay_bill", "refund_bill"}
    assert found["add_tax"].tests == found["pay_bill"].tests == ("tests/test_till.py",)
    questions = {q.type: q for q in agent_questions.make_questions(root, 1)}
    assert questions["commits of a function"].gold == ("Open the shop",)
    assert set(questions["what a change breaks"].gold) >= {"serve_page"}
    assert questions["path from A to B"].graphmem == ["code", "path", "serve_page", "add_tax"]
    assert questions["users of a field"].gold == ("add_tax",)
    assert questions["where a text is"].gold == ("shop/tax.py", "add_tax")
    assert "who knows it" not in questions  # there is one author


def test_a_name_that_is_used_otherwise_is_not_asked_about(commit: Callable[[dict[str, str]], Path]) -> None:
    changed = FILES["shop/web.py"] + "\n\nHANDLERS = {'pay': pay_bill}\n"
    found = agent_questions.find_targets(read_syntax(commit({**FILES, "shop/web.py": changed})))
    assert [each.name for each in found] == ["add_tax"] and not found[0].unique >= {"pay_bill"}


@pytest.mark.parametrize(
    ("file", "called", "caller", "field", "base"),
    [
        ("a.ts", "sumUp", "addItem", "totalPrice", ("Priced", "Cart")),
        ("b.go", "sumUpAll", "AddItem", "totalPrice", None),
        ("c.rs", "measure_it", "side", "width_px", ("Shape", "Square")),
        ("d.c", "sum_it", "add_item", "total_price", None),
        ("E.java", "sumAll", "addOne", "totalCost", ("Basket", "Cart")),
    ],
)
def test_the_syntax_of_other_languages(
    commit: Callable[[dict[str, str]], Path],
    file: str,
    called: str,
    caller: str,
    field: str,
    base: tuple[str, str] | None,
) -> None:
    read = read_syntax(commit({file: OTHERS[file]}))
    roles = {name: {each.role for each in mentions} for name, mentions in read.mentions.items()}
    assert roles[called] - {"declaration"} == {"definition", "call"}
    [call] = (each for each in read.mentions[called] if each.role == "call")
    assert call.inside is not None and call.inside.name == caller
    assert roles[field] <= {"field", "member"} and "field" in roles[field]
    assert "base" not in roles.get("Shop", ())
    if base is not None:
        [below] = (each for each in read.mentions[base[0]] if each.role == "base")
        assert isinstance(below, Mention) and below.cls == base[1]


@pytest.mark.deep
def test_both_ways_are_followed_until_the_answer_is_printed(commit: Callable[[dict[str, str]], Path]) -> None:
    rows = {row[0]: row for row in agent.run(commit(FILES), 1)}
    total = rows["all"]
    assert len(total) == len(agent.TITLES) and total[1] == len(rows) - 1 >= 10  # one of each type
    assert total[2] == total[3] == total[1]  # answered in both ways
    assert rows["callers"][4] == 1 and rows["source"][5] == 2
    assert all(row[8] > 0 for row in rows.values())


def test_what_graphmem_leaves_out_costs_the_ordinary_commands_as_well(commit: Callable[[dict[str, str]], Path]) -> None:
    root = commit(FILES)
    [question] = (q for q in agent_questions.make_questions(root, 1) if q.type == "callers")
    found = agent._compare(
        agent_questions.Question("x", "?", question.gold, ["--version"], question.ordinary), root, {}
    )
    assert not found.first.is_answered and found.together.is_answered
    assert found.together.calls == found.ordinary.calls + 1
    assert found.together.characters > found.ordinary.characters


def test_a_tree_without_functions_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="has no function that can be asked about"):
        list(agent.run(tmp_path))
