"""The worked examples of CONTRIBUTING.md, followed: each diff is applied to a copy of the checkout, and its commands give what it
says. In the expected output `…` stands for anything."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import STOP_S, with_deep
from tolerant_patch import apply_diff

ROOT = Path(__file__).parent.parent.parent
COPIED = ("graphmem", "queries", "grammars", "pyproject.toml", "tests/unit/codegraph/test_codegraph_languages.py")
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_HEADING = re.compile(r"^### (Add .+)$", re.M)


def worked_examples(text: str) -> dict[str, list[tuple[str, str]]]:
    """Name of each example -> its fenced blocks: language and text."""
    fences = list(_FENCED.finditer(text))
    headings = [at for at in _HEADING.finditer(text) if not any(f.start() < at.start() < f.end() for f in fences)]
    ends = [*(at.start() for at in headings[1:]), len(text)]
    return {
        at[1]: [(fence[1], fence[2]) for fence in fences if at.start() < fence.start() < end]
        for at, end in zip(headings, ends, strict=True)
    }


EXAMPLES = worked_examples((ROOT / "CONTRIBUTING.md").read_text("utf-8"))


def blocks(example: str, language: str) -> list[str]:
    """The fenced blocks of an example, of one language."""
    return [text for kind, text in EXAMPLES[example] if kind == language]


def matches(expected: str, printed: str) -> bool:
    """Whether output is as expected, apart from blanks at the ends of lines."""
    pattern = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", expected))
    return re.fullmatch(pattern, re.sub(r" +$", "", printed, flags=re.M).strip(), re.S) is not None


def copied_checkout(folder: Path) -> Path:
    """Copy what the examples change, with its bytecode: only what they change is compiled again."""
    checkout = folder / "checkout"
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("compiled"))
        else:
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
    return checkout


SHOWN = [name for name in EXAMPLES if blocks(name, "diff")]
DAILY = {"Add a verb", "Add a language", "Add a graph engine"}  # all of them are applied and compiled every day


@pytest.mark.parametrize(
    "example", with_deep([name for name in SHOWN if name in DAILY], [name for name in SHOWN if name not in DAILY])
)
def test_an_example_does_what_it_says(example: str, tmp_path: Path) -> None:
    if "language" in example and find_spec("tree_sitter_zig") is None:
        pytest.skip("pip install -e '.[test]'")
    checkout, folder = copied_checkout(tmp_path), tmp_path / "project"
    for diff in blocks(example, "diff"):
        apply_diff(diff, checkout)
    subprocess.run(["git", "init", "-q", folder], check=True)
    environment = {
        **os.environ, "PYTHONPATH": str(checkout), "GRAPHMEM_EMBEDDING__PROVIDER": "none", "COLUMNS": "100",
    }  # fmt: skip
    program = f'graphmem() {{ {shlex.join([sys.executable, "-m", "graphmem.interfaces.entry"])} "$@"; }}\n'
    (commands,) = blocks(example, "console")
    for command, expected in re.findall(
        r"^\$ ((?:cat .*?<<'END'\n.*?^END|.*?))\n(.*?)(?=^\$ |\Z)", commands, re.M | re.S
    ):
        done = subprocess.run(
            ["bash", "-c", program + command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=STOP_S,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert matches(expected.strip(), done.stdout), f"{command}\n{done.stdout}"


# Names of the examples -> those of a real addition of the same kind, at the same place.
_REAL = {
    "runbook": "playbook", "런북": "플레이북", "continu": "resum", "diary": "journal", "size": "extent", "unlinked": "detached",
    "zig": "odin",
}  # fmt: skip


def real_addition(diff: str) -> str:
    """An example as if somebody had added something of their own at its place: its new lines and files have other names."""

    def named(line: str) -> str:
        if (line[:1] != "+" and not line.startswith("diff --git")) or line.startswith("+++ /"):
            return line
        for example, real in _REAL.items():
            for old, new in ((example, real), (example.capitalize(), real.capitalize())):
                line = re.sub(rf"(?<![a-z]){old}", new, line)
        return line

    return "".join(map(named, diff.splitlines(keepends=True)))


def test_the_examples_apply_next_to_real_additions(tmp_path: Path) -> None:
    checkout = copied_checkout(tmp_path)
    # The engine of the store is one of few: its example replaces a line.
    names = [name for name in EXAMPLES if blocks(name, "diff") and name != "Add a graph engine"]
    for diff in [diff for name in names for diff in blocks(name, "diff")]:
        apply_diff(real_addition(diff), checkout)
        apply_diff(diff, checkout)
    for file in (checkout / "graphmem").rglob("*.py"):
        compile(file.read_text("utf-8"), file, "exec")
    assert set(tomllib.loads((checkout / "grammars/languages.toml").read_text("utf-8"))) >= {"zig", "odin", "bash"}
    chats = (checkout / "graphmem/extract/chats/programs.py").read_text("utf-8")
    imported = re.search("chats import (.*)", chats)
    assert imported and {"codex", "continuing", "resuming", "cursor"} <= set(imported[1].split(", ")), imported
    assert chats.count("continuing.read,") == chats.count("resuming.read,") == 1
    schema = (checkout / "queries/graph/schema/core.cypher").read_text("utf-8")
    assert schema.count("FROM Runbook TO") == schema.count("FROM Playbook TO") == 2


def test_an_example_without_a_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(ValueError, match="no place for"):
        apply_diff(
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-import codex\n+import aider, codex\n",
            tmp_path,
        )


def test_every_kind_of_addition_is_explained() -> None:
    wanted = {
        "a kind of memory",
        "a chat importer",
        "a source",
        "a verb",
        "an operation",
        "a language",
        "a graph engine",
    }
    assert {name.removeprefix("Add ") for name in EXAMPLES} == wanted


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a …\nb", "a 1   \nb\n") and not matches("a …\nb", "a 1\nc\n")
