"""Answers about one folder or without tests; what tests alone use."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import NotFound
from graphmem.interfaces.cli import render
from graphmem.interfaces.mcp.answers import format_answer
from graphmem.interfaces.toolbox import Toolbox
from graphmem.interfaces.verbs.code import dead
from graphmem.interfaces.verbs.registry import VERBS

FILES = {
    "shop/__init__.py": "",
    "shop/tax.py": "def tax(n):\n    return _round(n)\n\n\ndef _round(n):\n    return n\n\n\ndef _unused():\n    return nobody()\n\n\n"
    "def _only_tested():\n    return 1\n",
    "shop/web/__init__.py": "from shop.tax import tax\n\n\ndef page():\n    return tax(2)\n\n\ndef _dead():\n    return odd()\n",
    "tests/test_tax.py": "from shop.tax import _only_tested, tax\n\n\ndef test_tax():\n    assert tax(1) == _only_tested() == gone()\n",
    "examples/run.py": "from shop.tax import tax\n\nprint(tax(3))\n",
}


@pytest.fixture
def tree(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    memory.index_code(root)
    monkeypatch.chdir(root / "shop")
    return root


def test_callers_and_impact_of_a_folder_and_without_tests(memory: Memory, tree: Path) -> None:
    def callers(**given: object) -> list[str]:
        found = memory.code.callers("tax.tax", **given)
        assert found.total == len(found.calls)
        return [call.symbol.name for call in found.calls]

    assert set(callers()) == {"shop.web.page", "tests.test_tax.test_tax", "examples.run"}
    assert callers(no_tests=True) == callers(path="shop/web") == callers(path="web") == ["shop.web.page"]
    assert callers(path=str(tree / "tests")) == callers(path="test_*.py") == ["tests.test_tax.test_tax"]
    reached = memory.code.impact("tax._round", no_tests=True).reached
    assert [reach.symbol.name for reach in reached] == ["shop.tax.tax", "shop.web.page", "shop.web"]
    below = memory.code.impact("tax._round", path="web").reached
    assert {reach.symbol.name for reach in below} == {"shop.web.page", "shop.web"}
    assert {call.symbol.name for call in memory.code.callees("test_tax.test_tax", path="shop").calls} == {
        "shop.tax.tax", "shop.tax._only_tested",
    }  # fmt: skip
    with pytest.raises(NotFound, match="no indexed file is at or below `nowhere`"):
        memory.code.callers("tax.tax", path="nowhere")


def test_text_and_outline_leave_out_tests(memory: Memory, tree: Path) -> None:
    assert {row.path for row in memory.code.text("tax(", no_tests=True).matches} == {
        "shop/tax.py", "shop/web/__init__.py", "examples/run.py",
    }  # fmt: skip
    assert "tests/test_tax.py" in {row.path for row in memory.code.text("tax(").matches}
    assert memory.code.outline("tests/test_tax.py").symbols
    assert not memory.code.outline("tests/test_tax.py", no_tests=True).symbols


def test_several_symbols_are_answered_in_one_call(
    memory: Memory, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    callers = next(verb for verb in VERBS if verb.name == "code callers").call
    found = callers(memory, ["tax.tax", "nothing_here", "tax._round"])
    render.show("code callers", found)
    printed = capsys.readouterr().out
    assert "caller of shop.tax._round" in printed and "callers of shop.tax.tax" in printed
    assert "no symbol named `nothing_here`" in printed
    assert format_answer("code callers", found).count("shop.tax.") == 2
    assert callers(memory, ["tax.tax"]) == callers(memory, "tax.tax")  # one answer, not a list of one
    with pytest.raises(NotFound, match=r"nothing_here.*nor_here"):
        callers(memory, ["nothing_here", "nor_here"])
    assert Toolbox(memory).call("code_callers", {"symbol": "tax._round"}).count("shop.tax._round") == 1


def test_sources_come_before_tests(memory: Memory, tree: Path) -> None:
    steps = [(reach.depth, reach.symbol.file.startswith("shop")) for reach in memory.code.impact("tax._round").reached]
    assert steps == sorted(steps, key=lambda step: (step[0], not step[1]))
    assert [site.name for site in memory.code.unresolved().sites] == ["nobody", "odd", "gone"]
    assert [site.name for site in memory.code.unresolved(path="web").sites] == ["odd"]
    assert [site.name for site in memory.code.unresolved(no_tests=True).sites] == ["nobody", "odd"]


def test_dead_code_of_several_places(memory: Memory, tree: Path) -> None:
    found = dead(memory, ["shop/web", "tests"], exported=True)
    assert found.answers == tuple(
        memory.code.dead(place, exported=True, budget=2_000) for place in ("shop/web", "tests")
    )
    assert dead(memory, ["web"]).dead == memory.code.dead("web").dead


def test_dead_code_of_a_folder_and_what_tests_alone_use(memory: Memory, tree: Path, capsys) -> None:
    found = memory.code.dead()
    assert [place.name for place, _ in found.dead] == ["shop.tax._unused", "shop.web._dead"]
    assert [place.name for place, _ in found.only_tests] == ["shop.tax._only_tested"]
    assert [place.name for place, _ in memory.code.dead("shop/web").dead] == ["shop.web._dead"]
    (tree / "shop/late.py").write_text("import shop.tax\n\nNAMES = ['_only_tested']\n")
    memory.index_code(tree)
    assert memory.code.dead().only_tests == ()  # a source may look it up by its name
    [dead] = [verb for verb in VERBS if verb.name == "code dead"]
    render.show("code dead", dead.call(memory, target="shop/web"))
    assert "_dead" in (shown := capsys.readouterr().out) and "_unused" not in shown
