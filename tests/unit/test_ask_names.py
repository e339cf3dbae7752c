"""Questions and commands that spell a name with its type: methods of one name in several types, private members of JavaScript,
and names whose files changed after they were indexed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.errors import NotFound
from graphmem.interfaces.text.answers import FORMS

ACCEPT = """class Accept:
    def find(self, key):
        return key


class HeaderSet:
    def find(self, header):
        return header

    def index(self, header):
        return self.find(header)


def best(accept: Accept):
    return accept.find("x")
"""
KY = """export class Ky {
  #count = 0;

  run(url) {
    return this.#fetch(url);
  }

  #fetch(url) {
    this.#count += 1;
    return url;
  }
}
"""


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    repository = Repository(tmp_path_factory.mktemp("named") / "repository")
    repository.commit("Begin", {"accept.py": ACCEPT, "source/ky.js": KY})
    with Memory.open(tmp_path_factory.mktemp("named") / "store", project="demo") as memory:
        memory.init(repository.path)
        yield memory


@pytest.mark.parametrize(
    "question", ["who uses HeaderSet.find?", "who calls HeaderSet.find?", "HeaderSet.find을 호출하는 곳은?"]
)
def test_a_method_is_that_of_the_type_before_it(named: Memory, question: str) -> None:
    answer = named.ask(question)
    assert "1 caller of method HeaderSet.find" in answer.lines[0]
    assert any("HeaderSet.index" in line for line in answer.lines)


@pytest.mark.parametrize("name", ["Ky.#fetch", "#fetch", "Ky#fetch", "source.ky.Ky.#fetch", "source/ky.js:Ky.#fetch"])
def test_private_members_of_javascript_have_names(named: Memory, name: str) -> None:
    assert [call.symbol.short_name for call in named.code.callers(name).calls] == ["Ky.run"]
    assert "this.#count += 1" in named.code.source(name).text


@pytest.mark.parametrize("question", ["who calls Ky.#fetch?", "who calls #fetch?", "Ky.#fetch를 호출하는 곳은?"])
def test_questions_name_private_members(named: Memory, question: str) -> None:
    assert "Ky.run" in "\n".join(named.ask(question).lines)


def test_answers_say_what_changed_since_indexing(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"accept.py": ACCEPT, "other.py": "def other():\n    return 1\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        assert memory.ask("who calls HeaderSet.find?").confidence == "high"
        repository.write(
            "accept.py",
            "import os\n\n" + ACCEPT.replace("return header", "header = header.lower()\n        return header"),
        )
        answer = memory.ask("who calls HeaderSet.find?")
        assert answer.confidence != "high"
        assert answer.lines[-1].endswith("may be out of date: accept.py")
        source = memory.code.source("HeaderSet.find").text
        assert source.startswith("    def find") and source.endswith("return header")
        assert memory.code.source("best").text.endswith('accept.find("x")')
        repository.write("accept.py", "import os\n")
        with pytest.raises(NotFound, match="no longer in accept"):
            memory.code.source("best")
        assert memory.ask("where is other defined?").confidence == "high"


MAKE = """import {Ky} from './ky.js';

const defaults = {};
export const start = url => new Ky().run(url);
export function instance() {
  return Object.assign((...given) => start(...given), defaults);
}
"""
TEST = """import {instance} from './start.js';

test('it starts', () => {
  const api = instance();
  api.begin('/');
});
"""


def test_no_test_is_not_certain_while_calls_of_tests_are_unresolved(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(
        "Begin", {"ky.js": KY, "start.js": MAKE, "start.test.js": TEST, "alone.js": "export function alone() {}\n"}
    )
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        plan = memory.code.tests("Ky.#fetch")
        assert plan.total or plan.open_calls
        assert "0 tests reach" not in "\n".join(memory.ask("which tests cover Ky.#fetch?").lines)
        assert not memory.code.tests("alone").open_calls
        assert "No test reaches alone.alone through calls." in FORMS[type(plan)](memory.code.tests("alone"))[1]


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory with commits on 3 and 20 April 2026 and on 2 May 2026, and a task."""
    repository = Repository(tmp_path_factory.mktemp("dated") / "repository")
    repository.commit("Round the sum", {"cart.py": "def total():\n    return 1\n"}, at=1_775_210_000)
    repository.commit("Tax the sum", {"cart.py": "def total():\n    return 2\n"}, at=1_776_680_000)
    repository.commit("Ship in May", {"ship.py": "def ship():\n    return 3\n"}, at=1_777_720_000)
    with Memory.open(tmp_path_factory.mktemp("dated") / "store", project="demo") as memory:
        memory.init(repository.path)
        memory.tasks.create("Limit the length of passwords")
        yield memory


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("what changed in April 2026?", ["Tax the sum", "Round the sum"]),
        ("2026년 4월에 무엇이 바뀌었나?", ["Tax the sum", "Round the sum"]),
        ("what changed in the last two weeks of April 2026?", ["Tax the sum"]),
        ("what changed in cart.py in May 2026?", []),
    ],
)
def test_changes_of_a_month(dated: Memory, question: str, subjects: list[str]) -> None:
    lines = dated.ask(question).lines
    assert lines[0].startswith(f"{len(subjects)} commit")
    assert [line.partition("Ada: ")[2] for line in lines[1:]] == subjects


@pytest.mark.parametrize(
    "question", ["which issue tracks the length of passwords?", "passwords 길이 제한을 다루는 이슈는?"]
)
def test_issues_are_found_by_what_they_are_about(dated: Memory, question: str) -> None:
    assert "Limit the length of passwords" in dated.ask(question).lines[0]


def test_who_changed_it_last_in_korean(dated: Memory) -> None:
    assert "Ada" in dated.ask("total을 마지막으로 바꾼 사람은?").lines[0]
