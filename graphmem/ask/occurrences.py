"""Operations about names that no symbol has: variables of the environment, signals, messages. The answer is the code around
the lines that hold them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from graphmem.ask.evidence import FEW, Evidence, Sources, ref_of, rest_line, shortened
from graphmem.ask.folders import Folders, find_folders
from graphmem.ask.types import Question
from graphmem.model.code_answers import TextMatch
from graphmem.model.results import Hit
from graphmem.plurals import counted
from graphmem.retrieve.stems import stem

_LINES = 200  # lines that read a variable of the environment
_LINES_OF_ALL_KINDS = 1_000  # with those of tests and documents, which are left out
_OCCURRENCES = 60  # lines with a name that are looked at
_IN_TESTS = 12  # variables of tests that are named
_PLACES = 6  # of one variable that are named
# Folders and files that do not belong to the program; scripts and benchmarks only beside it, because its own may be called so.
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:_?(?:examples?|samples?|demos?)|(?:perf(?:ormance)?|load|stress|bench)[_-]?tests?"
    r"|_?test(?:ing)?[_-]?(?:utils?|helpers?|support|data|kit)|packaging)/"
    r"|^(?:scripts?|bench(?:mark(?:s|ing)?)?)/"
    r"|(?:^|/)(?:setup\.py|[^/]+\.gemspec)$"
)
_BEGINNING = re.compile(
    r"\b([A-Za-z][A-Za-z0-9_]*)\*|\b(?:start|begin)\w* with [\"'`]?(\w+)|\bprefix(?:ed (?:with|by))? [\"'`]?(\w+)"
)
_MAX_OWNERS = 3  # symbols around a name, above which none of them is the place
# A variable of the environment is read by one of these, in the languages that are indexed; its name follows.
_READS_ENVIRONMENT = (
    r"\b(?:[gG]etenv|LookupEnv|(?:(?<!\.)|(?<=\bos\.))environ(?:\.get|\.pop|\.setdefault)?|process\.env|import\.meta\.env|env::var(?:_os)?|ENV(?:\.fetch)?"
    r"|GetEnvironmentVariable|secure_getenv|ProcessInfo\.processInfo\.environment|\$_ENV|Deno\.env\.get)\b"
)
# What libraries of settings put before the name of each field or option.
_PREFIX = re.compile(  # as it stands before the names, then as a word that they begin with
    r"(?:\b(?:(?:auto_)?env_?(?:var_)?prefix|environ_prefix|environment_prefix)[\"']?\s*[=:]\s*"
    r"|\benv(?:\.provider|y?::prefixed|\.prefixed)\(\s*)[\"'](\w+)[\"']"
    r"|(?:SetEnvPrefix|\bEnvironment::with_prefix|\benvconfig\.Process)\(\s*[\"](\w+)[\"]",
    re.I,
)
_JOINED = re.compile(r"\b([A-Za-z_]\w*)\s*\+|[{]([A-Za-z_]\w*)[}]")  # a name with something before or behind it
_READS = re.compile(_READS_ENVIRONMENT)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_NAME = re.compile(rf"{_READS_ENVIRONMENT}[\s.(\[:]*[\"'`]?([A-Za-z_]\w*)")
# What reads all variables, or is a local of that name; and what reads one, in languages where `environ` is no name of the library.
_LISTS = re.compile(r"\bos\.Environ\(\)")
_CALLED = re.compile(
    r"(?i:getenv|lookupenv|getenvironmentvariable|env::var|deno\.env)|process\.env|import\.meta\.env|\bENV\b|\$_ENV"
)
_PLUS = re.compile(r"\s*\+")  # behind the name of a constant: only a part of the variable's
_MEMBER = re.compile(r"[\"'](\w+)[\"']\s+(?:not\s+)?in\s+(?:os\.)?environ\b")
_OF_OS = re.compile(r"\bos\.environ|[gG]etenv")
_CODE_KINDS = frozenset({"code", "example"})
_SETS = re.compile(r"[\"'`]?\s*\]?\s*=(?![=>~])")  # a variable is only written
_COMMENT = re.compile(r"\s*(?://|/?\*|--|;|%|<!--|\"\"\"|'''|#(?!\s*(?:if|el|define|undef|pragma)))")
_WORD = re.compile(r"[a-z]+|\d+")
_IMPORT = re.compile(r"\s*(?:import|from|using|use|require|include|#\s*include)\b")


def find_occurrences(text: str, sources: Sources) -> Evidence | None:
    """Return the lines that hold a text as a whole word, and the symbols around them: code before tests and documents, lines that
    read it from the environment first, comments and imports last. It is exact if few symbols of the code have it."""
    found = sources.code.text(rf"(?<!\w){re.escape(text)}(?!\w)", is_regex=True, limit=_OCCURRENCES)
    if not found.total:
        return None
    rows = sorted(found.matches, key=_worth, reverse=True)
    used = [row for row in rows if row.kind == "code" and not _is_mention(row)]
    reading = [row for row in used if _READS.search(row.text)]
    owners = list(dict.fromkeys((row.path, row.symbol) for row in reading or used))
    lines = [f"{row.path}:{row.line}: {shortened(row.text)}" for row in rows[:FEW]]
    lines += rest_line(found.total, len(lines))
    is_exact = not used or len(owners) <= _MAX_OWNERS
    return Evidence(tuple(lines), (f"graphmem code text {quote(text)}",), is_exact, _refs_of(reading or used, sources))


def _worth(row: TextMatch) -> tuple[bool, bool, bool]:
    return row.kind == "code", not _is_mention(row), bool(_READS.search(row.text))


def _is_mention(row: TextMatch) -> bool:
    """Return whether a line only speaks of what it holds."""
    return bool(_COMMENT.match(row.text) or _IMPORT.match(row.text))


def _refs_of(rows: Iterable[TextMatch], sources: Sources) -> tuple[str, ...]:
    """Return the refs of the symbols around these lines."""
    refs = dict[str, None]()
    for name, path in dict.fromkeys((row.symbol, row.path) for row in rows if row.symbol):
        refs |= {ref_of(symbol): None for symbol in sources.code.known(name) if symbol.file == path}
    return tuple(refs)


def find_environment(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the variables of the environment that sources read, with their places, also through a function that is
    given the name. If the question has a word of some of their names or places, only those; of a named variable, where its
    name is."""
    if named := next(filter(_VARIABLE.fullmatch, question.exact), None):
        return find_occurrences(named, sources)
    within = find_folders(question, (record.path for record in sources.code.files()))
    places, computed, prefixes, left = _read_everything(within, sources)
    if within is not None:
        inside = {name: own for name, rows in places.items() if (own := _below(within, rows))}
        of_prefix = [(prefix, row) for prefix, row in prefixes if _below(within, [row])]
        if within.is_sure or inside or of_prefix or _below(within, computed):
            places, computed, prefixes = inside, _below(within, computed), of_prefix
        else:
            within = None
    in_tests = _lines_in_tests(places, sources) if within is None else []
    if not (places or prefixes or computed or in_tests or within):
        return None
    if within is not None and not within.paths:
        return Evidence((f"there is no package or folder `{within.name}`",), ("graphmem code overview",), False)
    lines = [_counted(places, within)]
    asked = {stem(word.lower()) for word in question.subjects if within is None or not _is_within(word, within)}
    if prefix := next(filter(None, next(iter(_BEGINNING.findall(question.text)), ())), ""):
        places = {name: rows for name, rows in places.items() if name.startswith(prefix)}
        lines = [_counted(places, within, prefix)]
        asked, computed, prefixes = set(), [], []
    meant = {name: rows for name, rows in places.items() if asked & _stems(name)}
    for name, rows in places.items():
        if name not in meant and (near := [row for row in rows if asked & _stems(f"{row.path} {row.symbol}")]):
            meant[name] = near
    near_computed = [row for row in computed if asked & _stems(f"{row.path} {row.symbol}")]
    if meant or near_computed:
        lines.append(f"{counted(len(meant), 'has', 'have')} a word of the question in the name or place")
        places, computed = meant, near_computed
    lines += [f"{prefix}* {row.path}:{row.line} names are composed: {shortened(row.text)}" for prefix, row in prefixes]
    lines += [_show_composed(row, sources) for row in computed[:FEW]]
    lines += rest_line(len(computed), FEW)
    lines += [*_show_variables(places, within), *in_tests]
    lines += [f"{counted(left, 'further line was', 'further lines were')} not read"] if left > 0 else []
    refs = _refs_of([*computed, *(row for rows in places.values() for row in rows)], sources)
    return Evidence(tuple(lines), ("graphmem code text 'getenv|environ|process\\.env' --regex",), refs=refs)


