"""Operations that answer questions: each takes a question and returns evidence, or None if it knows nothing. `registry` says
which question type each answers; `structure`, `accesses` and others have further ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from shlex import quote

from graphmem.ask.about import is_acronym
from graphmem.ask.evidence import (
    FEW,
    FIELDS,
    ROWS,
    Evidence,
    Sources,
    author_line,
    evidence_of,
    find_file,
    find_subject,
    hit_line,
    name_of,
    names_all,
    place_of,
    ref_of,
    rest_line,
    revision_line,
    row_line,
    shortened,
    show_rows,
)
from graphmem.ask.occurrences import find_occurrences
from graphmem.ask.periods import Period, find_period
from graphmem.ask.removals import names_text
from graphmem.ask.types import Question, release_of, revisions_of
from graphmem.code import authors, revisions
from graphmem.code.text_search import kind_of_file
from graphmem.errors import AmbiguousName
from graphmem.model.answers import Calls, Place, join_places
from graphmem.model.code import Symbol
from graphmem.model.results import Hit
from graphmem.model.tasks import Task
from graphmem.plurals import counted

_ASKS = r"^\W*(?:what|which tasks?)(?: is| are|'s)(?: still| now| currently| left)? "
_ASKS_KOREAN = r"^\W*(?:지금|현재|아직)? *(?:뭐가|무엇이|어떤 *(?:작업|과제|태스크)(?:이|가)?) *"
_STATES = {  # asked of all tasks, not of a named one
    "blocked": re.compile(rf"{_ASKS}blocked\W*$|{_ASKS_KOREAN}(?:막혀|막혔|막힌)", re.I),
    "ready": re.compile(rf"{_ASKS}ready\W*$", re.I),
    "open": re.compile(rf"{_ASKS}(?:open|undone|unfinished)\W*$|{_ASKS_KOREAN}(?:남아|남았|열려)", re.I),
}
_MOST_TASKS = 12
_ISSUE = re.compile(r"\b(?:issue|ticket)s?\b|이슈|티켓", re.I)


def find_importers(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the files that import the file of the question, only tests if it asks for these; who uses a symbol."""
    if (file := find_file(question, sources)) is None:
        return find_callers(question, sources, hits)
    plan = sources.code.tests(file)
    tests = [path for path, steps in plan.importing_tests if steps == 1]
    own = list(dict.fromkeys(place.file for place in plan.importers))
    of_tests = re.search(r"\btests?\b|테스트", question.text, re.I) is not None
    over = [path for path, steps in plan.importing_tests if steps > 1]
    further = [f"{len(over)} more import a file that imports it: {', '.join(over[:ROWS])}", *rest_line(len(over), ROWS)]
    lines = [f"{len(tests)} test file{'s import' if len(tests) != 1 else ' imports'} {file}", *tests]
    lines += further if over else []
    if not of_tests:
        head = f"{len(own)} file{'s import' if len(own) != 1 else ' imports'} {file}"
        lines = [f"{head}, and {len(tests)} test file{'s' * (len(tests) != 1)}", *own, *tests]
    return Evidence(tuple(lines), (f"graphmem code callers {quote(file)}",), True, (file,))


