"""The questions of `graphmem bench agent`, with their right answers and the commands of both ways. The answers come from syntax
trees (a name that is defined once in a tree means the same wherever it is mentioned) and from git, never from graphmem.

The ordinary commands are those of somebody who knows git well: `git grep -p` names the enclosing function, `git log -L -s` the
commits of a function, and what a command has shown already is not read again."""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from graphmem.bench.agent_syntax import Function, Mention, Syntax, is_source_path, is_test_path, read_syntax

_SEED = 7
_WINDOW = 60  # lines that a reader of a file prints at once
_LEAST = 5  # characters of a name that can be searched for
_CALLERS = 12  # most callers of a function that is asked about
_SUBJECT = 60  # characters of a commit's subject that have to be printed
_TIMEOUT_S = 300
_GREP = ["git", "--no-pager", "grep", "-n", "-w"]
_KNOWN = {"definition", "call", "import", "declaration"}  # mentions after which the callers of a function are known
_OF_FIELD = {"field", "member"}
_WORDS = {
    "source": "What is the source of the function `{name}`?",
    "callers": "Which functions outside of tests call `{name}` directly? Name each.",
    "tests to run": "Which test files mention `{name}` or a function that calls it directly? Name each.",
    "what a change breaks": "Which functions outside of tests call `{name}` directly, or call such a caller? Name each.",
    "commits of a function": "Which commits changed the function `{name}`? Give the subject of each.",
    "who knows it": "Who are the two authors of most of the lines that the function `{name}` has now?",
    "all about a function": "Which functions call `{name}`, and what is the subject of the last commit that changed it?",
    "path from A to B": "`{start}` reaches `{name}` through one function. Which one? Name the start, too.",
    "users of a field": "Which functions outside of tests read or set the field `{name}`? Name each.",
    "implementations": "Which classes outside of tests name `{name}` as a base or implement it? Name each.",
    "where a text is": "In which file and in which function is the text `{name}`?",
    "since when": "Which commit brought the text `{name}` into the repository? Give its subject.",
}

Command = list[str]
Commands = Generator[Command, str, None]  # yields a command and receives what it printed


