"""What an agent reads until it knows the answer: `graphmem bench agent --data REPOSITORY` asks questions about the code of a git
repository, once with graphmem and once with git, grep and sed, and counts the characters that are printed until every part
of the right answer has been printed.

The right answers come from the text, not from the code graph: a name that is defined once in the whole tree is called wherever
it is followed by a parenthesis. The ordinary commands are those of somebody who knows git well (`git grep -p` names the
enclosing function, `git log -L -s` the commits of a function)."""

from __future__ import annotations

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import UsageError
from graphmem.memory import Memory
from graphmem.model.answers import Place

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
_SEED = 7
_WINDOW = 60  # lines that a reader of a file prints at once
_LEAST = 5  # characters of a name that can be searched for
_CALLERS = 12  # most callers of a function that is asked about
_TIMEOUT_S = 300
_SUBJECT = 60  # characters of a commit's subject that have to be printed
_CALLABLE = ("function", "method")
_TESTS = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testdata|examples?)/|(^|/)(test_|conftest)|[_.-](test|spec|tests)\.\w+$"
)
_NO_CODE = re.compile(r"^\s*(#|//|/?\*|\"\"\"|'''|>>>)|[\"'`].*[\"'`]")
_GREP = ["git", "--no-pager", "grep", "-n", "-w"]

Command = list[str]
Commands = Generator[Command, str, None]  # yields a command and receives what it printed


@dataclass(frozen=True, slots=True)
class Target:
    """A function whose name is defined once: where it is, its direct callers outside of tests, the names of theirs, and
    the test files that call it or one of these callers."""

    place: Place
    callers: tuple[Place, ...]
    indirect: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the name without its module and class."""
        return self.place.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the parts of the right answer, and the commands of both ways to it."""

    type: str
    gold: tuple[str, ...]
    graphmem: Command
    ordinary: Callable[[], Commands]


@dataclass(frozen=True, slots=True)
class Effort:
    """What an answer took: commands, characters read, and whether it was complete in the end."""

    calls: int
    characters: int
    is_answered: bool


def run(data: Path, count: int = QUESTIONS) -> Iterator[list[object]]:
    """Index a repository in a store of its own, ask up to `count` questions of each type, and yield a row for each type and one
    for all. Raises UsageError if the repository has no functions that can be asked about."""
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        store = Path(folder) / "store"
        environment = {**os.environ, "GRAPHMEM_STORE": str(store), "GRAPHMEM_OWNER__IDLE_S": "300"}
        with Memory.open(store) as memory:
            memory.ingest("git", data)
            memory.index_code(data)
            memory.process()
            targets = find_targets(memory, data)
        questions = list(make_questions(targets, data, count))
        if not questions:
            raise UsageError(
                f"{data} has no function that can be asked about: its name must be defined once, and called"
            )
        with Memory.open(store, daemon=True):  # its owner answers all the commands
            efforts = [(each, *_answer_twice(each, data, environment)) for each in questions]
    for type in dict.fromkeys(each.type for each in questions):
        yield _row(type, [(own, other) for each, own, other in efforts if each.type == type])
    yield _row("all", [(own, other) for _, own, other in efforts])


def find_targets(memory: Memory, root: Path) -> list[Target]:
    """Return the functions of a repository whose name is defined once and called, with what the text says about their use."""
    symbols = {f.path: memory.code.outline(f.path).symbols for f in memory.code.files() if f.language != "manifest"}
    texts = {
        path: (root / path).read_text("utf-8", "replace").split("\n") for path in symbols if (root / path).is_file()
    }
    defined = Counter(each.name.rpartition(".")[2] for places in symbols.values() for each in places)
    words = {name for name, times in defined.items() if times == 1 and len(name) >= _LEAST}
    uses = _find_uses(texts, words)
    found = []
    for path in sorted(texts):
        for place in symbols[path]:
            name = place.name.rpartition(".")[2]
            if place.kind in _CALLABLE and name in words and not _TESTS.search(path):
                target = _target(place, uses, symbols, texts)
                found += [target] if target is not None else []
    return found