def _read_everything(
    within: Folders | None, sources: Sources
) -> tuple[dict[str, list[TextMatch]], list[TextMatch], list[tuple[str, TextMatch]], int]:
    """Return the variables that sources read, the lines that compute a name, what settings put before names, and the number of
    lines that were not looked at. Asked of a folder, its examples count, too."""
    found = sources.code.text(
        _READS_ENVIRONMENT,
        is_regex=True,
        kind="code" if within is None else None,
        limit=_LINES if within is None else _LINES_OF_ALL_KINDS,
    )
    importing = sources.code.text(r"from os import .*\benviron\b", is_regex=True, limit=_LINES).matches
    imported = {row.path for row in importing}
    rows = [row for row in found.matches if row.kind in _CODE_KINDS and _is_of_process(row, imported)]
    places, computed = _read_variables(rows)
    for reader in dict.fromkeys(_short_name(row.symbol) for row in computed if row.symbol):
        for name, row in _given_names(reader, sources):
            places.setdefault(name, []).append(row)
    return places, computed, list(_prefixes(sources)), found.total - len(found.matches)


def _is_within(word: str, within: Folders) -> bool:
    return any(word.lower() in text.lower() for text in (within.name, *within.paths))


def _lines_in_tests(places: Mapping[str, Sequence[TextMatch]], sources: Sources) -> list[str]:
    """Return a line with the variables that tests alone read, if there are any."""
    found = sources.code.text(_READS_ENVIRONMENT, is_regex=True, kind="test", limit=_LINES).matches
    others = {name: rows[0] for name, rows in sorted(_read_variables(found)[0].items()) if name not in places}
    said = ", ".join(f"{name} {row.path}:{row.line}" for name, row in list(others.items())[:_IN_TESTS])
    return [f"{len(others)} more in tests alone: {said}{' …' * (len(others) > _IN_TESTS)}"] if others else []


