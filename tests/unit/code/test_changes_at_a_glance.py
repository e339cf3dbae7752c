"""Changes that an agent need not look up twice: histories of several symbols, the old value beside the new one, a commit without the
patches of its tests, and the commits of a type with those of its methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.interfaces.cli import render
from graphmem.interfaces.mcp.answers import format_answer
from graphmem.interfaces.verbs.code import history
from graphmem.interfaces.verbs.general import show

GO = "package shop\n\ntype Crane struct{ load int }\n\nfunc (c *Crane) Lift() int {\n\treturn c.load\n}\n"
PLACE = "package shop\n\nfunc (c *Crane) Turn() int {\n\treturn 1\n}\n\nfunc Rest() int { return 0 }\n"
TESTS = 'package shop\n\nimport "testing"\n\nfunc TestLift(t *testing.T) {\n\tnew(Crane).Lift()\n}\n'


def fill_repository(repository: Repository) -> None:
    repository.commit(
        "Begin", {"go.mod": "module example.org/shop\n", "crane.go": GO, "turn.go": PLACE}, at=1_700_000_000
    )
    louder = GO.replace("return c.load", "return c.load + 2")
    repository.commit("Lift more", {"crane.go": louder, "crane_test.go": TESTS}, at=1_700_100_000)
    limit = "const Most = 500\n"
    repository.commit(
        "Limit it", {"limit.go": f"package shop\n\n{limit}", "limit.py": "MOST = 500\n"}, at=1_700_200_000
    )
    repository.commit(
        "Raise the limit",
        {
            "limit.go": "package shop\n\nconst Most = 900\n",
            "limit.py": "MOST = 900\n\n\ndef most():\n    return MOST\n",
        },
        at=1_700_300_000,
    )
    repository.commit("Turn twice", {"turn.go": PLACE.replace("return 1", "return 2")}, at=1_700_400_000)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[[str, object], str]:
    def text_of(verb: str, answer: object) -> str:
        render.show(verb, answer)
        return capsys.readouterr().out

    return text_of


def test_histories_of_several_symbols_in_one_call(
    memory: Memory, tree: Path, printed: Callable[[str, object], str]
) -> None:
    said = printed("code history", history(memory, ["Crane.Lift", "limit.go"]))
    assert "Ada: Lift more\n" in said and "2 of 2 commits that changed Crane.Lift." in said
    assert "of 2 commits that changed limit.go." in format_answer(
        "code history", history(memory, ["Crane.Lift", "limit.go"])
    )
    assert "Raise the limit" in said and "2 of 2 commits that changed limit.go." in said
    assert [row[3] for row in history(memory, ["limit.go"]).rows] == ["Raise the limit", "Limit it"]
    assert "1 of 2 commits that changed Crane.Lift; --limit 2 shows all." in printed(
        "code history", history(memory, ["Crane.Lift", "limit.go"], limit=1)
    )


def test_the_old_value_stands_beside_the_new_one(memory: Memory, tree: Path) -> None:
    raised, *others = memory.code.patches("900").commits
    assert not others and raised.lines == (
        ("limit.go", "-const Most = 500"), ("limit.go", "+const Most = 900"), ("limit.py", "-MOST = 500"), ("limit.py", "+MOST = 900"),
    )  # fmt: skip


def test_a_commit_is_shown_without_the_patches_of_its_tests(
    memory: Memory, tree: Path, printed: Callable[[str, object], str]
) -> None:
    hash_ = memory.code.history("Crane.Lift").rows[0][0]
    said = printed("show", show(memory, hash_[:10]))
    assert "return c.load + 2" in said and "crane_test.go  test, +7 -0" in said
    assert "TestLift" not in said and "TOUCHES 2" in said and "--json lists them" in said


def test_the_history_of_a_type_has_the_commits_of_its_methods(memory: Memory, tree: Path) -> None:
    assert [row[3] for row in memory.code.history("Crane").rows] == ["Turn twice", "Lift more", "Begin"]
    assert any("Turn twice" in line for line in memory.code.explain("Crane").lines)


@pytest.mark.parametrize("value", ["500", "c.load"])
def test_lines_that_replace_nothing_stand_alone(memory: Memory, tree: Path, value: str) -> None:
    last = memory.code.patches(value).commits[-1]
    assert all(line.startswith("+") for _, line in last.lines)