def _find_uses(texts: dict[str, list[str]], words: set[str]) -> dict[str, list[tuple[str, int]]]:
    """Return where each word occurs, as path and line."""
    uses: dict[str, list[tuple[str, int]]] = {}
    for path, lines in texts.items():
        for number, line in enumerate(lines, 1):
            for word in set(re.findall(r"\w+", line)) & words:
                uses.setdefault(word, []).append((path, number))
    return uses


def _target(
    place: Place,
    uses: dict[str, list[tuple[str, int]]],
    symbols: dict[str, tuple[Place, ...]],
    texts: dict[str, list[str]],
) -> Target | None:
    """Return what the text says about a function; None if it is used otherwise than by calls in functions."""
    callers = _callers(place, uses, symbols, texts)
    if callers is None or not 1 <= len(callers) <= _CALLERS:
        return None
    names = [place.name.rpartition(".")[2], *(caller.name.rpartition(".")[2] for caller in callers)]
    tests = {path for name in names for path, _ in uses.get(name, ()) if _TESTS.search(path)}
    above = {
        each.name.rpartition(".")[2] for caller in callers for each in _callers(caller, uses, symbols, texts) or ()
    }
    return Target(place, tuple(callers), tuple(sorted(above)), tuple(sorted(tests)))


def _callers(
    place: Place,
    uses: dict[str, list[tuple[str, int]]],
    symbols: dict[str, tuple[Place, ...]],
    texts: dict[str, list[str]],
) -> list[Place] | None:
    name, found = place.name.rpartition(".")[2], dict[str, Place]()
    for path, line in uses.get(name, ()):
        text = texts[path][line - 1]
        if (path == place.file and place.line <= line <= place.end_line) or _TESTS.search(path):
            continue
        if re.match(r"\s*(from|import|use|#include)\b", text):
            continue
        around = [s for s in symbols[path] if s.kind in _CALLABLE and s.line < line <= s.end_line]
        if not re.search(rf"\b{name}\(", text) or _NO_CODE.search(text) or not around:
            return None
        innermost = max(around, key=lambda s: s.line)
        found[innermost.name] = innermost
    return list(found.values())


def make_questions(targets: list[Target], root: Path, count: int) -> Iterator[Question]:
    """Yield up to `count` questions of each type, the same for the same repository."""
    chance = random.Random(_SEED)
    for type, make in _TYPES.items():
        made = 0
        for target in chance.sample(targets, len(targets)):
            question = make(type, target, root)
            if question is not None and made < count:
                made += 1
                yield question


def _source(type: str, target: Target, root: Path) -> Question | None:
    lines = (root / target.place.file).read_text("utf-8", "replace").split("\n")
    body = [line.strip() for line in lines[target.place.line - 1 : target.place.end_line] if len(line.strip()) > 8]
    command = ["code", "source", target.place.name]
    return Question(type, tuple(body), command, lambda: _read(target)) if len(body) > 3 else None


def _who_calls(type: str, target: Target, root: Path) -> Question | None:
    names = tuple(caller.name.rpartition(".")[2] for caller in target.callers)
    return Question(type, names, ["code", "callers", target.place.name, "--no-tests"], lambda: _search(target.name))


def _which_tests(type: str, target: Target, root: Path) -> Question | None:
    names = (target.name, *(caller.name.rpartition(".")[2] for caller in target.callers))
    command = ["code", "impact", target.place.name, "--tests"]
    return Question(type, target.tests, command, lambda: _search(*names)) if target.tests else None


def _what_breaks(type: str, target: Target, root: Path) -> Question | None:
    names = tuple(caller.name.rpartition(".")[2] for caller in target.callers)
    command = ["code", "impact", target.place.name, "--no-tests", "--depth", "2"]
    return Question(type, (*names, *target.indirect), command, lambda: _search(target.name, *names))


