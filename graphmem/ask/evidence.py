"""Evidence for the answer to a question: what it is read from, which symbol or file a question is about, and how rows are
written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from shlex import quote
from textwrap import shorten
from typing import Any, NamedTuple, Protocol

from graphmem.ask.types import Question, compound_names, member_names, parse_question
from graphmem.code.reader import CodeReader
from graphmem.codegraph.view import CLASSES
from graphmem.errors import CodeIndexMissing, GraphmemError, UsageError
from graphmem.model.answers import Place
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Revision
from graphmem.model.results import Detail, Hit
from graphmem.model.table import Table
from graphmem.tasks.service import Tasks

FEW = 5  # rows of evidence; the command gives the rest
ROWS = 12  # symbols, which are short
_WIDTH = 240  # characters of one row


class Reader(Protocol):
    """What answers are read from."""

    @property
    def code(self) -> CodeReader: ...
    @property
    def tasks(self) -> Tasks: ...
    def details(self, ids: Sequence[str]) -> list[Detail]: ...
    def query(self, name: str, params: Mapping[str, Any] | None = None) -> Table: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """What operations ask: the code and its history, the tasks, and named queries of the graph."""

    code: CodeReader
    tasks: Tasks
    query: Callable[[str, Mapping[str, Any]], Table]
    git_timeout_s: float = 30.0  # for one answer


class Evidence(NamedTuple):
    """Rows of an answer and the commands that give the rest. `is_exact` says that a name of the question was resolved, so that
    the rows answer the question itself. `refs` name the items that they are about (commits by hash), most probable first."""

    lines: tuple[str, ...]
    commands: tuple[str, ...]
    is_exact: bool = True
    refs: tuple[str, ...] = ()


Operation = Callable[[Question, Sources, Sequence[Hit]], Evidence | None]  # None: it knows nothing


FIELDS = frozenset({"field", "variable", "constant", "module", "property"})  # an ordinary word may be the name of one


def read_question(text: str, sources: Sources) -> Question:
    """Return a question with its type and subjects. If it spells a name as separate words ("version option"), and exactly one
    symbol outside of tests has that name, that name comes first."""
    question = parse_question(text)
    if member := _find_member(question, sources):
        name = f"{Place.of(member).short_name}"
        rest = tuple(word for word in question.subjects if word.lower() not in name.lower().split("."))
        return question._replace(subjects=(name, *rest), exact=(name,))
    if question.exact:
        return question
    for written, forms in compound_names(text):
        known = [symbol for name in forms for symbol in sources.code.known(name, no_tests=True) if symbol.name == name]
        if len({symbol.qualified_name for symbol in known}) == 1:
            words = written.split()
            rest = tuple(word for word in question.subjects if word not in words)
            return question._replace(subjects=(known[0].name, *rest), exact=(known[0].name,))
    return question


def _find_member(question: Question, sources: Sources) -> Symbol | None:
    """Return the one member of a type that a question names by two words ("Ticker's reset", "the reset method of Ticker")."""
    for owner, member in member_names(question.text):
        said = next((name for name in question.subjects if name == owner or name.endswith(f".{owner}")), "")
        known = sources.code.known(said, no_tests=True) if said else []
        if not any(each.kind in CLASSES and each.name == owner for each in known):
            continue
        for form in dict.fromkeys((member, member.lower(), member.capitalize())):
            found = sources.code.known(f"{said}.{form}", no_tests=True)
            if len({symbol.qualified_name for symbol in found}) == 1:
                return found[0]
    return None


def is_failure(error: GraphmemError) -> bool:
    """Return whether an operation failed; otherwise the store has no code, or not what is asked for."""
    return isinstance(error, CodeIndexMissing) or not isinstance(error, UsageError)


def name_of(symbol: Symbol, sources: Sources) -> str:
    """Return the name that means a symbol with all its overloads."""
    same = [
        other for other in sources.code.known(symbol.qualified_name) if other.qualified_name == symbol.qualified_name
    ]
    return symbol.qualified_name if len(same) > 1 and len({other.file for other in same}) == 1 else symbol.key


def find_subject(question: Question, sources: Sources) -> Symbol | None:
    """Return the symbol that a question is about: names written as code first, then words. An ordinary word never
    names a symbol of a test or example; if the question has several words, it names only a function or class."""
    for name in question.subjects:
        is_exact = name in question.exact
        named = name.removesuffix("()")
        known = sources.code.known(named, no_tests=not is_exact)
        for mark in (
            mark for mark in "?!" if not known and f"{named}{mark}" in question.text
        ):  # Ruby's names end with them
            known = sources.code.known(f"{named}{mark}", no_tests=not is_exact)
        if known and (is_exact or len(question.subjects) == 1):
            return known[0]
        called = [symbol for symbol in known if symbol.kind not in FIELDS]
        if called and len(name) > 3:
            return called[0]
    return None


def find_file(question: Question, sources: Sources) -> str | None:
    """Return the file of the tree that a question names. A capitalised word may be the whole name of one (Dockerfile)."""
    for name in question.subjects:
        if "/" in name or "." in name or name in question.exact:
            if file := sources.code.file(name):
                return file
        elif name[:1].isupper() and (file := sources.code.file(name)) and file.rpartition("/")[2] == name:
            return file
    return None


def show_rows(rows: Sequence[tuple[str, int, str]], total: int, most: int = ROWS) -> list[str]:
    """Return a line for each file with its first rows (file, line, text), and how many rows there are in all."""
    shown = rows[:most]
    lines = []
    for file, group in groupby(shown, lambda row: row[0]):
        named = ", ".join(f"{text} {line}" for _, line, text in group)
        lines.append(f"{file}: {named}")
    return lines + ([f"and {total - len(shown)} more"] if total > len(shown) else [])


def command_name(symbol: Symbol, sources: Sources) -> str:
    """Return the shortest name that commands take for a symbol."""
    return symbol.name if len(sources.code.known(symbol.name)) == 1 else symbol.qualified_name


def evidence_of(
    question: Question,
    symbol: Symbol,
    sources: Sources,
    lines: Sequence[str],
    verb: str,
    flags: str = "",
    *,
    is_complete: bool = True,
) -> Evidence:
    """Return evidence about a symbol, with the command that gives the rest. It is exact if it is complete and the question spells
    the symbol out, or each of its words is part of the symbol's name or path."""
    place = f"{symbol.file} {symbol.qualified_name}".lower()
    is_spelled = any(name.endswith(symbol.name.rstrip("?!")) for name in question.exact)
    is_exact = is_complete and (is_spelled or all(word.lower() in place for word in question.subjects))
    command = f"graphmem {verb} {quote(command_name(symbol, sources))}{flags}"
    return Evidence(tuple(filter(None, lines)), (command,), is_exact, (ref_of(symbol),))


