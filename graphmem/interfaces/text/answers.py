"""Formats answers that quote code and history, for people and agents: one compact line per row, the total, and how to
get the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, takewhile
from typing import Any

from graphmem.interfaces.text.code import PARTIAL, grouped, omission_note, tests_of_file
from graphmem.model.answers import Place, join_places
from graphmem.model.code_answers import (
    ApiChange,
    ApiDiff,
    Authorship,
    CodePaths,
    CommitChanges,
    Explanation,
    Implementation,
    Implementations,
    PatchMatches,
    Revision,
    SourceText,
    SymbolHistory,
    TestPlan,
    TextMatch,
    TextMatches,
)
from graphmem.model.results import NOWHERE, Answer, Hit
from graphmem.plurals import counted

Text = tuple[str, str]  # what was found, and the hint
_FILES = 20  # further files of tests that are named
_LISTED = 8  # lines; of more, those of tests and documents are given by number, if there are others
_ASIDE = frozenset({"test", "document", "example", "vendored"})
_SURE = 0.9  # confidence above which nothing is said of it
_SAYS_KIND = frozenset(
    {"function", "method", "class", "interface", "struct", "trait", "enum", "type"}
)  # by its signature
_NAMED = 10  # tests; of fewer, most are named
_MAX_EXCERPTS = 3  # hits that are shown with an excerpt
_LONG_KINDS = frozenset({"document", "turn", "tree"})  # kinds of hits whose summary rarely says what was asked
_RANKED = frozenset({"search", "decided", "facts", "task"})  # types of questions whose hits are part of the answer


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 'es' if word.endswith('ch') else 's'}"


def _text(found: TextMatches) -> Text:
    lines = list[str]()
    is_brief = len(found.matches) > _LISTED and any(row.kind not in _ASIDE for row in found.matches)
    for path, group in groupby(found.matches, lambda row: row.path):
        rows = list(group)
        if is_brief and rows[0].kind in _ASIDE:
            lines.append(f"{path} ({rows[0].kind}): {', '.join(str(row.line) for row in rows)}")
            continue
        shown = [(row.line, f"{row.text}{_around(row)}") for row in rows]
        if len(rows) == 1:
            lines.append(f"{path}:{shown[0][0]}: {shown[0][1]}")
        else:
            lines += [path, *(f"  {number}: {text}" for number, text in shown)]
    end = f"{_count(found.total, 'line')} in {_count(found.files, 'file')}; {_count(found.searched, 'file')} searched"
    if found.as_of:
        end += f" as of {found.as_of}"
    if found.skipped:
        end += ", not " + ", ".join(f"{count} {reason}" for reason, count in sorted(found.skipped.items()))
    if found.total > len(found.matches):
        end += f"; {len(found.matches)} shown: --limit {found.total} shows all"
    if found.hidden:
        end += f"; --no-tests leaves out {_count(found.hidden, 'line')}"
    if not found.total:
        end += "; --patches also finds removed lines, --ignore-case ignores case"
    if is_brief and any(row.kind in _ASIDE for row in found.matches):
        end += "; --kind test or --kind document shows the text of theirs"
    return "\n".join(lines), end + "."


def _around(row: TextMatch) -> str:
    """Return what is around a line: its symbol, and the kind of its file if that is no code."""
    symbol = Place(row.symbol, "", row.path, row.line).short_name if row.symbol else ""
    said = " ".join(filter(None, ("" if row.kind == "code" else row.kind, symbol)))
    return f"  ({said})" if said else ""


def _revision(commit: Revision) -> str:
    return f"{commit.hash[:10]} {commit.at:%Y-%m-%d} {commit.author}: {commit.subject}"


def _patches(found: PatchMatches) -> Text:
    lines = []
    for match in found.commits:
        lines.append(_revision(match.commit))
        lines += [f"  {path}: {line}" for path, line in match.lines]
        if match.left_out:
            lines.append(f"  {_count(match.left_out, 'more matching line')}: graphmem show {match.commit.hash[:10]}")
    end = f"{_count(found.total, 'commit')}, newest first"
    if found.total > len(found.commits):
        end += f"; {len(found.commits)} shown: --limit {found.total} shows all"
    if found.unread:
        end += f"; {_count(found.unread, 'commit')} not fully read, because git lacks objects: `git fetch --refetch` gets them"
    return "\n".join(lines), end + "."


def _source(found: SourceText) -> Text:
    lines = [f"{number}\t{line}" for number, line in enumerate(found.text.split("\n"), found.first)]
    name = f"{found.symbol}, " if found.symbol else ""
    more = f"; {counted(found.left_out, 'more line')} of it: --limit shows more" if found.left_out else ""
    return "\n".join(lines), f"{name}{found.file}:{found.first}-{found.last} of {counted(found.total, 'line')}{more}."


def _paths(found: CodePaths) -> Text:
    if not found.paths:
        none = f"No path of at most {counted(found.steps, 'step')}"
        none += f" between {found.end.name} and {found.start.name}, in either direction"
        return "", f"{none}; {PARTIAL}." if found.is_partial else f"{none}."
    lines = []
    common = _common_package([name for path in found.paths for step in path for name in (step.source, step.target)])
    for number, path in enumerate(found.paths, 1):
        lines.append(f"{number}. {path[0].source.removeprefix(common) if path else found.start.name}")
        lines += [
            f"   {step.relation} {step.target.removeprefix(common)}  {step.file}:{step.line}  {step.text}".rstrip()
            for step in path
        ]
    total = len(found.paths) + found.left_out
    end = f"{_count(total, 'shortest path')} of {_count(len(found.paths[0]), 'step')}"
    if found.reverse:
        end = f"No path in the requested direction; from {found.start.name} to {found.end.name}: {end}"
    return "\n".join(lines), end + (f"; --limit {total} shows all." if found.left_out else ".")


def _api_diff(found: ApiDiff) -> Text:
    lines = []
    for change, rows in groupby(found.changes, lambda row: row.change):
        lines += [f"{change}:", *grouped((row.symbol, _api_change(row)) for row in rows)]
    counts = ", ".join(f"{number} {change}" for change, number in found.counts.items() if number) or "nothing changed"
    end = f"{counts} in the public surface from {found.before} to {found.after}"
    return "\n".join(lines), end + omission_note(found.left_out, ()) + "."


def _api_change(row: ApiChange) -> str:
    place, within = row.symbol, f"  and {row.members} in it" if row.members else ""
    if row.change == "moved":
        return f"{place.line} {place.kind} {row.before} → {row.after}{within}"
    if row.change == "changed":
        return f"{place.line} {place.short_name}\n    - {row.before}\n    + {row.after}"
    signature = row.before or row.after or place.short_name
    kind = "" if place.kind in _SAYS_KIND else f"{place.kind} "
    return f"{place.line} {kind}{signature}{within}"


def _common_package(names: list[str]) -> str:
    """Return the package that all of these names begin with, with its dot; "" if none. A class is kept."""
    columns = zip(*(name.split(".")[:-1] for name in names), strict=False)
    common = takewhile(lambda rows: len(set(rows)) == 1 and rows[0][:1].islower(), columns)
    return "".join(f"{rows[0]}." for rows in common)


_ALMOST = 20  # types that lack a method, that are named
_MOST_METHODS, _FEW_METHODS = 20, 8  # of an implementation, that are named; of more, these


def _implementations(found: Implementations) -> Text:
    lines = []
    for title, rows in (("implemented by", found.implemented_by), ("implements", found.implements)):
        outside = [row.symbol.name for row in rows if not row.symbol.file]
        own = grouped((row.symbol, _implementation(row)) for row in rows if row.symbol.file)
        lines += [f"{title}:", *own] if own else []
        lines += [f"{title} outside of the tree: {', '.join(outside)}"] if outside else []
    for method in dict.fromkeys(name for _, name in found.almost):
        lacking = [place for place, name in found.almost if name == method]
        places = ", ".join(f"{place.short_name} {place.file}:{place.line}" for place in lacking[:_ALMOST])
        lines.append(f"all methods but {method}: {places}" + (" …" if len(lacking) > _ALMOST else ""))
    shown = len(found.implemented_by) + len(found.implements)
    end = f"{_count(len(found.implemented_by), 'implementation')} of {found.symbol.name}"
    if found.symbol.kind == "method" and found.implemented_by:
        defining = [row for row in found.implemented_by if any(_is_own(method, row) for method, _ in row.methods)]
        end += f", {len(defining)} of them defined in the class itself"
    end += f"; it implements {len(found.implements)}"
    end += f"; the filter leaves out {found.hidden} more" if found.hidden else ""
    is_cut = found.total > shown + found.hidden
    return "\n".join(lines), end + (f"; {found.total} in all, --limit shows more." if is_cut else ".")


def _implementation(row: Implementation) -> str:
    """Return a row: line and name, how it is known if that is not sure, and the methods with their lines: those that the class
    defines itself, then those that it inherits."""
    how = f"  {row.strategy} {row.confidence:.2g}" if row.confidence < _SURE else ""
    how += f" through {row.base}" if row.base else f" ({row.symbol.kind})" * (row.symbol.kind == "object")
    own = [(method, name) for method, name in row.methods if _is_own(method, row)]
    inherited = [each for each in row.methods if each not in own]
    said = [f"defines {_methods(own, row)}"] if own and inherited else [_methods(own, row)] if own else []
    said += [f"inherits {_methods(inherited, row)}"] if inherited else []
    return f"{row.symbol.line}  {row.symbol.short_name}{how}" + (f": {'; '.join(said)}" if said else "")


def _is_own(method: Place, row: Implementation) -> bool:
    """Return whether a class defines a method itself."""
    return method.name.rpartition(".")[0] == row.symbol.name


def _methods(rows: Sequence[tuple[Place, str]], row: Implementation) -> str:
    methods = dict[str, list[str]]()
    for method, name in rows:
        place = str(method.line) if method.file == row.symbol.file else f"{method.file}:{method.line}"
        of_base = "" if _is_own(method, row) else f" of {'.'.join(method.name.split('.')[-2:-1])}"
        methods.setdefault(name, []).append(f"{place}{of_base}")
    shown = [f"{name} {' '.join(places)}" for name, places in methods.items()]
    if len(shown) > _MOST_METHODS:  # of a large interface, names alone would be thousands of characters
        shown[_FEW_METHODS:] = [f"and {counted(len(shown) - _FEW_METHODS, 'more method')} (--json lists each)"]
    return ", ".join(shown)


def _tests(found: TestPlan) -> Text:
    if not found.total:
        return _tests_by_history(found)
    near: dict[str, list[tuple[Place, int]]] = {}
    for test, depth in found.tests:
        near.setdefault(test.file, []).append((test, depth))
    nearest = min(depth for _, depth in found.tests)
    lines, rest = list[tuple[str, str]](), [file for file in found.files if file not in near]
    for file, each in near.items():
        is_near = min(depth for _, depth in each) <= nearest + 1
        names = tests_of_file([test for test, _ in each]) if is_near else _count(len(each), "test")
        way = ", by URL" if file in found.by_request else ""
        lines.append((file, f"{_count(min(depth for _, depth in each), 'step')}{way}, {names}"))
    end = f"{_count(found.total, 'test')} in {_count(len(found.files), 'file')} reach {found.symbol.name}"
    if found.total > len(found.tests):
        end += f"; the {len(found.tests)} nearest counted: --limit {found.total} counts all"
    if found.dispatched:
        over = "only through an interface, a base class, a table or an unresolved call, so perhaps not"
        end += f"; {over}: {_in_folders(found.dispatched)}"
    if found.helpers:
        end += f"; through {join_places([f'{p.file}:{p.line}' for p in found.helpers], [p.short_name for p in found.helpers])}"
        end += f" and {found.helpers_total - len(found.helpers)} more" * (found.helpers_total > len(found.helpers))
    end += "; --json lists each" if found.total > _NAMED else ""
    end += f"; {_count(len(rest) - _FILES, 'file')} not named" if len(rest) > _FILES else ""
    end += f"; {PARTIAL.replace('calls', 'tests')}" if found.is_partial else ""
    return "\n".join(
        [*_by_folder(lines), *_joined_by_folder(rest[:_FILES]), *_importers(found)]
    ), f"{end}. Run them: {found.command}" if found.command else f"{end}."


def _tests_by_history(found: TestPlan) -> Text:
    files = list(dict.fromkeys(test.file for test, _ in found.changed_with))
    rows = [
        (test, f"{test.short_name} {test.line}, {_count(commits, 'commit')}")
        for test, commits in sorted(found.changed_with, key=lambda row: files.index(row[0].file))
    ]
    end = f"No test reaches {found.symbol.name} through calls" + ("." if not found.open_calls else _perhaps(found))
    end += f" {PARTIAL.replace('calls', 'tests').capitalize()}." if found.is_partial else ""
    if rows:
        end += f" Tests that the same commits changed are shown. Run them: {found.command}"
    return "\n".join([*grouped(rows), *_importers(found)]), end


def _perhaps(found: TestPlan) -> str:
    """Return how many unresolved calls make it uncertain that no test reaches a symbol."""
    calls = counted(found.open_calls, "call is unresolved", "calls are unresolved")
    return f" that are known; {calls} in tests that import what leads to it, so some may reach it."


def _by_folder(rows: list[tuple[str, str]]) -> list[str]:
    """Return a line for each file with what is said of it. Folders with several files are given once."""
    folders: dict[str, list[tuple[str, str]]] = {}
    for file, said in rows:
        folder, _, name = file.rpartition("/")
        folders.setdefault(folder, []).append((name, said))
    lines = []
    for folder, files in folders.items():
        if len(files) == 1 or not folder:
            path = f"{folder}/" if folder else ""
            lines += [f"{path}{name}  {said}".rstrip() for name, said in files]
        else:
            lines += [f"{folder}/", *(f"  {name}  {said}".rstrip() for name, said in files)]
    return lines


def _joined_by_folder(files: list[str]) -> list[str]:
    """Return a line for each folder with the names of its files."""
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return [
        f"further away: {folder}/ {', '.join(names)}" if folder else f"further away: {', '.join(names)}"
        for folder, names in folders.items()
    ]


def _importers(found: TestPlan) -> list[str]:
    """Return lines with the modules and the test files that import a file, and the test files that import such a module."""
    direct, over = ([file for file, steps in found.importing_tests if steps == number] for number in (1, 2))
    rows = (
        (f"imported by {_count(len(found.importers), 'file')}", [place.file for place in found.importers]),
        (f"imported by {_count(len(direct), 'test file')}", direct),
        (f"{_count(len(over), 'more test file')} import{'s' * (len(over) == 1)} a file that imports it", over),
    )
    return [f"{what}: {_in_folders(files)}" for what, files in rows if files]


def _in_folders(files: Iterable[str]) -> str:
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = file.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return "; ".join(
        f"{folder}/ {', '.join(names)}" if folder else ", ".join(names) for folder, names in folders.items()
    )


def _owners(found: Authorship) -> Text:
    lines = [f"{author}: {_count(count, 'line')}, last {day}" for author, count, day in found.authors]
    return "\n".join(lines), f"Who wrote {found.file}:{found.first}-{found.last}."


def _commit(found: CommitChanges) -> Text:
    lines = [found.message, ""]
    for patch in found.patches:
        lines.append(f"{patch.file}  {patch.symbol}".rstrip() + f"  +{patch.added} -{patch.removed}")
        lines += [f"  {line}" for line in patch.lines]
    symbols = sum(bool(patch.symbol) for patch in found.patches)
    return "\n".join(lines), f"{_count(symbols, 'symbol')} changed by {found.commit[:12]}"


def _hunks(found: SymbolHistory) -> Text:
    lines = []
    for commit, reason, patch in found.commits:
        lines.append(_revision(commit))
        lines += [f"  {reason}"] if reason else []
        lines += [patch] if patch else []
    end = f"{len(found.commits)} of {_count(found.total, 'commit')} that changed {found.target}"
    return "\n".join(lines), end + (f"; --limit {found.total} shows all." if found.total > len(found.commits) else ".")


def _explanation(found: Explanation) -> Text:
    verbs = "|".join(command.split()[2] for command in found.commands)
    return "\n".join(found.lines), f"More: graphmem code {verbs} {found.commands[0].split(maxsplit=3)[3]}"


def _hit(hit: Hit) -> str:
    """Return a hit as a line; that of a symbol has its path and line instead of its date and package."""
    if hit.kind == "symbol" and hit.place:
        name = Place(hit.summary, "", hit.place.rpartition(":")[0], 0).short_name
        return f"symbol {hit.citation} {hit.place} {name}"
    summary = hit.summary.removeprefix(f"{hit.place} ") if hit.place else hit.summary
    return " ".join(filter(None, (hit.kind, f"{hit.at:%Y-%m-%d}", hit.citation, hit.place, summary)))


def numbered_hits(found: Answer) -> list[Hit]:
    """Return the hits that an answer lists by number: none if it is exact, otherwise those that its evidence does not cite."""
    if found.lines and found.confidence == "high" and found.type not in _RANKED:
        return []
    said = "\n".join(found.lines)
    return [hit for hit in found.hits if hit.citation not in said and not (hit.place and hit.place in said)]


def _answer(found: Answer) -> Text:
    lines = [*found.lines]
    if found.missing:
        lines.insert(0, f"Not in the repository: {', '.join(f'`{word}`' for word in found.missing)}.")
    hits = numbered_hits(found)
    if hits:
        lines.append(
            "Also found:" if found.lines else "No certain answer. Nearest:" if found.confidence == "none" else "Found:"
        )
        for number, hit in enumerate(hits, 1):
            lines.append(f"{number}. {_hit(hit)}")
            if number <= _MAX_EXCERPTS and hit.kind in _LONG_KINDS and hit.excerpt not in ("", hit.summary):
                lines.append(f"   {hit.excerpt}")
            lines += [f"   {line}: {text}" for line, text in found.quotes.get(hit.id, ())]
    lines += [f"without {part}: {reason}" for part, reason in found.degraded.items() if reason != NOWHERE]
    end = [f"confidence: {found.confidence}" + (f" ({found.type})" if hits or not found.lines else "")]
    if found.commands:
        end.append("More: " + "; ".join(found.commands))
    return "\n".join(lines), ". ".join(end)


FORMS: dict[type, Callable[[Any], Text]] = {
    TextMatches: _text,
    PatchMatches: _patches,
    SourceText: _source,
    CodePaths: _paths,
    Implementations: _implementations,
    ApiDiff: _api_diff,
    TestPlan: _tests,
    Authorship: _owners,
    CommitChanges: _commit,
    SymbolHistory: _hunks,
    Explanation: _explanation,
    Answer: _answer,
}
