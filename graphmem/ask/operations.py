"""The operations that answer questions: each takes a question and returns evidence, or None if it knows nothing. The names
in `OPERATIONS` are those of the question types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Protocol

from graphmem.ask.types import Question, revisions_of
from graphmem.code import authors, revisions
from graphmem.code.reader import CodeReader
from graphmem.model.code import Symbol
from graphmem.model.code_answers import Revision
from graphmem.model.results import Detail, Hit
from graphmem.tasks.service import Tasks

_FEW = 5  # rows of evidence; the command gives the rest
_WIDTH = 240  # characters of one row


class Reader(Protocol):
    """What answers are read from."""

    @property
    def code(self) -> CodeReader: ...
    @property
    def tasks(self) -> Tasks: ...
    def details(self, ids: Sequence[str]) -> list[Detail]: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """What operations ask: the code and its history, and the tasks."""

    code: CodeReader
    tasks: Tasks
    git_timeout_s: float = 30.0  # for one answer


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rows of an answer and the commands that give the rest. `is_exact` says that a name of the question was resolved, so that
    the rows answer the question itself. `refs` name the items that they are about (commits by hash), most probable first."""

    lines: tuple[str, ...]
    commands: tuple[str, ...]
    is_exact: bool = True
    refs: tuple[str, ...] = ()


Operation = Callable[[Question, Sources, Sequence[Hit]], Evidence | None]


def _subject(question: Question, sources: Sources) -> Symbol | None:
    """Return the symbol that a question is about: names written as code first, then words."""
    for name in question.subjects:
        known = sources.code.known(name.removesuffix("()"))
        if known and (name in question.exact or len(name) > 3 or len(question.subjects) == 1):
            return known[0]
    return None


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), _WIDTH, placeholder=" …")


def _ref(symbol: Symbol) -> str:
    """Return the ref of the item of a symbol."""
    return f"{symbol.file}:{symbol.line}"


def _place(symbol: Symbol) -> str:
    return f"{symbol.kind} {symbol.qualified_name} ({symbol.file}:{symbol.line})"


def _revision(commit: Revision) -> str:
    return f"{commit.hash[:10]} {commit.at:%Y-%m-%d} {commit.author}: {_short(commit.subject)}"


def _by(commit: Revision) -> str:
    return f"{commit.author} on {commit.at:%Y-%m-%d}: {commit.hash[:10]} {_short(commit.subject)}"


def _hit(hit: Hit) -> str:
    place = f" {hit.place}" if hit.place else ""
    return f"{hit.kind} {hit.at:%Y-%m-%d} {hit.citation}{place}: {_short(hit.shown or hit.summary)}"


def _more(total: int, shown: int) -> list[str]:
    return [f"and {total - shown} more"] if total > shown else []