def _which_commits(type: str, target: Target, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield _definition(target)
        yield ["git", "--no-pager", "log", "-s", "--format=%h %as %an %s", _lines_of(target)]

    log = ["git", "log", "-s", "--format=%s", _lines_of(target)]
    subjects = [line for line in _run(log, root, dict(os.environ)).split("\n") if line]
    command = ["code", "history", target.place.name]
    return Question(type, tuple(subject[:_SUBJECT] for subject in subjects), command, ordinary) if subjects else None


def _explain(type: str, target: Target, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield from _read(target)
        yield from _search(target.name)
        yield ["git", "--no-pager", "log", "-s", "-n3", "--format=%h %as %an %s", _lines_of(target)]

    log = ["git", "log", "-s", "-n1", "--format=%s", _lines_of(target)]
    last = _run(log, root, dict(os.environ)).strip()
    gold = (target.callers[0].name.rpartition(".")[2], last[:_SUBJECT])
    return Question(type, gold, ["explain", target.place.name], ordinary) if last else None


_TYPES: dict[str, Callable[[str, Target, Path], Question | None]] = {
    "source of a function": _source,
    "callers": _who_calls,
    "tests to run": _which_tests,
    "what a change breaks": _what_breaks,
    "commits of a function": _which_commits,
    "all about a function": _explain,
}


def _definition(target: Target) -> Command:
    return [*_GREP, "-E", rf"(def|func|function|fn|class|public|private|static|const|let)\b.*\b{target.name}"]


def _lines_of(target: Target) -> str:
    return f"-L{target.place.line},{target.place.end_line}:{target.place.file}"


def _read(target: Target) -> Commands:
    """Find a definition and print its file from there, a window at a time."""
    yield _definition(target)
    for first in range(target.place.line, target.place.end_line + 1, _WINDOW):
        yield ["sed", "-n", f"{first},{first + _WINDOW - 1}p", target.place.file]


def _search(*names: str) -> Commands:
    """Search for names, one after the other, with the functions around; then read above what still has none."""
    for name in names:
        found = yield [*_GREP, "-p", name]
        for path, line in re.findall(r"^([^:=\n]+):(\d+):[ \t]", found, re.M)[:_CALLERS]:
            shown = re.search(rf"^{re.escape(path)}=\d+=", found, re.M)
            if shown is None:
                yield ["sed", "-n", f"{max(1, int(line) - _WINDOW)},{line}p", path]


def _answer_twice(question: Question, root: Path, environment: dict[str, str]) -> tuple[Effort, Effort]:
    def with_graphmem() -> Commands:
        yield [sys.executable, "-m", "graphmem.interfaces.entry", *question.graphmem]

    own = _follow(with_graphmem(), question.gold, root, environment)
    return own, _follow(question.ordinary(), question.gold, root, environment)


def _follow(commands: Commands, gold: tuple[str, ...], root: Path, environment: dict[str, str]) -> Effort:
    """Run commands until every part of the right answer has been printed."""
    calls, printed, left = 0, 0, set(gold)
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


def _run(command: Command, root: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=False)
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def _row(type: str, efforts: list[tuple[Effort, Effort]]) -> list[object]:
    both = [(own, other) for own, other in efforts if own.is_answered and other.is_answered]
    ratios = [own.characters / max(1, other.characters) for own, other in both]
    counts: list[object] = [type, len(efforts), *(sum(pair[side].is_answered for pair in efforts) for side in (0, 1))]
    calls = [statistics.mean(pair[side].calls for pair in efforts) for side in (0, 1)]
    characters = [statistics.median(pair[side].characters for pair in efforts) for side in (0, 1)]
    ratio = round(statistics.median(ratios), 2) if ratios else None
    return [*counts, *(round(each, 1) for each in calls), *map(round, characters), ratio]
