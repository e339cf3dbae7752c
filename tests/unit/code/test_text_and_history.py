"""Questions that quote text and history: lines of any text file, patches, sources, paths, tests to run, and one symbol
explained. The repository has several commits and two authors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Repository, processor_seconds

from graphmem import Memory
from graphmem.code.text_search import TextPattern, kind_of_file, path_filter
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.text.answers import FORMS
from graphmem.text.tokens import count_tokens

CART = '''"""The cart."""


def price(item):
    """Return the price of an item."""
    return item.price


def total(items):
    """Return what all items cost."""
    return tax(sum(price(item) for item in items))


def tax(amount):
    return amount * 1.1
'''


def fill_repository(repository: Repository) -> None:
    repository.commit("Add the cart", {"shop/__init__.py": "", "shop/cart.py": CART.replace(" * 1.1", "")})
    repository.commit(
        "Pin the parser below 3: it loads slowly",
        {"pyproject.toml": '[project]\nrequires = ["parser<3"]\n'},
        at=1_700_100_000,
    )
    repository.git("config", "user.name", "unused")
    repository.commit("Charge the tax because the law says so", {"shop/cart.py": CART}, at=1_700_200_000)
    files = {
        "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n",
        ".github/workflows/ci.yml": "steps:\n  - run: pytest --parser-mode strict\n",
        "uv.lock": 'name = "parser"\nmarker = "requires"\n',
        "logo.bin": b"\0parser",
        "메모.md": "# 결정\n\nparser는 느려서 고정한다\n",
    }
    repository.commit("Test the cart", files, at=1_700_300_000)


def _places(found: object) -> list[tuple[str, int, str, str]]:
    return [(m.path, m.line, m.symbol, m.kind) for m in found.matches]  # type: ignore[attr-defined]


def test_text_is_found_in_every_text_file(memory: Memory, tree: Path) -> None:
    found = memory.code.text("parser")
    assert _places(found) == [
        ("메모.md", 3, "", "document"),
        (".github/workflows/ci.yml", 2, "steps", "config"),
        ("pyproject.toml", 2, "project", "config"),
    ]
    assert (found.total, found.files, found.skipped) == (3, 3, {"binary": 1})
    assert _places(memory.code.text("느려서")) == [("메모.md", 3, "", "document")]
    assert [m.path for m in memory.code.text("parser", path="uv.lock").matches] == ["uv.lock"]
    assert [m.path for m in memory.code.text("PARSER", ignore_case=True, path="*.toml").matches] == ["pyproject.toml"]
    assert not memory.code.text("PARSER").total


def test_text_names_the_symbol_and_the_work_tree_counts(memory: Memory, tree: Path) -> None:
    assert _places(memory.code.text(r"return\s+tax", is_regex=True)) == [
        ("shop/cart.py", 11, "shop.cart.total", "code")
    ]
    (tree / "shop/new.py").write_text("TAXED = 'written a moment ago'\n")
    assert [m.path for m in memory.code.text("a moment ago").matches] == ["shop/new.py"]


def test_limits_are_said(memory: Memory, tree: Path) -> None:
    found = memory.code.text("e", limit=2)
    assert len(found.matches) == 2 and found.total > 10
    assert (
        f"{found.total} lines" in FORMS[type(found)](found)[1]
        and f"--limit {found.total}" in FORMS[type(found)](found)[1]
    )


def test_text_of_a_commit(memory: Memory, tree: Path) -> None:
    found = memory.code.text("return amount", as_of="HEAD~3")
    assert [(m.path, m.text, m.symbol) for m in found.matches] == [("shop/cart.py", "return amount", "shop.cart.tax")]
    assert not memory.code.text("parser", as_of="HEAD~3").total


def test_patches(memory: Memory, tree: Path) -> None:
    found = memory.code.patches("1.1")
    assert [(m.commit.subject, m.commit.author, m.lines) for m in found.commits] == [
        (
            "Charge the tax because the law says so",
            "Ada",
            (("shop/cart.py", "-    return amount"), ("shop/cart.py", "+    return amount * 1.1")),
        )
    ]
    assert memory.code.patches(r"parser<\d", is_regex=True).commits[0].commit.subject.startswith("Pin the parser")
    assert memory.code.patches("return amount", limit=1).total == 2
    with pytest.raises(UsageError, match="do not support"):
        memory.code.patches("(?=a)", is_regex=True)


def test_secrets_and_what_lies_outside_stay_there(memory: Memory, repository: Repository, tmp_path: Path) -> None:
    key = "AKIA" + "Q3EGRIVLXV4TWPO7"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "note.txt").write_text("token elsewhere\n")
    repository.commit("Begin", {"settings.py": f'token = "{key}"\n', "sub/a.txt": "token here\n"})
    memory.init(repository.path)
    (repository.path / "link.txt").symlink_to(outside / "note.txt")
    (repository.path / "sub/a.txt").unlink()
    (repository.path / "sub").rmdir()
    (repository.path / "sub").symlink_to(outside)
    (outside / "a.txt").write_text("token behind a folder\n")
    found = memory.code.text("token")
    assert [m.path for m in found.matches] == ["settings.py"] and key not in found.matches[0].text
    assert key not in str(memory.code.patches("token")) and key not in memory.code.source("settings.py").text


def test_patterns_that_will_not_do(memory: Memory, tree: Path) -> None:
    for pattern in ("", "a\nb"):
        with pytest.raises(UsageError):
            memory.code.text(pattern)
    with pytest.raises(UsageError, match="not a valid regular expression"):
        memory.code.text("(", is_regex=True)
    with pytest.raises(UsageError, match="not a kind"):
        memory.code.text("a", kind="poem")
    with pytest.raises(UsageError, match="takes too long"):
        TextPattern(r"(a|a|aa)+$", is_regex=True).matches("a" * 60 + "b")


@given(st.text(min_size=1).filter(lambda text: "\n" not in text), st.text())
def test_a_literal_matches_as_python_finds_it(needle: str, line: str) -> None:
    line = line.replace("\n", "")
    assert TextPattern(needle).matches(line) == (needle in line)
    assert re.search(TextPattern(needle).for_git(), needle)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("a/b.py", "code"), ("tests/test_b.py", "test"), ("pkg/b_test.go", "test"), ("src/a.spec.ts", "test"),
     ("README.md", "document"), ("Makefile", "config"), (".gitignore", "config"), ("data.bin", "other"),
     ("examples/shop/main.py", "example"), ("docs/conf.py", "example"), ("docs/a.md", "document"), ("CHANGES", "document"), ("LICENSE", "other"), ("static/vendor/a.js", "vendored"), ("pkg/b_pb2.py", "vendored"), ("node_modules/README.md", "vendored")],
)  # fmt: skip
def test_kinds_of_files(path: str, kind: str) -> None:
    assert kind_of_file(path) == kind and path_filter(None, kind)(path)


def test_source(memory: Memory, tree: Path) -> None:
    found = memory.code.source("tax")
    assert (found.file, found.first, found.last, found.text) == (
        "shop/cart.py",
        14,
        15,
        "def tax(amount):\n    return amount * 1.1",
    )
    assert memory.code.source("shop/cart.py:4-6").text == "\n".join(CART.split("\n")[3:6])
    assert memory.code.source("pyproject.toml").total == 2
    with pytest.raises(UsageError):
        memory.code.source("shop/cart.py:400-401")
    with pytest.raises(NotFound):
        memory.code.source("nothing_like_it")


def test_path_between_symbols(memory: Memory, tree: Path) -> None:
    found = memory.code.path("test_total", "tax")
    assert [(s.source, s.target, s.file, s.line) for s in found.paths[0]] == [
        ("tests.test_cart.test_total", "shop.cart.total", "tests/test_cart.py", 5),
        ("shop.cart.total", "shop.cart.tax", "shop/cart.py", 11),
    ]
    assert memory.code.path("tax", "test_total").reverse
    assert not memory.code.path("tax", "price").paths


def test_tests_to_run(memory: Memory, tree: Path) -> None:
    found = memory.code.tests("tax")
    assert [(t.name, depth) for t, depth in found.tests] == [("tests.test_cart.test_total", 2)]
    assert found.command == "pytest tests/test_cart.py"


def test_a_commit_is_told_symbol_by_symbol_and_lines_have_their_last_commit(
    memory: Memory, repository: Repository
) -> None:
    repository.commit(
        "Price and total", {"shop.py": "def price(item):\n    return 1\n\n\ndef total(items):\n    return 2\n"}
    )
    changed = "import math\n\n\ndef price(item):\n    return math.pi\n\n\ndef total(items):\n    return 3\n"
    repository.commit("Raise prices", {"shop.py": changed, "gone.txt": "x\n"})
    memory.index_code(repository.path)
    found = memory.code.commit("HEAD")
    assert found.message == "Raise prices" and found.commit == memory.code.blame("shop.py").rows[0][1]
    by_symbol = {(one.file, one.symbol): one for one in found.patches}
    assert {("shop.py", "shop.price"), ("shop.py", "shop.total"), ("gone.txt", "")} <= by_symbol.keys()
    assert "+    return 3" in by_symbol["shop.py", "shop.total"].lines
    assert "+    return 3" not in by_symbol["shop.py", "shop.price"].lines
    rows = memory.code.blame("shop.py").rows
    assert [row[4] for row in rows][:4] == ["Raise prices", "Raise prices", "Raise prices", "Price and total"]
    (repository.path / "shop.py").write_text(changed + "NEW = 1\n")
    assert memory.code.blame("shop.py").rows[-1][1:] == ["", None, "", ""]
    assert {row[4] for row in memory.code.blame("shop.py", as_of="HEAD~1").rows} == {"Price and total"}
    with pytest.raises(NotFound):
        memory.code.blame("nowhere.py")


def test_explanation_is_short_and_whole(memory: Memory, tree: Path) -> None:
    memory.remember("The tax is 10 % by decision of the finance team", files=["shop/cart.py"])
    memory.process()
    text = "\n".join(memory.code.explain("tax").lines)
    assert count_tokens(text) < 800
    for part in (
        "def tax(amount)",
        "return amount * 1.1",
        "cart.total (:",
        "test_total",
        "because the law says so",
        "(introduced it)",
        "Ada 2/2 lines",
        "finance team",
    ):
        assert part in text
    history = memory.code.hunks("tax", limit=1)
    assert history.total == 2 and "+    return amount * 1.1" in history.commits[0][2]


def test_searching_a_large_tree_is_quick(memory: Memory, repository: Repository) -> None:
    body = "".join(f"def function_{n}(argument):\n    return argument + {n}\n" for n in range(50))
    repository.commit("Begin", {f"m{n}.py": body for n in range(100)})
    memory.init(repository.path)
    assert memory.code.text("argument + 49").total == 100
    assert processor_seconds(lambda: memory.code.text("argument + 49"), enough=0.5) < 2  # it takes 0.02


def test_tests_that_start_the_program_are_found_by_history(memory: Memory, repository: Repository) -> None:
    tool = "def main():\n    print(render(1))\n\n\ndef render(value):\n    return str(value)\n"
    case = "import subprocess\n\n\ndef run():\n    return subprocess.check_output(['tool'])\n\n\ndef test_output():\n    assert run() == b'1'\n"
    repository.commit("Add the tool", {"tool.py": tool, "tests/test_tool.py": case}, at=1_700_000_000)
    changed = {
        "tool.py": tool.replace("str(value)", "f'<{value}>'"),
        "tests/test_tool.py": case.replace("b'1'", "b'<1>'"),
    }
    repository.commit("Mark values", changed, at=1_700_100_000)
    repository.commit(
        "Test nothing else", {"tests/test_other.py": "def test_other():\n    assert 1\n"}, at=1_700_200_000
    )
    memory.init(repository.path)
    found = memory.code.tests("render")
    assert (found.total, [(test.name, commits) for test, commits in found.changed_with]) == (
        0, [("tests.test_tool.test_output", 2)]
    )  # fmt: skip
    assert found.command == "pytest tests/test_tool.py"
    assert "Tests that the same commits changed are shown" in FORMS[type(found)](found)[1]
    assert any(
        "changed with it: " in line and "test_output (tests/test_tool.py:8)" in line
        for line in memory.code.explain("render").lines
    )


def test_a_commit_of_an_impossible_year_is_read_like_any_other(memory: Memory, repository: Repository) -> None:
    repository.commit("Add the basket", {"basket.py": "def basket():\n    return 1\n"})
    told = repository.git("cat-file", "commit", "HEAD").replace("1700000000", "9999999999999")
    file = repository.path / ".git" / "far"
    file.write_text(told + "\n")
    repository.git("update-ref", "HEAD", repository.git("hash-object", "-t", "commit", "-w", "--literally", str(file)))
    memory.init(repository.path)
    assert [match.commit.subject for match in memory.code.patches("basket").commits] == ["Add the basket"]
    memory.ask("who introduced basket")