@dataclass(frozen=True, slots=True)
class Target:
    """A function that is defined once: its direct callers outside of tests, the callers of those that are defined once, too,
    and the test files that call it or one of these."""

    function: Function
    callers: tuple[Function, ...]
    indirect: tuple[tuple[Function, Function], ...]  # (caller of a caller, caller)
    tests: tuple[str, ...]
    unique: frozenset[str]  # the names of those callers that are defined once

    @property
    def name(self) -> str:
        """Return the name."""
        return self.function.name


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its words, the parts of the right answer, the arguments of `graphmem`, and the commands without it."""

    type: str
    text: str
    gold: tuple[str, ...]
    graphmem: Command
    ordinary: Callable[[], Commands]


def make_questions(root: Path, count: int) -> Iterator[Question]:
    """Yield up to `count` questions of each type about a repository, the same for the same commit."""
    read = read_syntax(root)
    chance = random.Random(_SEED)
    for candidates in (*_of_functions(find_targets(read)), *_of_names(read)):
        made = 0
        for each in chance.sample(candidates, len(candidates)):
            question = each(root) if made < count else None
            if question is not None:
                made += 1
                yield question


def find_targets(read: Syntax) -> list[Target]:
    """Return the functions whose callers syntax alone knows: defined once, and mentioned elsewhere by calls only."""
    defined = Counter(function.name for function in read.functions)
    callers = {}
    for function in read.functions:
        if defined[function.name] == 1 and len(function.name) >= _LEAST and is_source_path(function.path):
            found = _callers(function, read)
            if found is not None:
                callers[function.name] = found
    targets = []
    for function in read.functions:
        direct = callers.get(function.name, ())
        if not 1 <= len(direct) <= _CALLERS:
            continue
        above = [(each, caller) for caller in direct for each in callers.get(caller.name, ())]
        unique = frozenset(caller.name for caller in direct if caller.name in callers)
        mentions = (mention for name in (function.name, *unique) for mention in read.mentions.get(name, ()))
        tests = {mention.path for mention in mentions if is_test_path(mention.path)}
        targets.append(Target(function, tuple(direct), tuple(above), tuple(sorted(tests)), unique))
    return targets


def _callers(function: Function, read: Syntax) -> list[Function] | None:
    """Return the functions outside of tests that call one; None if it may be used otherwise."""
    found = dict[tuple[str, int], Function]()
    for mention in read.mentions.get(function.name, ()):
        if not is_source_path(mention.path):
            continue
        if mention.role not in _KNOWN or (mention.role == "call" and mention.inside is None):
            return None
        caller = mention.inside
        if mention.role == "call" and caller is not None and caller != function:
            found[caller.path, caller.line] = caller
    return list(found.values())


Candidate = Callable[[Path], Question | None]  # makes a question about one thing, None if it cannot be asked about


def _of_functions(targets: list[Target]) -> Iterator[list[Candidate]]:
    for make in (_source, _who_calls, _which_tests, _what_breaks, _which_commits, _who_knows, _explain, _path):
        yield [partial(make, target) for target in targets]


def _of_names(read: Syntax) -> Iterator[list[Candidate]]:
    yield [partial(_users, *field) for field in _fields(read)]
    yield [partial(_implementations, *base) for base in _base_classes(read)]
    yield [partial(_where, *literal) for literal in _literals(read)]
    yield [partial(_since_when, *literal) for literal in _literals(read)]


def _source(target: Target, root: Path) -> Question | None:
    lines = _lines(root, target.function)
    body = tuple(line.strip() for line in lines if len(line.strip()) > 8)
    return _asked("source", body, ["code", "source"], target, lambda: _read(target)) if len(body) > 3 else None


def _lines(root: Path, function: Function) -> list[str]:
    text = (root / function.path).read_text("utf-8", "replace").split("\n")
    return text[function.line - 1 : function.end_line]


def _asked(type: str, gold: Sequence[str], verb: Command, target: Target, ordinary: Callable[[], Commands]) -> Question:
    text = _WORDS[type].format(name=target.name)
    return Question(type, text, tuple(gold), [*verb[:2], target.name, *verb[2:]], ordinary)


def _who_calls(target: Target, root: Path) -> Question | None:
    names = [caller.name for caller in target.callers]
    return _asked("callers", names, ["code", "callers", "--no-tests"], target, lambda: _search(target.name))


def _which_tests(target: Target, root: Path) -> Question | None:
    names = (target.name, *(caller.name for caller in target.callers))
    verb = ["code", "impact", "--tests"]
    gold = [path.rpartition("/")[2] for path in target.tests]
    return _asked("tests to run", gold, verb, target, lambda: _search(*names)) if gold else None


def _what_breaks(target: Target, root: Path) -> Question | None:
    names = tuple(caller.name for caller in target.callers)
    gold = dict.fromkeys((*names, *(above.name for above, _ in target.indirect)))
    verb = ["code", "impact", "--no-tests", "--depth", "2"]
    return _asked("what a change breaks", tuple(gold), verb, target, lambda: _search(target.name, *names))


def _which_commits(target: Target, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield _definition(target)
        yield ["git", "--no-pager", "log", "-s", "--format=%h %as %an %s", _range(target)]

    subjects = _git(root, "log", "-s", "--format=%s", _range(target)).split("\n")
    gold = [subject[:_SUBJECT] for subject in subjects if subject]
    return _asked("commits of a function", gold, ["code", "history"], target, ordinary) if gold else None


def _who_knows(target: Target, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield _definition(target)
        yield ["git", "--no-pager", "blame", _range(target).split(":")[0], "--", target.function.path]

    blamed = _git(root, "blame", "--line-porcelain", _range(target).split(":")[0], "--", target.function.path)
    authors = Counter(line.removeprefix("author ") for line in blamed.split("\n") if line.startswith("author "))
    gold = [author for author, _ in authors.most_common(2)]
    if len(gold) < 2:
        return None
    words = _WORDS["who knows it"].format(name=target.name)
    return Question("who knows it", words, tuple(gold), ["ask", f"who knows {target.name}?"], ordinary)


def _explain(target: Target, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield from _read(target)
        yield from _search(target.name)
        yield ["git", "--no-pager", "log", "-s", "-n3", "--format=%h %as %an %s", _range(target)]

    last = _git(root, "log", "-s", "-n1", "--format=%s", _range(target)).strip()
    gold = (target.callers[0].name, last[:_SUBJECT])
    return _asked("all about a function", gold, ["explain"], target, ordinary) if last else None


def _path(target: Target, root: Path) -> Question | None:
    """Ask for the way from a caller of a caller, of which there is one."""
    direct = {caller.name for caller in target.callers}
    if not direct <= target.unique:
        return None  # a caller of another of that name may call it as well
    ways = Counter(above.name for above, _ in target.indirect)
    single = [(above.name, caller.name) for above, caller in target.indirect if ways[above.name] == 1]
    first = next(((a, b) for a, b in single if a not in direct and a != target.name), None)
    if first is None:
        return None
    start, between = first
    command = ["code", "path", start, target.name]
    words = _WORDS["path from A to B"].format(start=start, name=target.name)
    return Question("path from A to B", words, (start, between), command, lambda: _search(target.name, *sorted(direct)))


def _fields(read: Syntax) -> list[tuple[str, list[Mention]]]:
    """Return the fields that are declared once in a tree, with their reads, all of them inside of functions."""
    found = []
    for name, mentions in read.mentions.items():
        own = [each for each in mentions if is_source_path(each.path)]
        declared = [each for each in own if each.role == "field"]
        reads = [each for each in own if each.role == "member"]
        is_known = all(each.role in _OF_FIELD for each in own) and all(each.inside is not None for each in reads)
        if len(declared) == 1 and is_known and len(name) >= _LEAST and 1 <= len(reads) <= 3 * _CALLERS:
            found.append((name, reads))
    return found


def _users(name: str, reads: list[Mention], root: Path) -> Question | None:
    gold = dict.fromkeys(each.inside.name for each in reads if each.inside is not None)
    words = _WORDS["users of a field"].format(name=name)
    return Question(
        "users of a field", words, tuple(gold), ["code", "callers", name, "--no-tests"], lambda: _search(name)
    )


def _base_classes(read: Syntax) -> list[tuple[str, list[str]]]:
    """Return the classes that are defined once in a tree, with those that name them as a base outside of tests."""
    found = []
    for name, mentions in read.mentions.items():
        defined = [each for each in mentions if each.role == "class"]
        below = {each.cls for each in mentions if each.role == "base" and each.cls and is_source_path(each.path)}
        below.discard(name)
        if len(defined) == 1 and below and is_source_path(defined[0].path) and len(name) >= _LEAST:
            found.append((name, sorted(below)))
    return found


def _implementations(name: str, below: list[str], root: Path) -> Question | None:
    pattern = rf"(class|interface|impl|extends|implements|record|enum)\b.*\b{name}\b"

    def ordinary() -> Commands:
        yield [*_GREP, "-E", pattern]
        yield [*_GREP, "-p", name]

    words = _WORDS["implementations"].format(name=name)
    return Question("implementations", words, tuple(below), ["code", "implementations", name], ordinary)


def _literals(read: Syntax) -> list[tuple[str, Mention]]:
    """Return the strings that occur once in a tree, inside of a function outside of tests."""
    return [
        (text, where[0])
        for text, where in read.strings.items()
        if len(where) == 1 and 12 <= len(text) <= 60 and re.fullmatch(r"[\w .,:/-]+", text)
        if is_source_path(where[0].path) and where[0].inside is not None
    ]  # fmt: skip


def _where(text: str, where: Mention, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield ["git", "--no-pager", "grep", "-n", "-p", "-F", "-e", text]

    gold = (where.path, where.inside.name if where.inside is not None else "")
    return Question(
        "where a text is", _WORDS["where a text is"].format(name=text), gold, ["code", "text", text], ordinary
    )


def _since_when(text: str, where: Mention, root: Path) -> Question | None:
    def ordinary() -> Commands:
        yield ["git", "--no-pager", "log", "--format=%h %as %an %s", f"-S{text}"]

    said = _git(root, "log", "--format=%s", f"-S{text}").strip()
    if not said:
        return None
    gold = (said.split("\n")[-1][:_SUBJECT],)
    words = _WORDS["since when"].format(name=text)
    return Question("since when", words, gold, ["ask", f"since when is there `{text}`?"], ordinary)


def _definition(target: Target) -> Command:
    return [*_GREP, "-E", rf"(def|func|function|fn|class|public|private|static|const|let)\b.*\b{target.name}"]


def _range(target: Target) -> str:
    return f"-L{target.function.line},{target.function.end_line}:{target.function.path}"


def _read(target: Target) -> Commands:
    """Find a definition and print its file from there, a window at a time."""
    yield _definition(target)
    for first in range(target.function.line, target.function.end_line + 1, _WINDOW):
        yield ["sed", "-n", f"{first},{first + _WINDOW - 1}p", target.function.path]


def _search(*names: str) -> Commands:
    """Search for names, one after the other, with the functions around; then read above what still has none."""
    for name in names:
        found = yield [*_GREP, "-p", name]
        for path, line in re.findall(r"^([^:=\n]+):(\d+):[ \t]", found, re.M)[:_CALLERS]:
            shown = re.search(rf"^{re.escape(path)}=\d+=", found, re.M)
            if shown is None:
                yield ["sed", "-n", f"{max(1, int(line) - _WINDOW)},{line}p", path]


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, timeout=_TIMEOUT_S, check=False)
    return done.stdout.decode("utf-8", "replace")
