"""The named queries: documented, runnable, and giving the columns that their headers promise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import Repository

from graphmem import Memory
from graphmem.browse.named_queries import list_named_queries, named_query
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.noted import split_note
from graphmem.interfaces.verbs.general import cypher
from graphmem.text.cypher import check_read_only


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A store that the tests of this module read; the last one adds to it."""
    folder = tmp_path_factory.mktemp("filled")
    repository = Repository(folder / "repository")
    memory = Memory.open(folder / "store", project="demo")
    repository.commit(
        "fix: start",
        {"app.py": "def run():\n    return help()\n\n\ndef help():\n    return 1\n", "notes.md": "# Title\n\nText\n"},
    )
    repository.commit("fix: go on", {"app.py": "def run():\n    return help()\n\n\ndef help():\n    return 2\n"})
    memory.init(repository.path)
    memory.observe(
        "ran it", role="tool", session="s", metadata={"command": "false", "exit_code": 1, "writes": ["app.py"]}
    )
    memory.tasks.create("Write more", blocked_by=["the release"], status="blocked")
    memory.process()
    yield memory
    memory.close()


def test_every_query_runs_and_keeps_its_promises(filled: Memory) -> None:
    arguments = {"name": "app.help", "names": ["app.help"], "text": "fix", "path": "app.py", "id": "file:demo:app.py", "a": "file:demo:app.py",
                 "b": "project:demo", "kinds": [""], "types": ["CALLS"], "project": "demo", "ids": ["file:demo:app.py"], "ref": "r", "refs": ["r"], "hashes": ["0"], "session": "s", "title": "Write more", "at": "2026-03-01", "task": "Write more"}  # fmt: skip
    for query in list_named_queries():
        check_read_only(query.text)
        assert query.purpose, query.name
        given = {name: arguments[name] for name in query.parameters if name in arguments}
        table = filled.query(query.name, given)
        header = next(line for line in open_header(query.name) if line.startswith("// Columns: "))
        assert table.columns == header.removeprefix("// Columns: ").split(", "), query.name


def open_header(name: str) -> list[str]:
    from graphmem import resources

    return resources.text(f"queries/graph/read/{name}.cypher").splitlines()


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("callers", {"name": "app.help"}, ["app.run"]),
        ("functions_of_commits", {"text": "FIX"}, ["app.help", "app.run"]),
        ("hot_files", {}, ["app.py", "notes.md"]),
        ("history_of", {"path": "app.py"}, None),
        ("failed_commands", {}, None),
    ],
)
def test_answers_are_complete(
    filled: Memory, name: str, parameters: dict[str, str], expected: list[str] | None
) -> None:
    table = filled.query(name, parameters)
    assert table.rows and not any(value is None for row in table.rows for value in row)
    if expected:
        assert [row[0] for row in table.rows] == expected


def test_wrong_names_and_parameters_say_so() -> None:
    with pytest.raises(NotFound, match="graphmem schema"):
        named_query("nothing")
    with pytest.raises(UsageError, match="needs `name`"):
        named_query("callers").arguments({})
    with pytest.raises(UsageError, match="no parameter `x`"):
        named_query("callers").arguments({"name": "a", "x": 1})


def test_a_renamed_file_keeps_its_history(memory: Memory, repository) -> None:
    text = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(9))
    repository.commit("one", {"old.py": text, "notes.md": "a\n"})
    repository.commit("two", {"old.py": text + "LAST = 1\n", "notes.md": "b\n"})
    (repository.path / "old.py").unlink()
    repository.commit("move", {"new.py": text + "LAST = 1\n"})
    repository.commit("three", {"new.py": text + "LAST = 2\n", "notes.md": "c\n"})
    memory.ingest("git", repository.path)
    memory.process()
    assert [row[:2] for row in memory.query("hot_files").rows] == [["new.py", 4], ["notes.md", 3]]
    assert memory.query("changed_together", {"path": "new.py"}).rows == [["notes.md", 3, 3]]
    assert memory.query("changed_together", {"path": "notes.md"}).rows == [["new.py", 3, 3]]
    assert len(memory.query("history_of", {"path": "new.py"}).rows) == 4


def test_a_path_that_came_back_keeps_its_own_history(memory: Memory, repository) -> None:
    """Moved to another path and written anew, a file is none of the past of what it was moved to."""
    text = "".join(f"func step{n}() int {{\n\treturn {n}\n}}\n\n" for n in range(9))
    repository.commit("one", {"cmd/main.go": text, "store.go": "a\n"})
    (repository.path / "cmd/main.go").unlink()
    repository.commit("move", {"cmd/run.go": text})
    repository.commit("again", {"cmd/main.go": "package main\n", "store.go": "b\n"})
    repository.commit("two", {"cmd/main.go": "package main\n\nfunc main() {}\n", "store.go": "c\n"})
    repository.commit("three", {"cmd/run.go": text + "// more\n", "store.go": "d\n"})
    memory.ingest("git", repository.path)
    memory.process()
    together = memory.query("changed_together", {"path": "store.go"}).rows
    assert together == [["cmd/main.go", 3, 3], ["cmd/run.go", 1, 1]]
    assert memory.query("changed_together", {"path": "cmd/run.go"}).rows == [["store.go", 1, 1]]
    assert memory.query("changed_together", {"path": "cmd/main.go"}).rows == [["store.go", 3, 3], ["cmd/run.go", 1, 1]]
    assert [row[:2] for row in memory.query("hot_files").rows] == [
        ["cmd/main.go", 4],
        ["store.go", 4],
        ["cmd/run.go", 2],
    ]
    assert {row[3] for row in memory.query("history_of", {"path": "cmd/run.go"}).rows} == {"move", "three"}


def test_a_named_query_says_what_it_leaves_out(memory: Memory, repository) -> None:
    repository.commit("one", {"a.py": "x = 1\n", **{f"b{n:02}.py": "x = 1\n" for n in range(25)}})
    repository.commit("two", {"a.py": "x = 2\n", **{f"c{n:02}.py": "x = 1\n" for n in range(25)}})
    memory.ingest("git", repository.path)
    memory.process()
    value, note = split_note(cypher(memory, "path=a.py", named="changed_together"))
    assert len(value.rows) == 50 and value.truncated  # the query stops there by itself
    assert "commits of at most 30 files" in note
    repository.commit("three", {"d.py": "x = 1\n", "e.py": "x = 1\n"})
    memory.ingest("git", repository.path)
    memory.process()
    value, _ = split_note(cypher(memory, "path=d.py", named="changed_together"))
    assert value.rows == [["e.py", 1, 1]] and not value.truncated


def test_a_path_over_some_relations_only(filled: Memory) -> None:
    def relations(a: str, b: str, *only: str) -> list[str]:
        rows = filled.path(a, b, only).rows
        return rows[0][1] if rows else []

    assert relations("app.run", "app.help") == ["CALLS"]
    assert relations("app.run", "app.help", "defines") == ["DEFINES", "DEFINES"]
    assert relations("app.run", "app.help", "TOUCHES,NEXT") == []
    assert relations("app.run", "app.help", "TOUCHES, calls") == ["CALLS"]
    with pytest.raises(UsageError, match=r"`EATS` is no type of relation: choose from .*CALLS"):
        filled.path("app.run", "app.help", ["eats"])


def test_a_name_of_a_symbol_and_an_entity_means_the_symbol(filled: Memory) -> None:
    filled.observe("The function `help` is slow", session="s")
    filled.process()
    assert filled.cypher("MATCH (e:Entity {name: 'help'}) RETURN e.id").rows
    assert filled.show("help")["node"]["qualified_name"] == "app.help"