def find_tests(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return tests that reach the symbol, nearest first."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    plan = sources.code.tests(name_of(symbol, sources))
    lines = [f"{plan.total} test{'s reach' if plan.total != 1 else ' reaches'} {place_of(symbol)}"]
    if plan.open_calls:
        calls = counted(plan.open_calls, "call is unresolved", "calls are unresolved")
        lines = [f"no known call of a test reaches {place_of(symbol)}; {calls} in tests that import what leads to it"]
    named = dict.fromkeys(
        (test.file, test.line, test.short_name) for test, _ in plan.tests if "<lambda" not in test.name
    )
    rows = list(named) or [(test.file, test.line, test.short_name) for test, _ in plan.tests]
    lines += show_rows(rows, plan.total)
    lines += [f"through {row}" for row in show_rows([(h.file, h.line, h.short_name) for h in plan.helpers], 0)]
    lines += [f"changed with it: {test.file}:{test.line} {test.short_name}" for test, _ in plan.changed_with[:FEW]]
    lines += [f"run: {plan.command}"] if plan.command else []
    found = evidence_of(question, symbol, sources, lines, "code impact", " --tests", is_complete=bool(plan.total))
    nearest = [f"{file}:{line}" for file, line, _ in rows[:1] if plan.total]
    return found._replace(refs=(*nearest, *found.refs))


def find_impact(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return what depends on the symbol, directly or not, sources before tests."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    found = sources.code.impact(name_of(symbol, sources), limit=10_000)
    tests = {(test.file, test.name) for test in found.tests}
    files = {test.file for test in found.tests}
    own = [
        row
        for row in found.reached
        if (row.symbol.file, row.symbol.name) not in tests
        and not (row.symbol.kind == "module" and row.symbol.file in files)
    ]
    own.sort(key=lambda row: (row.depth, row.symbol.kind == "module"))
    lines = [
        f"{counted(len(own), 'symbol')} and {counted(len(tests), 'test')} that depend on {place_of(symbol)}; risk {found.risk:.2f}"
    ]
    for depth, group in groupby(own[:ROWS], lambda row: row.depth):
        lines.append(f"{depth} step{'s' * (depth > 1)}:")
        lines += show_rows([(row.symbol.file, row.line or row.symbol.line, row.symbol.short_name) for row in group], 0)
    lines += rest_line(len(own), ROWS)
    lines += [
        f"tests: {row}" for row in show_rows([(test.file, test.line, test.short_name) for test in found.tests[:3]], 0)
    ]
    lines += [f"{label.lower()}: {shortened(title)}" for label, title in found.related[:3]]
    lines += [f"{counted(found.open_sites, 'unresolved call')} could be one more"] if found.open_sites else []
    is_complete = bool(own or tests or not found.open_sites)
    return evidence_of(question, symbol, sources, lines, "code impact", is_complete=is_complete)


def find_callers(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return who calls the symbol, with the lines, and the calls that may be meant; of a name that several symbols have, the
    callers of each. They are about the first caller, which is what was asked for, before the symbol itself."""
    if (symbol := find_subject(question, sources)) is None:
        return None
    answers = _callers_of(question, symbol, sources)
    lines = list[str]()
    for found in answers:
        total, opened = found.total, found.open_sites
        unsure = f"; {opened} unresolved call{'s' * (opened != 1)} could be one more" if opened else ""
        lines.append(f"{total} caller{'s' * (total != 1)} of {_described(found.symbol)}{unsure}")
        lines += show_rows([(call.symbol.file, call.line, call.symbol.short_name) for call in found.calls], total)
        if found.below:
            places = join_places(
                [f"{row.file}:{row.line}" for row in found.below], [row.short_name for row in found.below]
            )
            more = " …" * (found.of_overriding > len(found.below))
            lines.append(f"calls of methods that override it: {found.of_overriding}: {places}{more}")
        if found.may_run:
            places = join_places(
                [f"{row.file}:{row.line}" for row in found.may_run], [row.short_name for row in found.may_run]
            )
            more = " …" * (found.through_base > len(found.may_run))
            lines.append(f"may run it, because they call what it overrides: {found.through_base}: {places}{more}")
    lines += dict.fromkeys(f"unresolved: {_places(found)}" for found in answers if found.open_places)
    is_complete = any(found.total for found in answers) or not any(found.open_sites for found in answers)
    evidence = evidence_of(question, symbol, sources, lines, "code callers", is_complete=is_complete)
    evidence = evidence._replace(refs=(*_first_caller(answers), *evidence.refs))
    return evidence._replace(commands=(f"graphmem code callers {quote(symbol.name)}",)) if answers[1:] else evidence


def _first_caller(answers: Sequence[Calls]) -> list[str]:
    """Return the ref of the first caller, of a source before a test."""
    callers = [call.symbol for found in answers for call in found.calls if call.symbol.kind != "module"]
    callers.sort(key=lambda caller: kind_of_file(caller.file) != "code")
    return [f"{caller.file}:{caller.line}" for caller in callers[:1]]


_MEANINGS = 3  # symbols of one name that are answered


def _callers_of(question: Question, symbol: Symbol, sources: Sources) -> list[Calls]:
    """Return the callers of a symbol, or of each symbol that its name in the question may mean; those without callers are left
    out if others have some."""
    written = {name.removesuffix("()") for name in question.subjects}
    is_bare = symbol.name in written and not any(
        name.endswith((f".{symbol.name}", f":{symbol.name}")) for name in written
    )
    try:
        return [sources.code.callers(symbol.name if is_bare else name_of(symbol, sources))]
    except AmbiguousName as error:
        found = [sources.code.callers(key) for key in list[str](error.data["candidates"])[:_MEANINGS]]
    return [each for each in found if each.total] or found[:1]


def _places(found: Calls) -> str:
    """Return where the first unresolved calls are, by file."""
    rows = groupby((place.rpartition(":") for place in found.open_places), lambda row: row[0])
    said = ", ".join(f"{file}:{','.join(line for *_, line in group)}" for file, group in rows)
    return said + " …" * (found.open_sites > len(found.open_places))


def _described(place: Place) -> str:
    return f"{place.kind} {place.short_name} ({place.file}:{place.line})"


def find_introduction(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the first commit whose diff brings the text in, with author and date. If the text is not a
    definition, prefer the first commit whose subject names it. Of a file, the commit that added it."""
    if (file := find_file(question, sources)) is not None and (rows := sources.code.history(file, limit=10_000).rows):
        hash_, at, author, subject = rows[-1][:4]
        said = f"`{file}` was added by {author} on {at:%Y-%m-%d}: {hash_[:10]} {shortened(str(subject))}"
        return Evidence((said,), (f"graphmem code history {quote(file)}",), refs=(hash_, file))
    for text in question.subjects:
        if (evidence := _first_change(text, question, sources)) is not None:
            return evidence
        found = authors.find_occurrence_changes(sources.code.root(), text, sources.git_timeout_s)
        added = [each.commit for each in reversed(found.changes) if each.change > 0]
        if not added:
            continue
        named = [commit for commit in added if names_text(commit, text)]
        first = added[0] if found.is_definition or not named else named[0]
        lines = [f"`{text}` was introduced by {author_line(first)}"]
        symbol = next(iter(sources.code.known(text)), None)
        lines += [f"now {place_of(symbol)}"] if symbol else []
        is_exact = found.is_definition or text in question.exact or bool(named)
        if is_acronym(text):  # "XML" is the name of many things
            is_exact = all(names_text(first, other) for other in question.subjects if other != text)
        refs = (first.hash, *([ref_of(symbol)] if symbol else ()))
        is_phrase = " " in text.strip() and len(added) == 1  # there is no more to see
        commands = () if is_phrase else (f"graphmem code text {quote(text)} --patches",)
        return Evidence(tuple(lines), commands, is_exact, refs)
    return None


def _first_change(text: str, question: Question, sources: Sources) -> Evidence | None:
    """Return the first commit that changed a member whose name other types have, too: a search for the name finds those of all."""
    known = sources.code.known(text) if "." in text and text in question.exact else []
    if len(known) != 1 or len(sources.code.known(known[0].name)) == 1:
        return None
    rows = sources.code.history(known[0].key, limit=10_000).rows
    if not rows:
        return None
    hash_, at, author, subject = rows[-1][:4]
    lines = (
        f"`{text}` was introduced by {author} on {at:%Y-%m-%d}: {hash_[:10]} {shortened(str(subject))}",
        f"now {place_of(known[0])}",
    )
    command = f"graphmem code history {quote(known[0].qualified_name)} --patch"
    return Evidence(lines, (command,), refs=(hash_, ref_of(known[0])))


def find_changes(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the notes of a release, or its commits; the commits between two revisions or since one; or those that changed the
    symbol."""
    release = release_of(question)
    if release and (notes := _find_notes(release, hits)):
        return _show_notes(notes)
    if revisions_of(question):
        return _find_commits_between(question, sources, is_release=bool(release))
    file = find_file(question, sources)
    symbol = None if file else find_subject(question, sources)
    target = symbol.key if symbol else file
    period = find_period(question.text)
    if target is None:
        return _find_commits_of(period, sources) if period and _names_nothing_else(question, period) else None
    changes = sources.code.history(target, limit=10_000).rows
    changes = [row for row in changes if period.holds(row[1])] if period else changes
    what = place_of(symbol) if symbol else f"`{file}`"
    lines = [
        f"{counted(len(changes), 'commit')} changed {what}, newest first",
        *map(row_line, changes[:FEW]),
        *rest_line(len(changes), FEW),
    ]
    if symbol is not None:
        return evidence_of(question, symbol, sources, lines, "code history", " --patch")
    return Evidence(tuple(lines), (f"graphmem code history {quote(target)}",), refs=(target,))


def _names_nothing_else(question: Question, period: Period) -> bool:
    """Return whether a question has no subject but the period."""
    words = period.words.lower()
    return all(name.lower() in words for name in question.subjects)


def _find_commits_of(period: Period, sources: Sources) -> Evidence:
    rows = [row for row in authors.find_changes_of(sources.code.root(), ["."]) if period.holds(row.at)]
    lines = [f"{counted(len(rows), 'commit')} ({period.words}), newest first", *map(revision_line, rows[: 2 * FEW])]
    command = f"git log --no-merges{period.flags}"
    refs = tuple(row.hash for row in rows[: 2 * FEW])
    return Evidence((*lines, *rest_line(len(rows), 2 * FEW)), (command,), True, refs)


def _find_commits_between(question: Question, sources: Sources, *, is_release: bool) -> Evidence | None:
    """Return the commits between the revisions that a question names, up to now if it names one; those of a release are between
    the one before it and itself."""
    root, named = sources.code.root(), revisions_of(question)
    before = revisions.last_tag(root, f"{revisions.commit_of(root, named[0])}^") if is_release else ()
    if is_release and not before:
        return None
    ends = [*before, *named, "HEAD"]
    first, last = (revisions.commit_of(root, end) for end in ends[:2])
    rows, total = authors.find_changed_between(root, first, last, 2 * FEW)
    lines = [f"{counted(total, 'commit')} between {ends[0]} and {ends[1]}, newest first", *map(revision_line, rows)]
    is_exact = find_file(question, sources) is None  # the commits of all files answer no question about one
    command = f"git log --no-merges {first[:10]}..{last[:10]}"
    return Evidence((*lines, *rest_line(total, len(rows))), (command,), is_exact, tuple(row.hash for row in rows))


def _find_notes(release: str, hits: Sequence[Hit]) -> list[Hit]:
    """Return the sections of documents below the heading of a release, in order."""
    heading = re.compile(rf"(?<![\d.])v?{re.escape(release)}(?!\.?[0-9A-Za-z_])")
    found = [hit for hit in hits if hit.kind == "document" and heading.search(hit.title)]
    return sorted(found, key=lambda hit: (hit.place.rpartition(":")[0], int(hit.place.rpartition(":")[2] or 0)))


def _show_notes(notes: Sequence[Hit]) -> Evidence:
    lines = [line for note in notes for line in (f"{note.title} ({note.place})", *note.content.split("\n")) if line]
    shown = (*lines[: 2 * ROWS], *rest_line(len(lines), 2 * ROWS))
    command = f"graphmem details {' '.join(note.citation.strip('[]') for note in notes)}"
    return Evidence(shown, (command,), refs=(notes[0].citation,))


SURE = 0.75  # probability of a hit that says why: no message of a commit is put before it
_LIKELY = 0.3  # probability of a hit that may give a reason


def find_decisions(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return decisions, facts, turns and commits that the search found, then commits whose message names what the question
    spells out, and gives a reason."""
    said = [hit for hit in hits if hit.kind in ("fact", "turn", "gotcha", "summary", "document", "commit")]
    lines = [hit_line(hit) for hit in said if hit.probability >= _LIKELY or names_all(question, hit)][:3]
    commands = ["graphmem details ID"] if lines else []
    if (symbol := find_subject(question, sources)) is not None:
        for row in sources.code.history(symbol.key, limit=3).rows:
            body = authors.read_message(sources.code.root(), row[0]).partition("\n")[2].strip()
            lines.append(row_line(row) + (f" — {shortened(body)}" if body else ""))
        is_sure = any(hit.probability >= SURE for hit in said)  # a history alone gives no reason
        return Evidence(
            tuple(lines), (*commands, f"graphmem code history {quote(symbol.qualified_name)} --patch"), is_sure
        )
    for text in question.exact[:3]:  # any other word is in the message of some commit
        root = sources.code.root()
        found = authors.find_mentions(root, [text], 3)
        for commit in found:
            body = authors.read_message(root, commit.hash).partition("\n")[2].strip()
            lines.append(revision_line(commit) + (f" — {shortened(body)}" if body else ""))
        if found:
            commands.append(f"graphmem code text {quote(text)} --patches")
            break
    return Evidence(tuple(lines), tuple(commands), False) if lines else None


# What is done to a thing is the work of a function, not of the field that holds the result.
_DOES = re.compile(
    r"\b(?:comput|calculat|creat|pars|validat|check|handl|resolv|buil[dt]|writ|sav|load|read|sen[dt]|updat|generat|deriv"
    r"|determin|decid|convert|normali[sz]|format|render|merg|sort|filter)\w*\b|계산|생성|검증|처리|저장|변환|결정",
    re.I,
)


def find_definition(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return where the symbol is defined, what it looks like and what it says of itself; None if a hit may be meant as well: the
    symbol has but one of the question's words. Of a name that no symbol has, the code around its lines."""
    symbol = find_subject(question, sources)
    if question.exact and (symbol is None or not any(name.endswith(symbol.name) for name in question.exact)):
        return next(filter(None, (find_occurrences(text, sources) for text in question.exact)), None)
    if symbol is None or (symbol.kind in FIELDS and symbol.name not in question.text and _DOES.search(question.text)):
        return None
    lines = [place_of(symbol), shortened(symbol.signature), shortened(symbol.doc.strip().partition("\n\n")[0])]
    evidence = evidence_of(question, symbol, sources, lines, "explain")
    return evidence if evidence.is_exact else None


def find_tasks(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the tasks that are in the state that the question names (blocked with what blocks them); else those that it names,
    else what is ready."""
    if state := next((state for state, asked in _STATES.items() if asked.search(question.text)), ""):
        return _find_tasks_in(sources, state)
    found = [match.task for match in sources.tasks.match(question.text, k=3).candidates]
    rows = list(found) or ([] if _ISSUE.search(question.text) else sources.tasks.ready()[:FEW])
    lines = [_task_line(task) for task in rows]
    return Evidence(tuple(lines), ("graphmem tasks prime",), False) if lines else None


def _find_tasks_in(sources: Sources, state: str) -> Evidence:
    if state == "blocked":
        held = sources.tasks.blocked()
        lines = [
            f"{_task_line(row.task)}, waits for {', '.join(shortened(b.title) for b in row.blockers[:FEW])}"
            for row in held
        ]
        command = "graphmem tasks list --status blocked"
    elif state == "ready":
        lines, command = [_task_line(task) for task in sources.tasks.ready()], "graphmem tasks ready"
    else:
        tasks = [task for task in sources.tasks.find() if task.status not in ("done", "cancelled")]
        lines, command = [_task_line(task) for task in tasks], "graphmem tasks list"
    count = f"{len(lines)} task{'s are' if len(lines) != 1 else ' is'} {state}"
    return Evidence((count, *lines[:_MOST_TASKS], *rest_line(len(lines), _MOST_TASKS)), (command,))


def _task_line(task: Task) -> str:
    return f"{task.name} [{task.status}, {task.priority}] {shortened(task.title)}"


def find_facts(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return facts that held on the day that the question names."""
    lines = [hit_line(hit) for hit in hits if hit.kind == "fact"][:FEW]
    return Evidence(tuple(lines), ("graphmem search … --kind fact --as-of DAY",), False) if lines else None