def _is_of_process(row: TextMatch, imported: set[str]) -> bool:
    """Return whether a line reads the environment of the process. In Python, a bare `environ` that is not imported is that of a
    request."""
    is_bare = row.path.endswith(".py") and not _OF_OS.search(row.text)
    return not is_bare or row.path in imported


def _prefixes(sources: Sources) -> Iterator[tuple[str, TextMatch]]:
    """Yield what settings put before the names of variables, with the lines that say so."""
    found = sources.code.text(_PREFIX.pattern, is_regex=True, ignore_case=True, kind="code", limit=_LINES)
    for row in found.matches:
        said = None if _is_mention(row) else _PREFIX.search(row.text)
        if said is not None:
            yield said[1] or f"{said[2].upper()}_", row


def _show_composed(row: TextMatch, sources: Sources) -> str:
    """Return a line that reads a name composed at run time, with the part of the name that a constant of its file says."""
    for joined in _JOINED.finditer(row.text):
        name = joined[1] or joined[2]
        assigned = rf"(?<!\w){re.escape(name)}\s*(?::[^=]+)?:?=\s*[\"'`](\w+)[\"'`]"
        for where in sources.code.text(assigned, is_regex=True, path=row.path, limit=1).matches:
            if said := re.search(assigned, where.text):
                return f"{said[1]}* {row.path}:{row.line} names are composed: {shortened(row.text)}"
    return f"{row.path}:{row.line} reads names that are composed: {shortened(row.text)}"


