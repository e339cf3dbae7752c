"""What an agent reads until it knows the answer: `graphmem bench agent --data REPOSITORY` asks questions about the code of a git
repository, once with graphmem and once with git, grep and sed, and counts the characters that are printed until every part
of the right answer has been printed.

With graphmem, each question is one command. If its output lacks a part of the answer, the ordinary commands follow and count as
well. `agent_questions` has the questions with their right answers."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphmem.bench.agent_questions import Commands, Question, make_questions
from graphmem.errors import UsageError
from graphmem.memory import Memory

TITLES = [
    "question",
    "asked",
    "answered with",
    "without",
    "calls with",
    "without",
    "characters with",
    "without",
    "ratio",
]
QUESTIONS = 5  # per type, unless requested otherwise
_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Effort:
    """What an answer took: commands, characters read, and whether it was complete in the end."""

    calls: int
    characters: int
    is_answered: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """The efforts of one question: that of the command of graphmem, that with the ordinary commands after it if it left
    something out, and that of the ordinary commands alone."""

    question: Question
    first: Effort
    together: Effort
    ordinary: Effort


def run(data: Path, count: int = QUESTIONS) -> Iterator[list[object]]:
    """Index a repository in a store of its own, or each repository in a folder, ask up to `count` questions of each type
    about each, and yield a row for each type and one for all. Raises UsageError if there is nothing to ask about."""
    roots = [data] if (data / ".git").exists() else sorted(each.parent for each in data.glob("*/.git"))
    found: list[Comparison] = []
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        for number, root in enumerate(roots):
            questions = list(make_questions(root, count))
            store = Path(folder) / str(number)
            if questions:
                index_repository(store, root)
                found += compare(store, root, questions)
    if not found:
        raise UsageError(f"{data} has no function that can be asked about: its name must be defined once, and called")
    yield from table(found)


def index_repository(store: Path, root: Path) -> None:
    """Index the code and the history of a repository."""
    with Memory.open(store) as memory:
        memory.ingest("git", root)
        memory.index_code(root)
        memory.process()


def compare(store: Path, root: Path, questions: Sequence[Question]) -> list[Comparison]:
    """Answer questions about an indexed repository in both ways."""
    environment = {**os.environ, "GRAPHMEM_STORE": str(store), "GRAPHMEM_OWNER__IDLE_S": "300"}
    with Memory.open(store, daemon=True):  # its owner answers all the commands
        return [_compare(each, root, environment) for each in questions]


def table(found: Sequence[Comparison]) -> Iterator[list[object]]:
    """Yield a row for each type of question and one for all, as TITLES says."""
    for type in dict.fromkeys(each.question.type for each in found):
        yield _row(type, [each for each in found if each.question.type == type])
    yield _row("all", found)


def _compare(question: Question, root: Path, environment: dict[str, str]) -> Comparison:
    said = _run([sys.executable, "-m", "graphmem.interfaces.entry", *question.graphmem], root, environment)
    left = {part for part in question.gold if part not in said}
    first = Effort(1, len(said), not left)
    ordinary = _follow(question.ordinary(), set(question.gold), root, environment)
    if not left:
        return Comparison(question, first, first, ordinary)
    rest = _follow(question.ordinary(), left, root, environment)
    together = Effort(1 + rest.calls, len(said) + rest.characters, rest.is_answered)
    return Comparison(question, first, together, ordinary)


def _follow(commands: Commands, left: set[str], root: Path, environment: dict[str, str]) -> Effort:
    """Run commands until every part of the right answer has been printed."""
    calls, printed = 0, 0
    try:
        command = next(commands)
        while True:
            said = _run(command, root, environment)
            calls, printed = calls + 1, printed + len(said)
            left = {part for part in left if part not in said}
            if not left:
                return Effort(calls, printed, True)
            command = commands.send(said)
    except StopIteration:
        return Effort(calls, printed, False)


def _run(command: Sequence[str], root: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False)
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def _row(type: str, found: Sequence[Comparison]) -> list[object]:
    answered = [sum(each.first.is_answered for each in found), sum(each.ordinary.is_answered for each in found)]
    both = [(each.together, each.ordinary) for each in found]
    calls = [statistics.mean(pair[side].calls for pair in both) for side in (0, 1)]
    characters = [statistics.median(pair[side].characters for pair in both) for side in (0, 1)]
    ratios = [own.characters / max(1, other.characters) for own, other in both if other.is_answered]
    ratio = round(statistics.median(ratios), 2) if ratios else None
    return [type, len(found), *answered, *(round(each, 1) for each in calls), *map(round, characters), ratio]