def shortened(text: str) -> str:
    """Return a text as one line of limited length."""
    return shorten(" ".join(text.split()), _WIDTH, placeholder=" …")


def ref_of(symbol: Symbol) -> str:
    """Return the ref of the item of a symbol."""
    return f"{symbol.file}:{symbol.line}"


def place_of(symbol: Symbol) -> str:
    """Return the kind, the name and the place of a symbol."""
    return f"{symbol.kind} {Place.of(symbol).short_name} ({symbol.file}:{symbol.line})"


def revision_line(commit: Revision) -> str:
    """Return a commit with its date and author."""
    return f"{commit.hash[:10]} {commit.at:%Y-%m-%d} {commit.author}: {shortened(commit.subject)}"


def author_line(commit: Revision) -> str:
    """Return who made a commit and when, and its subject."""
    return f"{commit.author} on {commit.at:%Y-%m-%d}: {commit.hash[:10]} {shortened(commit.subject)}"


def hit_line(hit: Hit) -> str:
    """Return a hit with its date, citation, place and the part of it that answers; a commit with its subject."""
    place = f" {hit.place}" if hit.place else ""
    text = hit.excerpt or hit.shown or hit.summary
    said = f"{hit.title} — {text}" if hit.kind == "commit" and text != hit.title else text
    return f"{hit.kind} {hit.at:%Y-%m-%d} {hit.citation}{place}: {shortened(said)}"


def rest_line(total: int, shown: int) -> list[str]:
    """Return a line with the number of rows that are not shown, if there are any."""
    return [f"and {total - shown} more"] if total > shown else []


def row_line(row: Sequence[Any]) -> str:
    """Return a row of a history (hash, time, author, subject) as a line."""
    hash_, at, author, subject = row[:4]
    return f"{hash_[:10]} {at:%Y-%m-%d} {author}: {shortened(str(subject))}"


def names_all(question: Question, hit: Hit) -> bool:
    """Return whether a hit has every name that the question spells out, of which there is one or more."""
    said = f"{hit.title} {hit.content}"
    return bool(question.exact) and all(name in said for name in question.exact)
