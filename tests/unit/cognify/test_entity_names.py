"""One file is one entity, however a turn spells it; redirections, cut paths and markup are none."""

from __future__ import annotations

import pytest

from graphmem.cognify.entities import settled_name
from graphmem.cognify.subjects import is_file_path, relative_path, subject_of

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
    ],
)
def test_what_is_no_entity_is_left_out(kind: str, name: str, settled: str) -> None:
    assert settled_name(kind, name, "") == settled


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