def _is_spelt(line: str, start: int, name: str) -> bool:
    """Return whether a line spells out the name of a variable at this place: in quotes, behind a dot, or in capitals. Anything
    else is a parameter or constant that holds the name."""
    return any(map(str.isupper, name)) and (name.isupper() or line[start - 1] in "\"'`.")


def _below(within: Folders, rows: Iterable[TextMatch]) -> list[TextMatch]:
    return [row for row in rows if within.contains(row.path)]


def _short_name(symbol: str) -> str:
    return re.split(r"[.:#]", symbol)[-1]


def _given_names(reader: str, sources: Sources) -> Iterator[tuple[str, TextMatch]]:
    """Yield the names of variables that calls of a function spell out, with the lines of these calls."""
    call = rf"(?<!\w){re.escape(reader)}\(\s*[\"'`]({_VARIABLE.pattern})[\"'`]"
    for row in sources.code.text(call, is_regex=True, kind="code", limit=_LINES).matches:
        yield from ((name, row) for name in re.findall(call, row.text))


def _stems(text: str) -> set[str]:
    return set(map(stem, _WORD.findall(text.lower())))


def _show_variables(places: Mapping[str, Sequence[TextMatch]], within: Folders | None) -> list[str]:
    """Return a line for each variable with its places and the functions there, and one with those that only examples, support of
    tests and the building of packages read, unless the question is about such a folder."""
    lines, aside = list[str](), Counter[str]()
    for name, rows in sorted(places.items()):
        if _is_aside(rows, within):
            aside[rows[0].path] += 1
        else:
            lines.append(f"{name} {_joined([row for row in rows if within or not _ASIDE.search(row.path)])}")
    if aside:
        files = ", ".join(f"{path} {count}" for path, count in aside.most_common(FEW))
        more = " …" * (len(aside) > FEW)
        lines.append(f"{aside.total()} more only in examples, scripts, support of tests and packaging: {files}{more}")
    return lines


def _read_variables(rows: Iterable[TextMatch]) -> tuple[dict[str, list[TextMatch]], list[TextMatch]]:
    """Return the variables that lines spell out with these lines, and the lines that compute a name."""
    places, computed = dict[str, list[TextMatch]](), list[TextMatch]()
    for row in rows:
        spelt = [
            each
            for each in (*_NAME.finditer(row.text), *_MEMBER.finditer(row.text))
            if _is_spelt(row.text, each.start(1), each[1]) and not _PLUS.match(row.text, each.end())
        ]
        for each in spelt:
            if not _SETS.match(row.text, each.end()):
                places.setdefault(each[1], []).append(row)
        if (
            not spelt
            and not _is_mention(row)
            and not _LISTS.search(row.text)
            and (_CALLED.search(row.text) or row.path.endswith(".py"))
        ):
            computed.append(row)
    return places, computed


def _counted(places: Mapping[str, Sequence[TextMatch]], within: Folders | None, prefix: str = "") -> str:
    """Return a line with the number of variables that the program reads."""
    number = sum(not _is_aside(rows, within) for rows in places.values())
    said = f" whose name begins with {prefix}" if prefix else ""
    where = f" in {within.described}" if within else ""
    count = counted(number, f"variable{said} is", f"variables{said} are")
    return f"{count} read from the environment{where}, in sources without tests"


def _is_aside(rows: Sequence[TextMatch], within: Folders | None) -> bool:
    """Return whether none of some lines belongs to the program, unless the question is about a folder."""
    return not within and all(_ASIDE.search(row.path) for row in rows)


def _joined(rows: Sequence[TextMatch]) -> str:
    """Return the places of lines with their functions; a file in which several stand is given once."""
    said, file = list[str](), ""
    for row in rows[:_PLACES]:
        place = str(row.line) if row.path == file else f"{row.path}:{row.line}"
        said.append(f"{place} {_short_name(row.symbol)}".strip())
        file = row.path
    return ", ".join(said) + (f" and {len(rows) - _PLACES} more" if len(rows) > _PLACES else "")
