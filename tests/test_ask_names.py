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
