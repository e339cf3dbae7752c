"""What the facade is asked wrongly is refused in a sentence, and nothing of it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem import Memory
from graphmem.errors import GraphmemError, UsageError


@pytest.fixture(scope="module")
def mem(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("refusals") / "store", project="harbour") as opened:
        opened.observe("The crane stops at noon.")
        opened.tasks.create("Oil the crane")
        opened.process()
        yield opened


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a time as text": (lambda mem: mem.observe("x", at="2026-01-01"), "`at` must be a datetime, not '2026-01-01'"),
    "a date to search as of": (lambda mem: mem.search("x", as_of="2026-01-01"), "`as_of` must be a datetime"),
    "a number as text": (lambda mem: mem.search("x", k="3"), "`k` must be an integer, not '3'"),
    "a truth as number": (lambda mem: mem.search("x", k=True), "`k` must be an integer, not True"),
    "one text for several": (
        lambda mem: mem.search("x", kinds="turn"),
        "a list of strings, not 'turn': write ['turn']",
    ),
    "nothing for something": (lambda mem: mem.search(None), "`query` must be a string, not None"),
    "a turn that is none": (lambda mem: mem.observe_many(["x"]), "`each turn` must be a dictionary, not 'x'"),
    "no turns": (lambda mem: mem.observe_many(None), "`turns` must be a list of dictionaries, not None"),
    "metadata that is none": (lambda mem: mem.observe("x", metadata={"a": object()}), "`metadata` may only contain"),
    "metadata without end": (lambda mem: mem.observe("x", metadata=nested(3_000)), "`metadata` may only contain"),
    "a turn of a wrong time": (
        lambda mem: mem.observe_many([{"content": "x", "at": "now"}]),
        "`at` must be a datetime",
    ),
    "no rows": (lambda mem: mem.cypher("MATCH (n) RETURN n.id", limit=0), "`limit` must be greater than 0, not 0"),
    "two things to forget": (lambda mem: mem.forget("x", session="y"), "2 were given"),
    "no id to forget": (lambda mem: mem.forget(""), "the id to forget is empty"),
    "no session to forget": (lambda mem: mem.forget(session=""), "the session to forget is empty"),
    "no session to erase": (lambda mem: mem.forget(session=" ", purge=True), "the session to forget is empty"),
    "no project to forget": (lambda mem: mem.forget(project=""), "the project to forget is empty"),
    "a title that is none": (lambda mem: mem.tasks.update("Oil the crane", title=3), "`title` must be a string, not 3"),
    "labels that are none": (lambda mem: mem.tasks.create("x", labels=3), "`labels` must be a list of strings, not 3"),
    "a title without end": (
        lambda mem: mem.tasks.update("Oil the crane", title="x" * 9_999),
        "more than 500 characters",
    ),
    "a symbol that is none": (lambda mem: mem.code.callers(3), "`symbol` must be a string, not 3"),
    "details of nothing": (lambda mem: mem.details(["x", "y"]), "no item `x`, `y`"),
    "what is around nothing": (lambda mem: mem.timeline(iter(["x"])), "no item `x`"),
    "settings that are none": (lambda mem: mem.configure([1]), "`changes` must be a dictionary, not [1]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_sentence_says_what_is_wrong(mem: Memory, name: str) -> None:
    call, said = WRONG[name]
    head = mem.head
    with pytest.raises(UsageError) as raised:
        call(mem)
    assert said in str(raised.value) and "\n" not in str(raised.value)
    assert mem.head == head


@pytest.mark.parametrize("name", sorted(name for name in graphmem.__all__ if name.islower()))
def test_the_functions_on_text_refuse_what_is_none(name: str) -> None:
    function: Callable[..., Any] = getattr(graphmem, name)
    for wrong in (None, 3, b"text"):
        with pytest.raises(UsageError, match=r"must be a (string|list of strings), not"):
            function(wrong, "x") if name in ("align", "anchor_times") else function(wrong)


def test_half_a_character_is_no_query(mem: Memory) -> None:
    with pytest.raises(UsageError, match="lone surrogate"):
        mem.cypher("RETURN '\ud800'")


def test_half_a_character_is_replaced_wherever_it_is_recorded(mem: Memory) -> None:
    half = "\ud800"
    said = mem.observe(half, session=half, ref=half, metadata={half: [half], "status": half})
    kept = mem.remember(f"a{half}", title=half, tags=[half], files=[half], ref=half, evidence=[half])
    mem.process()
    for id in (said, kept):
        assert half not in str(mem.event(id)) and mem.details([id])[0].ref == "?"
    assert mem.event(said).session == "?"


def test_what_fits_is_taken(mem: Memory) -> None:
    assert mem.search("crane", k=1, kinds=("turn",), as_of=datetime.now(UTC)).hits
    assert mem.details([]) == [] == mem.timeline([])
    assert mem.tasks.show(mem.tasks.ready()[0]).task.title == "Oil the crane"


def test_a_title_without_end_is_cut_and_kept(mem: Memory) -> None:
    whole = "oil " * 500
    task = mem.tasks.create(whole, description="and grease")
    assert len(task.title) <= 500 and task.title.endswith("…")
    assert task.description.startswith(whole.strip()) and task.description.endswith("and grease")
    assert mem.tasks.create(whole).id == task.id


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    mem = Memory.open(tmp_path / "store", project="harbour")
    mem.observe("one")
    mem.process()
    tasks = mem.tasks
    mem.close()
    mem.close()
    for call in (lambda: mem.observe("x"), lambda: mem.search("x"), lambda: mem.show("x"), mem.stats, mem.process,
                 tasks.ready, mem.endless.status, lambda: mem.head):  # fmt: skip
        with pytest.raises(GraphmemError, match="this memory was closed: open it again"):
            call()


def test_half_a_character_names_nothing_and_no_store_lies_nowhere(mem: Memory) -> None:
    half = "\ud800 lone"
    for call in (lambda: mem.forget(half), lambda: mem.show(half), lambda: mem.details([half]), lambda: mem.path("a", half),
                 lambda: mem.cypher("RETURN $x", {"x": half}), lambda: mem.cypher("RETURN $x", {"x": [half]})):  # fmt: skip
        with pytest.raises(UsageError, match="lone surrogate"):
            call()
    with pytest.raises(UsageError, match="store path is empty"):
        Memory.open("")
    with pytest.raises(GraphmemError, match="cannot create a store at /proc/nope"):
        Memory.open("/proc/nope")
