"""Answers about defaults come from what defines them, and answers about releases from what makes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory

FILES = {
    "retry.py": '''class Retry:
    """Tries again."""

    attempts = 3

    def __init__(
        self,
        delay: float = 0.5,
        max_delay: float = min(30.0, 60.0),
        name: str = "a, b",
    ) -> None:
        self.max_delay = max_delay
        self.delay = delay


def run(retry, timeout=10):
    max_delay = 99
    return retry.wait(max_delay=max_delay, timeout=timeout)


def later(retry):
    pause = 7
    return pause
''',
    "options.py": 'parser.add_argument("--batch-size", type=int, default=64, help="of a job")\n',
    "wait.js": "class Wait {\n  constructor(stepMs = 250, { jitter = 0.1 } = {}) { this.stepMs = stepMs; }\n}\n"
    "const defaults = {\n  colour: 'teal',\n};\nfunction set(w) { w.stepMs = 4; }\n",
}


@pytest.fixture(scope="module")
def retry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("defaults")
    repository = Repository(folder / "repository")
    repository.commit("Begin", FILES)
    with Memory.open(folder / "store", project="demo") as memory:
        memory.index_code(repository.path)
        yield memory


@pytest.mark.parametrize(
    ("question", "value", "where"),
    [
        ("what is the default of max_delay?", "min(30.0, 60.0)", "parameter of Retry.__init__ (retry.py:9)"),
        ("what is the default value of Retry.delay?", "0.5", "parameter of Retry.__init__ (retry.py:8)"),
        ("what does timeout default to?", "10", "parameter of run (retry.py:16)"),
        ("what is the default of attempts in Retry", "3", "Retry.attempts (retry.py:4)"),
        ("what is the default batch size?", "64", "(options.py:1)"),
        ("what is the default of stepMs?", "250", "(wait.js:2)"),
        ("what is the default of jitter", "0.1", "(wait.js:2)"),
        ("colour의 기본값은?", "'teal'", "(wait.js:5)"),
    ],
)
def test_a_default_is_read_from_what_defines_it(retry: Memory, question: str, value: str, where: str) -> None:
    found = retry.ask(question)
    assert found.type == "default" and found.confidence == "high", found
    assert (
        found.lines[0].endswith(f" is {value}") and found.lines[1].startswith(f"{value}: ") and where in found.lines[1]
    )


@pytest.mark.parametrize("question", ["what is the default of pause?", "what is the default of retry?"])
def test_an_assignment_or_a_parameter_without_one_is_no_default(retry: Memory, question: str) -> None:
    assert retry.ask(question).confidence != "high"


def test_a_release_is_dated_by_tags_then_headings_then_commits(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin on Python 3.7", {"a.py": "a = 1\n", "page.md": "# Notes of 2.0\n\nWritten 2019-01-01.\n"})
    repository.commit(
        "Release 2.0",
        {"CHANGELOG.md": "# Changes\n\n## 2.0-1 (2024-02-01)\n\n## Version 2.0\n\nReleased 2024-03-05\n\n- Bread\n"},
    )
    repository.git("tag", "v2.0.0", "-m", "x")
    repository.commit("Bump flour from 1.0 to 3.1", {"a.py": "a = 2\n"})
    repository.commit("chore: bump version to 2.1 (#7)", {"a.py": "a = 3\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        for question in ("when was version 2.0 released?", "when was 2.0.0 published", "2.0 버전은 언제 릴리스됐나?"):
            found = memory.ask(question)
            assert found.type == "release date" and found.confidence == "high", found
            tag, heading, commit = found.lines
            assert tag.startswith("2.0.0 was tagged on ") and "Release 2.0" in tag
            assert heading == "CHANGELOG.md:5: ## Version 2.0: Released 2024-03-05" and "Release 2.0" in commit
        (last,) = memory.ask("when was the last release?").lines
        assert "chore: bump version to 2.1" in last
        for question in ("when was version 3.1 released?", "when was 3.7 released?"):
            none = memory.ask(question)
            assert none.confidence != "high" and none.lines[0].startswith("no release 3."), none.lines
            assert none.lines[1] == "the newest releases are 2.1, 2.0.0, 2.0-1"