def find_tests(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return tests that reach the symbol, nearest first."""
    if (symbol := _subject(question, sources)) is None:
        return None
    plan = sources.code.tests(symbol.key)
    lines = [f"{plan.total} tests reach {_place(symbol)}"]
    lines += [f"{test.file}:{test.line} {test.name}" for test, _ in plan.tests[:_FEW]] + _more(plan.total, _FEW)
    lines += [f"changed with it: {test.file}:{test.line} {test.name}" for test, _ in plan.changed_with[:_FEW]]
    lines += [f"run: {plan.command}"] if plan.command else []
    return Evidence(tuple(lines), (f"graphmem code impact {symbol.qualified_name} --tests",), refs=(_ref(symbol),))


def find_impact(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what depends on the symbol, directly or not, sources before tests."""
    if (symbol := _subject(question, sources)) is None:
        return None
    found = sources.code.impact(symbol.key, limit=10_000)
    tests = {(test.file, test.name) for test in found.tests}
    files = {test.file for test in found.tests}
    own = [
        row
        for row in found.reached
        if (row.symbol.file, row.symbol.name) not in tests
        and not (row.symbol.kind == "module" and row.symbol.file in files)
    ]
    own.sort(key=lambda row: (row.symbol.kind == "module", row.depth))
    lines = [f"{len(own)} symbols and {len(tests)} tests depend on {_place(symbol)}; risk {found.risk:.2f}"]
    lines += [
        f"{row.symbol.file}:{row.symbol.line} {row.symbol.name} ({row.relation}, step {row.depth})"
        for row in own[:_FEW]
    ]
    lines += _more(len(own), _FEW) + [f"test {test.file}:{test.line} {test.name}" for test in found.tests[:3]]
    lines += [f"{label.lower()}: {_short(title)}" for label, title in found.related[:3]]
    lines += [f"{found.open_sites} unresolved calls could be one more"] if found.open_sites else []
    return Evidence(tuple(lines), (f"graphmem code impact {symbol.qualified_name}",), refs=(_ref(symbol),))


def find_callers(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return who calls the symbol, with the lines."""
    if (symbol := _subject(question, sources)) is None:
        return None
    found = sources.code.callers(symbol.key)
    total = len(found.calls) + found.left_out
    unsure = f"; {found.open_sites} unresolved calls could be one more" if found.open_sites else ""
    lines = [f"{total} caller{'s' * (total != 1)} of {_place(symbol)}{unsure}"]
    lines += [f"{call.symbol.file}:{call.line} {call.symbol.name}" for call in found.calls[:_FEW]] + _more(total, _FEW)
    return Evidence(tuple(lines), (f"graphmem code callers {symbol.qualified_name}",), refs=(_ref(symbol),))


def find_introduction(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the first commit whose diff brings the text in, with author and date. Of a text that is no definition,
    the first whose subject names it, if one does."""
    for text in question.subjects:
        found = authors.find_occurrence_changes(sources.code.root(), text, sources.git_timeout_s)
        added = [each.commit for each in reversed(found.changes) if each.change > 0]
        if not added:
            continue
        named = [commit for commit in added if _names(commit, text)]
        first = added[0] if found.is_definition or not named else named[0]
        lines = [f"`{text}` was introduced by {_by(first)}"]
        symbol = next(iter(sources.code.known(text)), None)
        lines += [f"now {_place(symbol)}"] if symbol else []
        is_exact = found.is_definition or text in question.exact or bool(named)
        refs = (first.hash, *([_ref(symbol)] if symbol else ()))
        return Evidence(tuple(lines), (f"graphmem code text {_quote(text)} --patches",), is_exact, refs)
    return None


def find_removal(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the last commit that takes the text out, with author, date and reason; where it is still there, that is
    said first. Of a text that is no definition, the last whose subject says so, if one does."""
    root = sources.code.root()
    for text in question.subjects:
        found = authors.find_occurrence_changes(root, text, sources.git_timeout_s)
        gone = [each.commit for each in found.changes if each.change < 0]
        if not gone:
            continue
        said = [commit for commit in gone if _names(commit, text) and _REMOVES.search(commit.subject)]
        last = said[0] if said else gone[0]
        left = sources.code.text(rf"(?<!\w){re.escape(text)}(?!\w)", is_regex=True, limit=3)
        is_gone = not left.total or (found.is_definition and not sources.code.known(text))
        named = [commit for commit in authors.find_mentions(root, [text], _FEW) if commit.hash != last.hash]
        mentions = [f"mentioned in {_revision(commit)}" for commit in named][:3]
        removal = f"`{text}` was {'' if is_gone else 'last '}removed by {_by(last)}"
        body = authors.read_message(root, last.hash).partition("\n")[2].strip()
        reason = [f"message: {_short(body)}"] if body else []
        still = [f"still there: {row.path}:{row.line}: {_short(row.text)}" for row in left.matches]
        still.append(f"{left.total} lines hold it now" if left.total else "no line holds it now")
        is_exact = is_gone or (bool(said) and left.total <= _COMMON)
        lines = [removal, *reason, *still, *mentions] if is_exact else [*mentions, removal, *reason, *still]
        return Evidence(tuple(lines), (f"graphmem code text {_quote(text)} --patches",), is_exact, (last.hash,))
    return None


_COMMON = 20  # lines that still hold a text of which only a part was removed; more lines: an ordinary word
_REMOVES = re.compile(r"\b(?:remov|drop|delet|rid|eliminat|strip|clean|unused|kill|replac|without)\w*", re.I)


def _names(commit: Revision, text: str) -> bool:
    """Return whether the subject of a commit has a text as a word."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", commit.subject, re.I) is not None


def find_owners(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return who wrote the lines of the symbol as they are."""
    symbol = _subject(question, sources)
    found = sources.code.owners(symbol.key) if symbol else None
    if symbol is None or found is None:
        return None
    total = sum(count for _, count, _ in found.authors)
    lines = [f"{_place(symbol)} has {total} lines:"]
    lines += [f"{who}: {count} lines, last on {day}" for who, count, day in found.authors[:_FEW]]
    commands = (f"graphmem code history {symbol.qualified_name}",)
    return Evidence((*lines, *_more(len(found.authors), _FEW)), commands, refs=(_ref(symbol),))


def find_changes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the commits between two revisions or since one; or those that changed the symbol."""
    named = revisions_of(question)
    if named:
        root = sources.code.root()
        first = revisions.commit_of(root, named[0])
        last = revisions.commit_of(root, named[1]) if len(named) > 1 else "HEAD"
        rows, total = authors.find_changed_between(root, first, last, 2 * _FEW)
        end = named[1] if len(named) > 1 else "HEAD"
        lines = [f"{total} commits between {named[0]} and {end}, newest first", *map(_revision, rows)]
        refs = tuple(row.hash for row in rows)
        return Evidence((*lines, *_more(total, len(rows))), (f"git log {named[0]}..{end}",), refs=refs)
    symbol = _subject(question, sources)
    if symbol is None:
        return None
    table = sources.code.history(symbol.key, limit=10_000)
    lines = [f"{len(table.rows)} commits changed {_place(symbol)}, newest first", *map(_row, table.rows[:_FEW])]
    commands = (f"graphmem code history {symbol.qualified_name} --patch",)
    return Evidence((*lines, *_more(len(table.rows), _FEW)), commands, refs=(_ref(symbol),))


def find_decisions(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return decisions, facts, turns and commits that the search found, then commits whose message names what the question
    spells out, and gives a reason."""
    said = [hit for hit in hits if hit.kind in ("fact", "turn", "gotcha", "summary", "document", "commit")]
    lines = [_hit(hit) for hit in said if hit.probability >= 0.3][:3]
    commands = ["graphmem details ID"] if lines else []
    if (symbol := _subject(question, sources)) is not None:
        for row in sources.code.history(symbol.key, limit=3).rows:
            body = authors.read_message(sources.code.root(), row[0]).partition("\n")[2].strip()
            lines.append(_row(row) + (f" — {_short(body)}" if body else ""))
        return Evidence(tuple(lines), (*commands, f"graphmem code history {symbol.qualified_name} --patch"))
    for text in question.exact[:3]:  # any other word is in the message of some commit
        root = sources.code.root()
        found = authors.find_mentions(root, [text], 3)
        for commit in found:
            body = authors.read_message(root, commit.hash).partition("\n")[2].strip()
            lines.append(_revision(commit) + (f" — {_short(body)}" if body else ""))
        if found:
            commands.append(f"graphmem code text {_quote(text)} --patches")
            break
    return Evidence(tuple(lines), tuple(commands), False) if lines else None


def find_reason(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the newest commit whose message has every word that the question is about, and gives a reason."""
    root = sources.code.root()
    words = [*question.subjects] if question.exact else []
    for commit in authors.find_mentions(root, words, _FEW) if words else ():
        body = authors.read_message(root, commit.hash).partition("\n")[2].strip()
        if body:
            lines = (_revision(commit), f"message: {_short(body)}")
            return Evidence(lines, (f"graphmem show {commit.hash[:10]}",), refs=(commit.hash,))
    return None


def find_definition(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return where the symbol is defined, what it looks like and what it says of itself."""
    symbol = _subject(question, sources)
    if symbol is not None:
        lines = [_place(symbol), _short(symbol.signature), _short(symbol.doc.strip().partition("\n\n")[0])]
        commands = (f"graphmem explain {symbol.qualified_name}",)
        return Evidence(tuple(filter(None, lines)), commands, refs=(_ref(symbol),))
    for text in question.exact:
        found = sources.code.text(text, limit=_FEW)
        if found.total:
            lines = [f"{row.path}:{row.line}: {_short(row.text)}" for row in found.matches]
            return Evidence((*lines, *_more(found.total, len(lines))), (f"graphmem code text {_quote(text)}",))
    return None


def find_tasks(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the tasks that the question names, else what is open and ready."""
    found = [match.task for match in sources.tasks.match(question.text, k=3).candidates]
    rows = list(found) or sources.tasks.ready()[:_FEW]
    lines = [f"{task.name} [{task.status}, {task.priority}] {_short(task.title)}" for task in rows]
    return Evidence(tuple(lines), ("graphmem tasks prime",), False) if lines else None


def find_facts(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return facts that held on the day that the question names."""
    lines = [_hit(hit) for hit in hits if hit.kind == "fact"][:_FEW]
    return Evidence(tuple(lines), ("graphmem search … --kind fact --as-of DAY",), False) if lines else None


def _row(row: list[Any]) -> str:
    hash_, at, author, subject = row[:4]
    return f"{hash_[:10]} {at:%Y-%m-%d} {author}: {_short(str(subject))}"


def _quote(text: str) -> str:
    return text if text.replace("_", "").replace(".", "").isalnum() else f"'{text}'"


OPERATIONS: dict[str, Operation] = {
    "tests": find_tests,
    "impact": find_impact,
    "callers": find_callers,
    "introduced": find_introduction,
    "removed": find_removal,
    "owners": find_owners,
    "revisions": find_changes,
    "decided": find_decisions,
    "where": find_definition,
    "task": find_tasks,
    "facts": find_facts,
}
