"""The benchmark of an agent's reading: the right answers come from the text, and both ways are run as commands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphmem.bench import agent
from graphmem.errors import UsageError
from graphmem.memory import Memory

FILES = {
    "shop/tax.py": '"""Taxes."""\n\n\ndef add_tax(amount):\n    """Add the tax."""\n    rate = 1.1\n    total = amount * rate\n    return round(total)\n',
    "shop/till.py": "from shop.tax import add_tax\n\n\ndef pay_bill(n):\n    return add_tax(n)\n\n\ndef refund_bill(n):\n    return -add_tax(n)\n",
    "shop/web.py": "from shop.till import pay_bill\n\n\ndef serve_page(n):\n    return pay_bill(n)\n",
    "tests/test_till.py": "from shop.till import pay_bill\n\n\ndef test_pay():\n    assert pay_bill(10) == 11\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for command in (
        ["init", "-q"], ["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "Open the shop"],
    ):  # fmt: skip
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def test_the_text_says_who_calls_what(memory: Memory, repository: Path) -> None:
    memory.index_code(repository)
    found = {each.name: each for each in agent.find_targets(memory, repository)}
    assert set(found) == {"add_tax", "pay_bill"}  # the others are not called
    assert {caller.name.rpartition(".")[2] for caller in found["add_tax"].callers} == {"pay_bill", "refund_bill"}
    assert found["add_tax"].tests == found["pay_bill"].tests == ("tests/test_till.py",)
    questions = {q.type: q for q in agent.make_questions([found["add_tax"]], repository, 1)}
    assert set(questions) == set(agent._TYPES)
    assert questions["commits of a function"].gold == ("Open the shop",)
    assert set(questions["what a change breaks"].gold) == {"pay_bill", "refund_bill", "serve_page"}


def test_both_ways_are_followed_until_the_answer_is_printed(repository: Path) -> None:
    rows = {row[0]: row for row in agent.run(repository, 1)}
    assert list(rows) == [*agent._TYPES, "all"] and len(rows["all"]) == len(agent.TITLES)
    total = rows["all"]
    assert total[1] == total[2] == total[3] == len(agent._TYPES)  # asked, and answered in both ways
    assert rows["callers"][4] == 1 and rows["source of a function"][5] == 2
    assert all(row[8] > 0 for row in rows.values())


def test_a_tree_without_functions_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="has no function that can be asked about"):
        list(agent.run(tmp_path))
