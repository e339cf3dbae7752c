"""First answers that leave nothing to check: calls on objects that settings make, public names that nothing uses, own and inherited
methods, tests that classes inherit, files that changed together."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.interfaces.mcp.answers import format_answer as answer_of


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


QUEUE = (
    "class Queue:\n    def __init__(self, name):\n        self.name = name\n\n    def get(self, key):\n        return key\n\n"
    "    def put_row(self, key):\n        return key\n\n    def flush_rows(self):\n        return 1\n\n\n"
    "class FastQueue(Queue):\n    def get(self, key):\n        return key\n"
)
PYTHON = {
    "shop/queue.py": QUEUE,
    "shop/made.py": "from django.conf import settings\nfrom django.utils.module_loading import import_string\n\n"
    "QUEUE = getattr(settings, 'QUEUE', None)\nif isinstance(QUEUE, dict):\n"
    "    QUEUE = import_string(QUEUE['class'])(**QUEUE)\n\nflush = QUEUE.flush_rows\n",
    "shop/use.py": "from shop.made import QUEUE\n\n\ndef work(key):\n    QUEUE.put_row(key)\n    return QUEUE.get(key)\n",
}
TYPESCRIPT = {
    "queue.ts": "export class Queue {\n  get(key: string) { return key; }\n  putRow(key: string) { return key; }\n  flushRows() { return 1; }\n}\n",
    "made.ts": 'import { make } from "container";\nexport const queue: any = make("queue");\nexport const stop = () => queue.flushRows();\n',
    "use.ts": 'import { queue } from "./made";\nexport function work(key: string) {\n  queue.putRow(key);\n  return queue.get(key);\n}\n',
}
RUBY = {
    "queue.rb": "class Queue\n  def get_row(key)\n    key\n  end\n\n  def put_row(key)\n    key\n  end\n\n  def flush_rows\n    1\n  end\nend\n",
    "use.rb": "QUEUE = Rails.application.config.queue\n\ndef work(key)\n  QUEUE.put_row(key)\n  QUEUE.flush_rows\n  QUEUE.get_row(key)\nend\n",
}


@pytest.mark.parametrize(
    ("files", "method", "caller"),
    [(PYTHON, "Queue.put_row", "work"), (PYTHON, "Queue.get", "work"), (TYPESCRIPT, "Queue.putRow", "work"), (RUBY, "Queue.get_row", "work")],
)  # fmt: skip
def test_calls_on_what_settings_make_are_of_the_class_that_has_the_members(
    memory: Memory, tmp_path: Path, files: dict[str, str], method: str, caller: str
) -> None:
    memory.index_code(write(tmp_path, files))
    found = memory.code.callers(method)
    calls = {call.symbol.name.rpartition(".")[2]: call for call in found.calls}
    assert caller in calls and calls[caller].confidence < 0.9
    called = memory.code.callees(calls[caller].symbol.name)
    assert method.rpartition(".")[2] in {call.symbol.name.rpartition(".")[2] for call in called.calls}
    assert not called.open_sites


def test_calls_on_settings_count_as_unresolved_where_no_class_has_the_members(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.py": "class One:\n    def get(self):\n        return 1\n\n\nclass Two:\n    def get(self):\n        return 2\n",
        "b.py": "from django.conf import settings\n\nMADE = settings.MADE\n\n\ndef use():\n    return MADE.get()\n",
    }
    memory.index_code(write(tmp_path, files))
    found = memory.code.callers("One.get")
    assert found.open_places == ("b.py:7",)
    assert "no unresolved call has its name" not in answer_of("code callers", found)


def test_public_names_that_nothing_uses_come_first(memory: Memory, tmp_path: Path) -> None:
    files = {
        "shop.py": "class Cart(object):\n    def total(self):\n        return 1\n\n    def lost(self):\n        return 2\n\n"
        "    def local(self):\n        return 3\n\n    def tested(self):\n        return 4\n\n\ndef make():\n    return Cart().total()\n",
        "run.py": "from shop import make\n\ncart = make()\ncart.local = print\nprint(cart)\n",
        "tests/test_shop.py": "from shop import Cart\n\n\ndef test_cart():\n    assert Cart().tested()\n",
    }
    memory.index_code(write(tmp_path, files))
    found = memory.code.dead("shop.py")
    assert {place.short_name for place, _ in found.public} == {"Cart.lost", "Cart.local"}
    said = answer_of("code dead", found).split("\n")
    assert "2 public names are used by nothing in the repository, tests and examples included:" in said
    assert any("--exported lists 1 public one that tests alone use" in line for line in said)


def test_members_of_an_interface_are_not_doubted(memory: Memory, tmp_path: Path) -> None:
    files = {
        "kinds.ts": "export interface Hooks { begin(): void; }\nexport class Cart { finish() { return 1; } }\n",
        "use.ts": 'import { Cart, Hooks } from "./kinds";\nexport const run = (name: any) => [new Cart(), name("begin"), name("finish")];\n'
        "export const of = (hooks: Hooks) => hooks;\nconsole.log(run, of);\n",
    }
    memory.index_code(write(tmp_path, files))
    assert {place.short_name.rpartition(".")[2] for place, _ in memory.code.dead().doubts} == {"finish"}


def test_implementations_say_which_methods_a_class_defines_itself(memory: Memory, tmp_path: Path) -> None:
    files = {
        "store.py": "class Store:\n    def wait(self):\n        return 1\n\n    def drop(self):\n        return 2\n\n\n"
        "class Disk(Store):\n    def wait(self):\n        return 3\n\n    def drop(self):\n        return 4\n\n\n"
        "class Fast(Disk):\n    def drop(self):\n        return 5\n",
    }
    memory.index_code(write(tmp_path, files))
    assert "Fast through Disk: defines drop 18; inherits wait 10 of Disk" in answer_of(
        "code implementations", memory.code.implementations("Store")
    )
    said = answer_of("code implementations", memory.code.implementations("Store.wait"))
    assert "17  Fast through Disk: inherits wait 10 of Disk" in said
    assert "2 implementations of store.Store.wait, 1 of them defined in the class itself" in said


def test_implementations_through_another_class_say_so_with_what_they_override_there(
    memory: Memory, tmp_path: Path
) -> None:
    files = {
        "store.py": "class Store:\n    def wait(self):\n        return 1\n\n\nclass Disk(Store):\n    def spin(self):\n        return 2\n\n\n"
        "class Fast(Disk):\n    def wait(self):\n        return 3\n\n    def spin(self):\n        return 4\n",
    }
    memory.index_code(write(tmp_path, files))
    said = answer_of("code implementations", memory.code.implementations("Store"))
    assert "6  Disk\n" in said and "11  Fast through Disk: wait 12, Disk.spin 15" in said


def test_object_literals_implement_the_interface_that_is_their_type(memory: Memory, tmp_path: Path) -> None:
    files = {
        "types.ts": "export interface Database { run(sql: string): Promise<number>; listen?(name: string): void; }\n",
        "own.ts": 'import type * as types from "./types";\nexport class Own implements types.Database {\n  async run(sql: string) { return 1; }\n}\n',
        "made.ts": 'import type { Database } from "./types";\nexport function fromPool(pool: any): Database {\n'
        "  return {\n    async run(sql: string) { return pool(sql); },\n  };\n}\n"
        "export function fromLite(lite: any): Database {\n  const db: Database = { run: async (sql) => lite(sql) };\n"
        "  if (lite.listen) db.listen = (name) => lite.listen(name);\n  return db;\n}\n"
        "export const quick = (pool: any): Promise<Database> => Promise.resolve(fromPool(pool));\n"
        "export const short = (pool: any): Database => ({ run: pool });\n"
        "export const many: Database[] = [{ run: async () => 2 }];\nexport const kept = { run: async () => 3 } satisfies Database;\n"
        "export const other = { run: 1 } as const;\nexport const else_: { run: number } = { run: 1 };\n",
        "tests/made.test.ts": 'import type { Database } from "../types";\nconst fake: Database = { run: async () => 4 };\n',
    }
    memory.index_code(write(tmp_path, files))
    found = memory.code.implementations("Database", no_tests=True)
    rows = [(row.symbol.name, row.symbol.line, [name for _, name in row.methods]) for row in found.implemented_by]
    assert rows[0][0] == "own.Own" and found.hidden == 1
    assert rows[1:] == [
        ("fromPool", 3, ["run"]), ("db", 8, ["run", "listen"]), ("short", 13, ["run"]), ("many", 14, ["run"]), ("kept", 15, ["run"])
    ]  # fmt: skip
    said = answer_of("code implementations", found)
    assert "3  fromPool (object): run 4" in said and "6 implementations of types.Database" in said
    assert [row.symbol.name for row in memory.code.implementations("Database.listen").implemented_by] == ["db"]


INHERITED = {
    "store.py": "class Store:\n    def wait(self):\n        return 1\n",
    "tests/base.py": "from store import Store\n\n\nclass StoreTests:\n    def make(self) -> Store:\n        return Store()\n\n"
    "    def test_wait(self):\n        assert self.make().wait()\n",
    "tests/test_disk.py": "from tests.base import StoreTests\n\n\nclass TestDisk(StoreTests):\n    pass\n",
    "tests/test_tape.py": "from tests.base import StoreTests\n\n\nclass TestTape(StoreTests):\n    def test_wait(self):\n        assert True\n",
    "tests/test_reel.py": "from tests.test_disk import TestDisk\n\n\nclass TestReel(TestDisk):\n    kind = 1\n",
}
INHERITED_JAVA = {
    "src/main/java/Store.java": "public class Store {\n  public int drain() { return 1; }\n}\n",
    "src/test/java/StoreTests.java": "import org.junit.jupiter.api.Test;\n\nabstract class StoreTests {\n"
    "  @Test void drains() { new Store().drain(); }\n}\n",
    "src/test/java/DiskTest.java": "class DiskTest extends StoreTests {\n  int kind = 1;\n}\n",
}


@pytest.mark.parametrize(
    ("files", "method", "running", "others"),
    [
        (INHERITED, "Store.wait", {"tests/test_disk.py", "tests/test_reel.py"}, {"tests/test_tape.py"}),
        (INHERITED_JAVA, "Store.drain", {"src/test/java/DiskTest.java"}, set()),
    ],
)
def test_tests_that_a_class_inherits_from_another_file(
    memory: Memory, tmp_path: Path, files: dict[str, str], method: str, running: set[str], others: set[str]
) -> None:
    memory.index_code(write(tmp_path, files))
    plan = memory.code.tests(method)
    assert running <= set(plan.files) and others.isdisjoint(plan.files)
    assert running <= {test.file for test in memory.code.impact(method).tests}


def test_tests_through_an_interface_alone_stand_last(memory: Memory, tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/a\n",
        "a.go": "package a\n\ntype Store interface{ Wait() int }\n\ntype Disk struct{}\n\nfunc (d *Disk) Wait() int { return 1 }\n\n"
        "type Tape struct{}\n\nfunc (t *Tape) Wait() int { return 2 }\n\nfunc Run(s Store) int { return s.Wait() }\n",
        "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestAny(t *testing.T) { Run(nil) }\n',
        "z_test.go": 'package a\n\nimport "testing"\n\nfunc TestDisk(t *testing.T) { (&Disk{}).Wait() }\n',
    }
    memory.index_code(write(tmp_path, files))
    plan = memory.code.tests("Disk.Wait")
    assert plan.files == ("z_test.go", "a_test.go") and plan.dispatched == ("a_test.go",)
    assert (
        "only through an interface, a base class, a table or an unresolved call, so perhaps not: a_test.go"
        in answer_of("code impact", plan)
    )


def test_tests_over_an_unresolved_call_of_a_rare_name_stand_last(memory: Memory, tmp_path: Path) -> None:
    files = {
        "store.py": "class Store:\n    def wait_row(self):\n        return 1\n\n\ndef run(given):\n    return given.wait_row()\n",
        "test_a.py": "from store import run\n\n\ndef test_run():\n    assert run(input())\n",
        "test_b.py": "from store import Store\n\n\ndef test_store():\n    assert Store().wait_row()\n",
    }
    memory.index_code(write(tmp_path, files))
    plan = memory.code.tests("Store.wait_row")
    assert plan.files == ("test_b.py", "test_a.py") and plan.dispatched == ("test_a.py",)


def test_files_that_changed_together_are_counted_as_git_does_and_over_renames(memory: Memory, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    text = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(9))
    repository.commit("one", {"old.py": text, "notes.md": "a\n"})
    (repository.path / "old.py").unlink()
    repository.commit("move", {"new.py": text})
    repository.commit("two", {"new.py": text + "LAST = 2\n", "notes.md": "b\n"})
    memory.init(repository.path)
    lines = memory.ask("which files change together with new.py?").lines
    first = "2 commits changed new.py; merges are not counted, renames not followed; with it (in how many of at most 30 files):"
    assert lines[0] == first and "notes.md in 1 commit (1)" in lines and "old.py in 1 commit (1)" in lines
    second = next(
        number for number, line in enumerate(lines) if line.startswith("with renames of all files followed: 3 commits")
    )
    assert "notes.md in 2 commits (2)" in lines[second:]
    same = memory.ask("which files change together with notes.md?").lines
    assert same[0].startswith("2 commits changed notes.md")


def test_steps_of_a_path_are_quoted(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.py": "def one():\n    return two(1)\n\n\ndef two(n):\n    return three()\n\n\ndef three():\n    return 3\n"
    }
    memory.index_code(write(tmp_path, files))
    said = answer_of("code path", memory.code.path("one", "three"))
    assert "CALLS two  a.py:2  return two(1)" in said and "CALLS three  a.py:6  return three()" in said


def test_fixes_of_the_code_that_has_the_words_in_its_names(memory: Memory, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    text = "class RopeStore:\n    def put(self, key):\n        return {}\n\n\nclass Other:\n    def get(self):\n        return {}\n"
    repository.commit("Begin", {"all.py": text.format(1, 1)})
    repository.commit("Fix the rope store\n\nIt lost keys at night.", {"all.py": text.format(2, 1)})
    repository.commit("Couple of small bugfixes", {"all.py": text.format(3, 1)})
    repository.commit("Write atomically", {"all.py": text.format(4, 1)})
    repository.commit("Fix the other thing", {"all.py": text.format(4, 2)})
    memory.init(repository.path)
    found = memory.ask("which bugs in the rope store were fixed?")
    lines = [line.partition(": ")[2] or line for line in found.lines]
    assert "Fix the rope store — It lost keys at night." in lines
    assert lines.index("1 more fix changed functions or types whose names have these words:") < lines.index(
        "Couple of small bugfixes"
    )
    assert "Write atomically" in lines and "Fix the other thing" not in lines
    assert found.confidence != "high"
