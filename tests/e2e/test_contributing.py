"""The worked examples of CONTRIBUTING.md, followed: each diff is applied to a copy of the checkout, and its commands give what it
says. In the expected output `…` stands for anything."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import STOP_S

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


@pytest.mark.parametrize("example", [name for name in EXAMPLES if blocks(name, "diff")])
def test_an_example_does_what_it_says(example: str, tmp_path: Path) -> None:
    if "language" in example and find_spec("tree_sitter_zig") is None:
        pytest.skip("pip install -e '.[test]'")
    checkout, folder = tmp_path / "checkout", tmp_path / "project"
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
        else:
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
    for diff in blocks(example, "diff"):
        done = subprocess.run(["git", "apply", "-"], cwd=checkout, input=diff, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
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


def test_every_kind_of_addition_is_explained() -> None:
    wanted = {"a kind of memory", "a chat importer", "a source", "a verb", "a language", "a graph engine"}
    assert {name.removeprefix("Add ") for name in EXAMPLES} == wanted


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a …\nb", "a 1   \nb\n") and not matches("a …\nb", "a 1\nc\n")
