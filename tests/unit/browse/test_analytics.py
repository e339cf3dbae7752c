"""What injected memories led to, and the figures of a project."""

from __future__ import annotations

from typing import Any

import pytest
from support import Repository
from test_story import event, run

from graphmem import Memory
from graphmem.browse.analytics import divide_areas
from graphmem.browse.injections import (
    ACTED_ON,
    QUOTED,
    RELATED,
    UNSEEN,
    judge_injections,
    names_in,
    trace_injections,
)
from graphmem.browse.story import read_chapters
from graphmem.errors import UsageError
from graphmem.hooks.respond import respond
from graphmem.interfaces.text.analytics import analytics_text
from graphmem.model.events import Event

TEXTS = {"m1": "Rates are read from conf/rates.toml by load_rates.", "m2": "Amounts are whole cents."}


def shown(at: int, moment: str = "UserPromptSubmit", **payload: Any) -> Event:
    return event(
        at, "shown", event=moment, items=["m1", "m2"], citations=["mem:aaa111", "mem:bbb222"], tokens=9, **payload
    )


def outcomes(*events: Event) -> list[dict[str, str]]:
    return [found for _, found in judge_injections(events, TEXTS)]


ASKED = event(1, "user", "Where do the rates come from? Look at the app.")


def test_a_memory_is_quoted_acted_on_or_leaves_no_trace() -> None:
    quoted = event(3, "assistant", "Whole cents, see [mem:bbb222].")
    assert outcomes(ASKED, shown(2), quoted) == [{"m1": UNSEEN, "m2": QUOTED}]
    acted = run(3, "cat /home/ada/app/conf/rates.toml")
    assert outcomes(ASKED, shown(2), acted) == [{"m1": ACTED_ON, "m2": UNSEEN}]
    assert outcomes(ASKED, shown(2), run(3, "ls")) == [{"m1": UNSEEN, "m2": UNSEEN}]


def test_what_was_named_before_or_read_elsewhere_is_no_effect() -> None:
    named = event(1, "user", "Open conf/rates.toml and load_rates, please.")
    acted = run(4, "cat conf/rates.toml")
    unseen = [{"m1": UNSEEN, "m2": UNSEEN}]
    assert outcomes(named, shown(2), acted) == unseen
    assert outcomes(ASKED, shown(2), run(3, "grep -rl rates", "conf/rates.toml: load_rates"), acted) == unseen
    assert outcomes(ASKED, run(2, "cat conf/rates.toml"), shown(3), acted) == unseen
    # what was injected at the start is in view until the end
    assert outcomes(shown(1, "SessionStart"), ASKED, event(3, "user", "And now?"), acted) == [
        {"m1": ACTED_ON, "m2": UNSEEN}
    ]
    # the call that the hook ran before was decided on already; one of another agent does not count
    assert outcomes(ASKED, shown(2, "PreToolUse"), acted) == unseen
    assert outcomes(ASKED, shown(2), run(3, "cat conf/rates.toml", agent="scout")) == unseen
    assert outcomes(ASKED, shown(2), event(3, "user", "And now?"), acted) == unseen


def test_each_step_is_traced_to_the_memory_that_it_came_of() -> None:
    events = [
        event(1, "user", "Where do the rates come from? Look at src/app.py."), shown(2), run(3, "ls"),
        run(4, "cat conf/rates.toml"), run(5, "wc -l conf/rates.toml"), event(6, "assistant", "See [mem:bbb222]: load_rates."),
    ]  # fmt: skip
    ((_, found),) = trace_injections(read_chapters(events), TEXTS)
    steps = [(one.step.what or one.step.kind, one.item, one.how, one.name) for one in found]
    assert steps == [
        ("cat conf/rates.toml", "m1", ACTED_ON, "conf/rates.toml"),
        ("wc -l conf/rates.toml", "m1", RELATED, "conf/rates.toml"),
        ("answer", "m1", ACTED_ON, "load_rates"),
        ("answer", "m2", QUOTED, "mem:bbb222"),
    ]


def test_names_are_those_that_hardly_occur_by_chance() -> None:
    assert names_in("The README says: `load_rates` of src/rates.py, HTTP2, e.g. once a day.") == {
        "load_rates", "src/rates.py", "rates.py", "HTTP2",
    }  # fmt: skip


def test_areas_divide_what_most_files_are_in() -> None:
    paths = [f"src/app/{part}/{number}.py" for part in ("web", "log") for number in range(5)] + ["docs/a.md", "b.md"]
    areas = divide_areas(paths)
    assert {name: len(files) for name, files in areas.items()} == {
        ".": 1,
        "docs": 1,
        "src/app/log": 5,
        "src/app/web": 5,
    }
    assert sorted(path for files in areas.values() for path in files) == sorted(paths)
    assert divide_areas([]) == {} and divide_areas(["a.py"]) == {".": ["a.py"]}


def test_the_figures_of_a_project_count_what_happened(memory: Memory, repository: Repository) -> None:
    with pytest.raises(UsageError, match="days"):
        memory.analytics(days=0)
    empty = memory.analytics()
    assert (empty.injected.texts, empty.failures, empty.areas) == (0, [], [])
    repository.commit("fix: start", {"app/rates.py": "def load_rates():\n    return 1\n", "docs/a.md": "# Rates\n"})
    repository.commit("fix: go on", {"app/rates.py": "def load_rates():\n    return 2\n"})
    memory.init(repository.path)
    memory.remember(TEXTS["m1"], title="Rates", files=["app/rates.py"])
    memory.process()
    hook = {"session_id": "s", "cwd": str(repository.path)}
    respond(memory._store, "UserPromptSubmit", {**hook, "prompt": "How are the rates loaded, and from where?"})
    respond(memory._store, "Stop", {**hook, "last_assistant_message": "They come from conf/rates.toml."})
    memory.process()
    found = memory.analytics()
    assert found.injected.texts >= 1 and found.injected.tokens.acted_on > 0
    assert found.injected.tokens.total == sum(day.tokens.total for day in found.injected.days)
    (app,) = [area for area in found.areas if area.area == "app"]
    assert (app.files, app.changes, app.facts, app.is_gap) == (1, 2, 1, False)
    text, _ = analytics_text(found)
    assert "acted on" in text and "app" in text
    (rates,) = [hit.id for hit in memory.search("rates", kinds=["fact"]).hits if hit.title == "Rates"]
    memory.feedback(rates, "wrong")
    after = memory.analytics()
    assert after.junk.marked_wrong == 1 and after.injected.tokens.wrong == after.injected.tokens.total
