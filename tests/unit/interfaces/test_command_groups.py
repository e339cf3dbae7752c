"""The command line lists few commands, gathers the others in groups, and shows examples, a manual page and completions for all."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

from graphmem.interfaces.cli.aliases import GROUPS, expand_aliases
from graphmem.interfaces.cli.grouped import EXAMPLES, SECTIONS, examples_of
from graphmem.interfaces.cli.main import build
from graphmem.interfaces.cli.reference import list_entries, manual_page, markdown_page
from graphmem.interfaces.verbs.registry import VERBS

pytestmark = pytest.mark.core
ROOT = Path(__file__).parents[3]
HELP = ROOT / "graphmem" / "interfaces" / "cli" / "help.txt"
COMMAND_LINE: Any = typer.main.get_command(build())
CONTEXT = COMMAND_LINE.make_context("graphmem", [], resilient_parsing=True)
ENTRIES = {entry.path: entry for entry in list_entries(CONTEXT)}
EVERY_EXAMPLE = [line for entry in ENTRIES.values() for line in entry.examples]
# What the public surface names, each as one word after `graphmem`.
SURFACE = (
    "init observe remember run ingest index watch process search timeline show history cypher schema tasks code tree endless memify"
    " categories feedback forget export merge move rebuild doctor stats config schedule serve mcp hook install uninstall import bench"
)


def test_about_twenty_commands_are_listed_and_every_other_is_in_a_group() -> None:
    listed = [name for names in SECTIONS.values() for name in names.split()]
    assert 18 <= len(listed) <= 22 and len(set(listed)) == len(listed)
    grouped = [name for names in GROUPS.values() for name in names.split()]
    assert sorted([*listed, *grouped]) == sorted([*COMMAND_LINE.commands, *GROUPS])
    shown = COMMAND_LINE.get_help(CONTEXT)
    assert all(f"\n  {name} " in shown for name in listed) and not [name for name in grouped if f"\n  {name} " in shown]


@pytest.mark.parametrize("name", SURFACE.split())
def test_earlier_spellings_are_commands(name: str) -> None:
    assert COMMAND_LINE.get_command(CONTEXT, name) is not None


@pytest.mark.parametrize(("group", "names"), GROUPS.items())
def test_a_group_lists_its_commands_in_full_sentences(group: str, names: str) -> None:
    found = COMMAND_LINE.get_command(CONTEXT, group)
    page = found.get_help(type(CONTEXT)(found, info_name=group, parent=CONTEXT))
    assert all(f"\n  {name} " in page for name in names.split()) and "..." not in page.replace("[ARGS]...", "")


def test_each_command_is_in_the_reference_once() -> None:
    paths = [entry.path for entry in list_entries(CONTEXT)]
    own = [" ".join(expand_aliases(path.split())) for path in paths]
    assert len(set(own)) == len(own) and {verb.name for verb in VERBS} <= set(own)


def test_each_command_has_examples_and_no_example_is_left_over() -> None:
    import tomllib

    assert not [path for path, entry in ENTRIES.items() if not entry.examples]
    left_over = set(tomllib.loads(EXAMPLES.read_text("utf-8"))) - {" ".join(expand_aliases(p.split())) for p in ENTRIES}
    assert not left_over
    assert examples_of("graphmem store rebuild") == examples_of("graphmem rebuild") != []


@pytest.mark.parametrize("line", EVERY_EXAMPLE)
def test_every_example_is_a_valid_command_line(line: str) -> None:
    command = shlex.split(line.split("  #")[0].split(" > ")[0].split("| ")[-1], comments=True)
    assert command[0] == "graphmem"
    words = expand_aliases(command[1:])
    found, context = COMMAND_LINE, CONTEXT
    while hasattr(found, "get_command"):
        name, *words = words
        found = found.get_command(context, name)
        assert found is not None, line
        context = type(CONTEXT)(found, info_name=name, parent=context)
    found.make_context(found.name, list(words), parent=context.parent)  # raises if the words are not valid


def test_the_manual_page_is_the_one_that_the_command_line_gives() -> None:
    again = "graphmem help --man > docs/graphmem.1"
    assert (ROOT / "docs" / "graphmem.1").read_text("utf-8") == manual_page(CONTEXT), again


def test_the_first_page_of_help_is_the_one_that_the_command_line_gives() -> None:
    def shown(columns: int, *words: str) -> str:
        command = [sys.executable, "-P", "-m", "graphmem.interfaces.entry", *words]
        environment = {**os.environ, "COLUMNS": str(columns)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    again = "graphmem --help --help > graphmem/interfaces/cli/help.txt"
    made = shown(80, "--help", "--help").replace("python -m graphmem.interfaces.entry", "graphmem")
    assert made == HELP.read_text("utf-8") == shown(80, "--help") == shown(300, "--help"), again
    assert all(len(line) <= 60 for line in shown(60, "--help").splitlines())


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_valid_and_readable() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", str(ROOT / "docs" / "graphmem.1")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    assert "graphmem code callers src/flask/app.py:966 --no-tests" in done.stdout.replace("\u2010", "-")


def test_the_page_of_commands_has_each_of_them() -> None:
    page = markdown_page(CONTEXT)
    assert all(f"\n## graphmem {path}\n" in page for path in ENTRIES)


@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        ("graphmem se", 1, {"search", "serve"}),
        ("graphmem store re", 2, {"rebuild"}),
        ("graphmem tasks cr", 2, {"create", "critical-path"}),
    ],
)
def test_a_shell_completes_commands_and_those_of_groups(words: str, place: int, expected: set[str]) -> None:
    environment = {**os.environ, "_GRAPHMEM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    done = subprocess.run(
        [Path(sys.executable).parent / "graphmem"], env=environment, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == expected
