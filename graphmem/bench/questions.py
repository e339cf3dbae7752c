"""Measures the first hit on whole repositories: questions whose answers were found by reading, each named by symbol, section,
commit or person, and questions without an answer. The same questions are put to `git grep` and `git log` as a floor.

The folder contains clones (bare ones, too) of the repositories, named `OWNER+NAME` or `NAME`, and for each a table
`OWNER+NAME.jsonl`; those in `fixtures/questions/gold` belong to the project. A line of a table has these keys: "repo", "commit"
(the state of the repository that was read), "question", "type", "gold": a list of `{"kind": "symbol", "name", "path"}`,
`{"kind": "document", "heading", "path"}`, `{"kind": "commit", "hash"}` or `{"kind": "person", "name"}`, any of which is
right. An empty list: the repository has no answer. If the folder contains a folder `stores`, stores and work trees are kept
there for the next run."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.bench.git_floor import Found, GitFloor
from graphmem.bench.retrieval import Row, read_lines
from graphmem.errors import SourceError
from graphmem.memory import Memory
from graphmem.model.results import Hit

_DEEP = 10
_MARKUP = re.compile(r"[`*_\s]+")
_SEPARATORS = re.compile(r"::|[#:]")
_WARM = "which function reads the settings?"  # loads the encoder before anything is timed


@dataclass(frozen=True, slots=True)
class Gold:
    """A right answer: the symbol, section, commit or person of this name."""

    kind: str
    name: str
    path: str = ""

    def is_named_by(self, hit: Hit) -> bool:
        """Return whether a hit is this answer or, of a person, names it."""
        if self.kind == "person":
            return self.name in f"{hit.title}\n{hit.summary}\n{hit.passage}"
        if hit.kind != self.kind:
            return False
        if self.kind == "commit":
            return (hit.ref or "").startswith(self.name)
        path = (hit.ref or "").rpartition(":")[0] or hit.ref
        if path != self.path:
            return False
        if self.kind == "document":
            return plain_text(self.name) in plain_text(hit.title)
        return same_name(self.name, hit.title)

    def is_found_by(self, found: Found) -> bool:
        """Return whether a place that git found is this answer: the right file, in the function or section of this name."""
        if self.kind == "commit":
            return found.commit.startswith(self.name) if found.commit else False
        if self.kind == "person":
            return self.name == found.author
        if found.path != self.path:
            return False
        if self.kind == "document":
            return plain_text(self.name) in plain_text(found.text)
        return _parts(self.name)[-1].lower() in found.text.lower()


class Question(NamedTuple):
    """A question with its right answers; without one, the repository has none."""

    text: str
    type: str
    gold: tuple[Gold, ...]


class Outcome(NamedTuple):
    """The rank of the first right hit (0: none of the first ten), and whether the system said that there is no answer."""

    rank: int
    is_none: bool


def run(data: Path, *, ablate: bool = False) -> list[Row]:
    """Return the table by type of question over all repositories, then by repository. `ablate` has no effect here."""
    outcomes: dict[tuple[str, str], list[tuple[Question, Outcome]]] = {}
    spent, asked = 0.0, 0
    tables = sorted(data.glob("*.jsonl"))
    for table in tables:
        name, commit, questions = read_table(table)
        clone = find_clone(data, table, name)
        with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
            kept = data / "stores"
            place = (kept if kept.is_dir() else Path(folder)) / table.stem
            tree, store = place / "tree", place / "store"
            if not tree.exists():
                check_out(clone, commit, tree)
            is_new = not store.exists()
            with Memory.open(store, project=table.stem) as memory:
                if is_new:
                    memory.init(tree)
                memory.search(_WARM)
                started = time.process_time()
                found = [_ask(memory, one) for one in questions]
                spent, asked = spent + time.process_time() - started, asked + len(questions)
            floor = GitFloor(tree)
            for one, outcome in zip(questions, found, strict=True):
                outcomes.setdefault(("graphmem", table.stem), []).append((one, outcome))
                outcomes.setdefault(("git grep, git log", table.stem), []).append((one, _ask_git(floor, one)))
    if not tables:
        raise SourceError(f"{data} has no table of questions: copy those of fixtures/questions/gold", path=str(data))
    return list(_rows(outcomes, 1_000 * spent / max(1, asked)))


def read_table(table: Path) -> tuple[str, str, list[Question]]:
    """Return the repository of a table, the commit at which it was read, and its questions. Raises SourceError that names the
    table."""
    lines = read_lines(table)
    try:
        return lines[0]["repo"], lines[0]["commit"], [_question(line) for line in lines]
    except (KeyError, IndexError, TypeError) as error:
        raise SourceError(f"{table} is no table of questions: {error!r}", path=str(table)) from error


def find_clone(data: Path, table: Path, name: str) -> Path:
    """Return the clone of the repository of a table. Raises SourceError if there is none."""
    clone = next((path for path in (data / table.stem, data / name.rpartition("/")[2]) if path.is_dir()), None)
    if clone is None:
        raise SourceError(f"{data} has no clone {table.stem} of {name}", path=str(data))
    return clone


def _question(line: dict[str, Any]) -> Question:
    gold = (
        Gold(one["kind"], one.get("name") or one.get("heading") or one.get("hash", ""), one.get("path", ""))
        for one in line["gold"]
    )
    return Question(line["question"], line["type"], tuple(gold))


def plain_text(text: str) -> str:
    """Return a heading without markup, in lower case."""
    return _MARKUP.sub(" ", text).strip(" #").lower()


def _parts(name: str) -> list[str]:
    return [part for part in _SEPARATORS.sub(".", name).partition("(")[0].split(".") if part] or [""]


def same_name(name: str, title: str) -> bool:
    """Return whether the title of a symbol ends with this name; a name of one part is enough. Without a name, every symbol of the
    file is right. The title of a test has blanks, and those of its groups before it.

    >>> same_name("should sort", "lib.Utils.spec.<Utils /> > lists > should sort")
    True
    >>> same_name("Utils.sort", "lib.Utils.sort"), same_name("Utils.sort", "lib.Other.sort"), same_name("", "a.b")
    (True, False, True)
    """
    if not name:
        return True
    if " " in name:
        return re.search(rf"(?:^|[. ]){re.escape(plain_text(name))}$", plain_text(title)) is not None
    wanted, said = _parts(name), _parts(title.split(" ")[0])
    most = min(len(wanted), len(said), 2)
    return wanted[-most:] == said[-most:]


def check_out(clone: Path, commit: str, tree: Path) -> None:
    """Make a work tree of this commit that shares the objects of the clone, which stays as it is."""
    for command in (
        ["git", "clone", "--quiet", "--shared", "--no-checkout", str(clone.resolve()), str(tree)],
        ["git", "-C", str(tree), "-c", "advice.detachedHead=false", "checkout", "--quiet", commit],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SourceError(f"{clone} at {commit[:10]}: {done.stderr.strip()}", path=str(clone))


def _ask(memory: Memory, question: Question) -> Outcome:
    found = memory.search(question.text, k=_DEEP)
    return Outcome(
        _rank(any(gold.is_named_by(hit) for gold in question.gold) for hit in found.hits), found.confidence == "none"
    )


def _ask_git(floor: GitFloor, question: Question) -> Outcome:
    """Return the better of the two: whoever asks is taken to know which command to use."""
    places, commits = floor.grep(question.text), floor.log(question.text)
    ranks = [
        _rank(any(gold.is_found_by(found) for gold in question.gold) for found in ranked[:_DEEP])
        for ranked in (places, commits)
    ]
    return Outcome(min(filter(None, ranks), default=0), not places and not commits)


def _rank(is_right: Iterable[bool]) -> int:
    return next((place for place, right in enumerate(is_right, 1) if right), 0)


def _rows(outcomes: dict[tuple[str, str], list[tuple[Question, Outcome]]], milliseconds: float) -> Iterator[Row]:
    for system in dict.fromkeys(system for system, _ in outcomes):
        of_system = {project: found for (each, project), found in outcomes.items() if each == system}
        every = [pair for found in of_system.values() for pair in found]
        groups = {"all": every}
        for question, outcome in every:
            groups.setdefault(question.type, []).append((question, outcome))
        cost = {"CPU ms a search": round(milliseconds, 1)} if system == "graphmem" else {}
        for group, found in (*groups.items(), *of_system.items()):
            metrics = measure_outcomes(found)
            yield Row(system, group, len(found), metrics | (cost if group == "all" else {}))


def measure_outcomes(found: Sequence[tuple[Question, Outcome]]) -> dict[str, float]:
    """Return the shares of first hits and of answers in the first five, and MRR, over questions with an answer; which share of them
    was refused, and which share of the others was rightly answered with "none"."""
    ranks = [outcome.rank for question, outcome in found if question.gold]
    refused = [outcome.is_none for question, outcome in found if question.gold]
    absent = [outcome.is_none for question, outcome in found if not question.gold]
    metrics = dict[str, float]()
    if ranks:
        metrics = {f"hit@{k}": round(sum(0 < rank <= k for rank in ranks) / len(ranks), 3) for k in (1, 5)}
        metrics["MRR"] = round(sum(1 / rank for rank in ranks if rank) / len(ranks), 3)
        metrics["refused"] = round(sum(refused) / len(refused), 3)
    if absent:
        metrics["none"] = round(sum(absent) / len(absent), 3)
    return metrics
