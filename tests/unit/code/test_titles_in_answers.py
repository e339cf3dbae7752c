"""Tests that have titles, in answers: which of them reach a symbol, the command that runs them, and how they are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import AmbiguousName
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.text.lists import outline_text

FIXTURES = Path(__file__).parents[3] / "fixtures" / "code"
PACKAGE = '{"name": "shop", "devDependencies": {"mocha": "1"}}'


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def text_of(answer: object) -> str:
    return "\n".join(FORMS[type(answer)](answer))


@pytest.fixture
def queue(memory: Memory, tmp_path: Path) -> Memory:
    text = """import { describe, it } from 'vitest'
import { add, clear } from '../src/queue'

describe('queue', () => {
  beforeEach(() => clear())
  it('adds a job. Then <waits>', () => { add('a') })
  it('adds two jobs', () => { [1, 2].forEach(n => add(n)) })
})
"""
    source = "export function add(x) { return push(x) }\nfunction push(x) { return [x] }\nexport function clear() {}\n"
    memory.index_code(write(tmp_path, {"src/queue.ts": source, "tests/queue.test.ts": text}))
    return memory


def test_the_tests_of_a_symbol_are_named_by_their_titles(queue: Memory) -> None:
    plan = queue.code.tests("push", limit=60)
    assert [(place.short_name, place.line, depth) for place, depth in plan.tests] == [
        ("queue > adds a job. Then <waits>", 6, 2), ("queue > adds two jobs", 7, 2),
    ]  # fmt: skip
    assert plan.command == r"npx vitest run tests/queue.test.ts -t 'adds a job\. Then <waits>|adds two jobs'"
    assert "2 tests: queue > adds a job. Then <waits> 6, queue > adds two jobs 7" in text_of(plan)
    [(suite, _)] = queue.code.tests("clear", limit=60).tests
    assert suite.short_name == "queue" and suite.line == 4


def test_files_of_helpers_are_no_tests_beside_titles(memory: Memory, tmp_path: Path) -> None:
    files = {
        "src/a.js": "export function made() {}\n",
        "test/_setup.js": "import { made } from '../src/a.js'\nmade()\nregister(() => made())\n",
        "test/a.test.js": "import { made } from '../src/a.js'\nbefore(() => made())\nit('is made', () => made())\n",
    }
    memory.index_code(write(tmp_path, files))
    plan = memory.code.tests("made", limit=60)
    assert plan.files == ("test/a.test.js",) and [place.line for place, _ in plan.tests] == [2, 3]


def test_callers_and_explanations_name_the_test(queue: Memory) -> None:
    assert [(call.symbol.short_name, call.line) for call in queue.code.callers("add").calls] == [
        ("queue > adds a job. Then <waits>", 6), ("queue > adds two jobs", 7),
    ]  # fmt: skip
    text = text_of(queue.code.explain("add"))
    assert "queue > adds a job. Then <waits> (tests/queue.test.ts:6)" in text


def test_the_test_of_a_method_of_a_class_is_the_first_hit(memory: Memory, tmp_path: Path) -> None:
    text = "require_relative '../lib/fetch'\n\ndescribe Fetch do\n  it 'retrieves in strict order' do\n    Fetch.new.queues_cmd\n  end\nend\n"
    source = "class Fetch\n  def queues_cmd\n    1\n  end\n\n  def other_cmd\n    2\n  end\nend\n"
    memory.index_code(write(tmp_path, {"lib/fetch.rb": source, "test/fetch_test.rb": text}))
    memory.process()
    first = memory.search("Which test checks queues_cmd of Fetch for ordered queues?").hits[0]
    assert first.is_answer and first.title.endswith("Fetch > retrieves in strict order")


def test_a_test_is_named_by_a_part_of_its_title_or_its_place(queue: Memory) -> None:
    for name in ("adds two", "queue > adds two jobs", "tests/queue.test.ts:7", "queue.test.queue > adds two jobs"):
        assert queue.code.callees(name).symbol.name.endswith("queue > adds two jobs")
    assert "More: graphmem code source|callers|history|impact tests/queue.test.ts:7" in text_of(
        queue.code.explain("adds two")
    )
    with pytest.raises(AmbiguousName, match=r"tests/queue.test.ts:6, tests/queue.test.ts:7"):
        queue.code.callees("queue > adds")


def test_no_test_with_a_title_is_unused(queue: Memory) -> None:
    dead = queue.code.dead()
    assert "adds" not in str(dead) and "'queue'" not in str(dead)


def test_an_outline_lists_titles(queue: Memory) -> None:
    text, _ = outline_text(queue.code.outline("tests/queue.test.ts"))
    assert "4-8 function queue" in text and "6 function queue > adds a job. Then <waits>" in text


COMMANDS = {
    "ruby/titles": ("Fetcher.retrieve", "ruby -Itest test/fetcher_test.rb -n /retrieves.+in.+order/"),
    "go/titles": ("Sum", "go test . -run '^(TestSum)$'"),
    "javascript/titles": ("sum", "npm test -- test/sum.js"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_the_command_of_each_framework(memory: Memory, case: str) -> None:
    name, command = COMMANDS[case]
    memory.index_code(FIXTURES / case)
    assert memory.code.tests(name, limit=60).command == command


@pytest.mark.parametrize(
    ("file", "test", "command"),
    [
        ("a_spec.rb", "it 'makes (one)' do\n  made\nend\n", "bundle exec rspec a_spec.rb:1"),
        ("a.test.js", "it('makes $1', () => made())\n", r"npx mocha a.test.js -g 'makes \$1'"),
        ("a.test.js", "it(`makes ${one}`, () => made())\n", "npx mocha a.test.js"),
        ("a.test.js", "import {it} from 'node:test'\nit('makes', () => made())\n", "node --test --test-name-pattern makes a.test.js"),
        ("a_test.go", 'package a\nfunc TestA(t *testing.T) {\n\tt.Run("makes one", func(t *testing.T) { made() })\n}\n',
         "go test . -run '^TestA$/^makes_one$'"),
    ],
)  # fmt: skip
def test_the_command_names_few_tests(memory: Memory, tmp_path: Path, file: str, test: str, command: str) -> None:
    sources = {
        "rb": "def made\nend\n", "js": "function made() {}\nexport { made }\n", "go": "package a\nfunc made() {}\n",
    }  # fmt: skip
    kind = file.rpartition(".")[2]
    if kind == "js":
        test = f"import {{ made }} from './a.js'\n{test}"
    memory.index_code(write(tmp_path, {"package.json": PACKAGE, f"a.{kind}": sources[kind], file: test}))
    assert memory.code.tests("made", limit=60).command == command


def test_a_command_quotes_what_a_repository_calls_its_files(memory: Memory, tmp_path: Path) -> None:
    folder = "a; touch x"
    sources = {
        f"{folder}/a.go": "package a\nfunc Made() {}\n",
        f"{folder}/a_test.go": 'package a\nimport "testing"\nfunc TestMade(t *testing.T) { Made() }\n',
        "made.py": "def made_here():\n    return 1\n",
        "-k_$(id)_test.py": "from made import made_here\n\n\ndef test_made():\n    made_here()\n",
    }
    memory.index_code(write(tmp_path, sources))
    assert memory.code.tests("Made", limit=60).command == "go test './a; touch x' -run '^(TestMade)$'"
    assert memory.code.tests("made_here", limit=60).command == "pytest './-k_$(id)_test.py'"
