"""One file is one entity, however a turn spells it; redirections, cut paths and markup are none."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.cognify.entities import derive, settled_entity, settled_name
from graphmem.cognify.episodes import command_keys
from graphmem.cognify.subjects import is_file_path, relative_path, subject_of
from graphmem.model.events import Event

CWD = "/home/ann/projects/shop-worktrees/shop-7"


@pytest.mark.parametrize(
    ("path", "cwd"),
    [
        ("src/api/auth.py", ""),
        ("./src/api/auth.py", CWD),
        (f"{CWD}/src/api/auth.py", CWD),
        ("/home/ann/projects/shop-worktrees/shop-9/src/api/auth.py", CWD),
        ("/home/ann/shop/.claude/worktrees/x1/src/api/auth.py", "/home/ann/shop"),
        ("/home/ann/shop/src/api/auth.py", "/home/ann/shop"),
        ("worktrees/shop-7/src/api/auth.py", ""),
    ],
)
def test_a_file_has_one_spelling(path: str, cwd: str) -> None:
    assert relative_path(path, cwd) == settled_name("file", path, cwd) == "src/api/auth.py"


def test_a_path_elsewhere_stays_and_one_above_names_nothing() -> None:
    assert relative_path("/etc/hosts", "/home/ann/shop") == "/etc/hosts"
    assert relative_path("../other/a.py", "/home/ann/shop") == ""


@pytest.mark.parametrize(
    ("kind", "name", "settled"),
    [
        ("command", "git status 2", "git status"),
        ("command", "git log -3", "git log -3"),
        ("tag", "</task-notification>", ""),
        ("tag", "<button>", "<button>"),
        ("function", "shop-fum.5", ""),
        ("function", "Enum.map", "Enum.map"),
        ("function", "rig.hoist(sail, 3)", "rig.hoist"),
        ("file", "src/mast.py-84-", "src/mast.py"),
        ("file", "src/mast.py:84:5", "src/mast.py"),
        ("file", "b/src/mast.py", "src/mast.py"),
        ("file", "/why/how", ""),
        ("file", "/api/ropes/new", ""),
        ("file", "/etc/hosts", "/etc/hosts"),
        ("tag", "<number>", ""),
        ("tag", "<div>", "<div>"),
    ],
)
def test_what_is_no_entity_is_left_out(kind: str, name: str, settled: str) -> None:
    assert settled_name(kind, name, "") == settled


@pytest.mark.parametrize(
    ("kind", "name", "settled"),
    [
        ("function", "mast.py", ("file", "mast.py")),
        ("class", "ctx.Length", ("variable", "ctx.Length")),
        ("class", "Rigging", ("class", "Rigging")),
        ("class", "wind-aware", ("class", "")),
        ("variable", "TestMast_Leans", ("function", "TestMast_Leans")),
        ("function", "os.path", ("function", "os.path")),
    ],
)
def test_the_type_of_an_entity_follows_its_spelling(kind: str, name: str, settled: tuple[str, str]) -> None:
    assert settled_entity(kind, name, "") == settled


def named(type_: str, **payload: Any) -> set[tuple[str, str]]:
    event = Event(1, "e1", type_, 1, 0, 0, "o", "s", "p", "", payload)
    body = derive(event, ("Turn", "e1"), "e1")
    return {(kind, name) for kind, name, _ in body["mentions"]} if body else set()


def test_a_bare_file_name_is_the_path_that_the_same_text_names() -> None:
    text = "I read src/rig/mast.py and mast.py again, then /home/ann/shop/src/rig/mast.py."
    assert named("user_prompt", content=text, cwd="/home/ann/shop") == {("file", "src/rig/mast.py")}
    several = named("user_prompt", content="Both src/mast.py and lib/mast.py exist, mast.py too.")
    assert ("file", "mast.py") in several


def test_what_a_program_printed_names_nothing_unless_it_failed() -> None:
    shown = "src/keel.py-12- def lay(self):\nRigError: no rope in src/keel.py"
    ran = {"tool": "Bash", "command": "git log --oneline", "content": shown}
    assert not {name for _, name in named("tool_observation", **ran)} & {"src/keel.py", "src/keel.py-12-", "RigError"}
    assert ("error", "RigError") in named("tool_observation", **ran, failed=True)


def test_an_edit_names_its_file_and_what_it_defines() -> None:
    edit = {"tool": "Edit", "writes": ["src/mast.py"], "content": "changed",
            "input": {"file_path": "/x/src/mast.py", "new_string": "class Rig:\n    def hoist(self):\n        n3 = 1\n"}}  # fmt: skip
    assert named("tool_observation", **edit) == {("file", "src/mast.py"), ("class", "Rig"), ("function", "hoist")}


def test_a_bare_name_is_no_place_unless_it_lies_in_the_root() -> None:
    assert (
        is_file_path("lib/a.ex")
        and is_file_path("pyproject.toml")
        and is_file_path("Makefile")
        and not is_file_path("a.ex")
    )


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        ("Added clickable badges with an event", "clickable badges"),
        ("Since the team uses one panel, the selection behavior is merged.", "selection behavior"),
        ("The `live/2` helper needs an import.", "live/2 helper"),
        ("Race conditions (a call before the start) are handled by a stub.", "Race conditions"),
        ("Never force-push to main", "force-push"),
        ("Use ruff instead of flake8", "ruff"),
    ],
)
def test_the_subject_is_the_thing_that_a_fact_is_about(content: str, subject: str) -> None:
    assert subject_of(content, {}) == subject


def test_the_words_of_a_shell_loop_are_no_steps() -> None:
    loop = "for n in 1 2 3; do time ./mast help; done && if make rope; then make sail; fi"
    assert list(command_keys(loop)) == ["mast help", "make sail"]
