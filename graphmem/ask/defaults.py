"""What the default of a parameter, option, field or setting is: as the signature, the definition or the declaration of the option
says it. An assignment elsewhere is no default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote

from graphmem.ask.evidence import FIELDS, ROWS, Evidence, Sources, ref_of, rest_line, shortened
from graphmem.ask.operations import find_definition
from graphmem.ask.spellings import spelling_pattern
from graphmem.ask.types import Question, compound_names
from graphmem.codegraph.view import FUNCTIONS
from graphmem.model.answers import Place
from graphmem.model.code import Symbol
from graphmem.model.code_answers import TextMatch
from graphmem.model.results import Hit
from graphmem.plurals import counted

_LINES = 400  # with the name
_MAX_SURE = 6  # definitions with other values, above which a bare name says too little
_NO_NAMES = frozenset("default defaults value values what setting option parameter argument".split())
_DECLARES = re.compile(r"\bdefault(?:_value|Value)?\b[\"']?\s*(?:=>|[=:(])\s*(?P<value>.+)", re.I)
_OPENS, _CLOSES = "([{", ")]}"

Row = tuple[str, str, str]  # the value, where it is defined, and the ref of that


def find_default(question: Question, sources: Sources, hits: Sequence[Hit]) -> Evidence | None:
    """Return the values that signatures, definitions of fields and declarations of options give to the name of a question. Without
    any, where the name is defined, which is no sure answer."""
    if any("default" in name.lower() for name in question.exact):  # the name of a symbol
        return find_definition(question, sources, hits)
    for name, owner in _names(question):
        rows = list(dict.fromkeys(_find_rows(name, sources)))
        owned = [row for row in rows if owner and owner.lower() in row[1].lower().split(" (")[0]]
        rows = owned or rows
        if not rows:
            continue
        values = dict.fromkeys(value for value, *_ in rows)
        lines = [f"the default of `{name}` is {next(iter(values))}"] if len(values) == 1 else []
        lines = lines or [f"`{name}` has {counted(len(values), 'default')}, in {counted(len(rows), 'place')}:"]
        lines += [f"{value}: {where}" for value, where, _ in rows[:ROWS]] + rest_line(len(rows), ROWS)
        command = f"graphmem code text {quote(name)} --kind code"
        return Evidence(tuple(lines), (command,), len(values) <= _MAX_SURE, tuple(ref for *_, ref in rows))
    found = find_definition(question, sources, hits)
    return found._replace(is_exact=False) if found else None


def _names(question: Question) -> Iterator[tuple[str, str]]:
    """Yield what the default may be of, most certain first, each with the type or function that it belongs to, or ""."""
    written = [name for name in question.subjects if name.lower() not in _NO_NAMES]
    spelled = [forms[0] for _, forms in compound_names(question.text) if "default" not in forms[0]]
    for name in dict.fromkeys((*(name for name in written if name in question.exact), *spelled, *written)):
        owner, _, last = name.replace("::", ".").replace("#", ".").rpartition(".")
        others = [each for each in written if each != name]
        yield last.lstrip("-").replace("-", "_"), owner or (others[0] if len(others) == 1 else "")


def _find_rows(name: str, sources: Sources) -> Iterator[Row]:
    form = spelling_pattern(name)
    for symbol in sources.code.known(name, no_tests=True):
        if symbol.kind in FIELDS and symbol.kind != "module" and symbol.name == name:
            yield from _of_definition(symbol, sources)
    found = sources.code.text(form.replace("_", "[-_]"), is_regex=True, kind="code", limit=_LINES)
    word = re.compile(form.replace("_", "[-_]"))
    for row in found.matches:
        yield from _of_line(name, word, row, sources)


def _of_definition(symbol: Symbol, sources: Sources) -> Iterator[Row]:
    """Yield what the line that defines a field or variable assigns, unless it passes on something of that name."""
    first = sources.code.source(f"{symbol.file}:{symbol.line}-{symbol.line}").text
    given = re.search(rf"(?<!\w){re.escape(symbol.name)}\??\s*(?::[^=]+?)?=(?![=>])\s*(?P<value>.+)", first)
    if given and (value := _value(given["value"])) and not re.search(rf"(?<!\w){re.escape(symbol.name)}(?!\w)", value):
        yield value, f"{symbol.kind} {Place.of(symbol).short_name} ({ref_of(symbol)})", ref_of(symbol)


def _of_line(name: str, word: re.Pattern[str], row: TextMatch, sources: Sources) -> Iterator[Row]:
    """Yield the default that a line gives: in a signature, in the declaration of an option, in a function or table of defaults."""
    place, short = f"{row.path}:{row.line}", row.symbol.rpartition(".")[2]
    around = [each for each in sources.code.known(row.symbol) if each.file == row.path] if row.symbol else []
    given = re.search(rf"(?<![\w.]){re.escape(name)}\??\s*(?::[^=]+?)?=(?![=>])\s*(?P<value>.+)", row.text)
    value = _value(given["value"]) if given else ""
    for symbol in around if value else ():
        if symbol.kind in FUNCTIONS and _is_in_signature(symbol, row, sources):
            yield value, f"parameter of {Place.of(symbol).short_name} ({place})", ref_of(symbol)
            return
    rest = row.text[end.end() :] if (end := word.search(row.text)) else ""
    if (said := _DECLARES.search(rest)) and (value := _value(said["value"])):
        yield value, f"option {shortened(row.text)} ({place})", place
    elif "default" in short.lower() and (said := re.match(r"[\"']?\s*(?:=>|[:=])(?![=:])\s*(?P<value>.+)", rest)):
        yield _value(said["value"]), f"in {short} ({place})", place


def _is_in_signature(symbol: Symbol, row: TextMatch, sources: Sources) -> bool:
    """Return whether a line of a function begins in its parentheses, or has them."""
    text = sources.code.source(f"{symbol.file}:{symbol.line}-{row.line}").text
    begun = re.search(rf"(?<!\w){re.escape(symbol.name)}\s*(?:<[^()]*>|\[[^()]*\])?\s*\(|\bconstructor\s*\(", text)
    if begun is None:
        return False
    depth = 1
    for sign in text[begun.end() : max(begun.end(), text.rfind("\n"))]:
        depth += (sign in _OPENS) - (sign in _CLOSES)
        if not depth:
            return False
    return True


def _value(text: str) -> str:
    """Return the expression at the start of a text, up to a comma or bracket that it does not open itself.

    >>> _value("Decimal('1,5'), other=2):"), _value("5 # seconds"), _value("[1, 2],")
    ("Decimal('1,5')", '5', '[1, 2]')
    """
    depth, within = 0, ""
    for at, sign in enumerate(text):
        if within:
            within = "" if sign == within else within
        elif sign in "\"'`":
            within = sign
        elif sign in _OPENS:
            depth += 1
        elif sign in _CLOSES:
            depth -= 1
        if depth < 0 or (not depth and not within and (sign in ",;" or text.startswith((" #", " //", " /*"), at))):
            return text[:at].strip()
    return text.strip()
