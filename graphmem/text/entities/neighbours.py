"""Classifies words by their neighbours: "the foo method", "version 2.0", "404 error", "text files". May change the type
of an identifier claimed earlier, but never of a known name."""

from __future__ import annotations

from graphmem.text.entities.entity_scan import CALENDAR, QUOTES, EntityScan
from graphmem.text.entities.wordlists import read, word_set
from graphmem.text.entities.wordshape import SENTENCE_STARTS

# A noun -> the type of the name before it ("the foo method") or after it ("method foo").
KIND_NOUNS = {noun: kind.name for kind in read("kind_nouns") for noun in kind.aliases}
IDENTIFIERS = word_set("class camel snake constant dotted annotation mixed hyphen")
SOFT = frozenset(("class", "function", "variable", ""))  # types that a neighbour may overrule
VERSIONED = frozenset(("language", "library", "application", "operating_system", "device"))
VERSION_WORDS = word_set("version versions ver v release versioned 버전")
JOINERS = frozenset((",", "/", "and", "or", "to", "&", "-", "vs"))
EDITIONS = word_set(
    """
    xp vista lion leopard sierra catalina mojave yosemite mavericks lollipop marshmallow oreo nougat kitkat
    """
)
STATUS_SIGNS = word_set("http error errors status code codes response returns returned return 에러 오류")
STATUS_CODES = word_set("401 403 404 405 409 422 429 502 503 504")
FILE_NOUNS = word_set("file files 파일 extension extensions format")
FILE_TYPES = word_set(
    """
    text binary log config configuration json xml csv html css js php python java excel pdf txt zip jar war dll
    exe header object image batch apk svg yaml class resource sql bin tex doc
    """
)

AFTER_LETTER = word_set(", . : ; ) / = and or is has to in from with inherits extends")

BEFORE_VALUES = word_set("a than from to be between of = > <")
BEFORE_VERSIONS = word_set("in on from to than since until before after")
AFTER_VERSIONS = frozenset(
    [*",.;:()!?", "", "and", "or", "to", "on", "which", "but", "is", "was", "에서", "부터", "까지"]
)
CALLING = word_set("calling calls call called invoke invokes invoking override overriding")
EVERYDAY = word_set("person org date url email value website device file_type")
DETERMINERS = word_set("the a an my your each every new this our another any")
INSTRUMENTS = word_set("using use via with in of for to from by")


def kind_nouns(scan: EntityScan) -> None:
    """Handle "the foo method", "a method called foo"."""
    for i, low in enumerate(scan.words.lows):
        kind = KIND_NOUNS.get(low)
        if kind is not None:
            _name_before(scan, i, kind)
            _name_after(scan, i, kind)


def _name_before(scan: EntityScan, i: int, kind: str) -> None:
    j = i - 1
    if scan.low(j) in QUOTES:
        j -= 1
    if j >= 0 and scan.shape(j) in IDENTIFIERS and scan.type_at(j) in SOFT:
        scan.claim(j, j + 1, kind)


def _name_after(scan: EntityScan, i: int, kind: str) -> None:
    j = i + 1
    told = scan.low(j) in ("called", "named")
    j += told
    if scan.low(j) in QUOTES:
        told, j = True, j + 1
    if j >= scan.size or scan.type_at(j) not in SOFT:
        return
    shape = scan.shape(j)
    if shape in IDENTIFIERS or (told and shape in ("letter", "title", "upper")):
        scan.claim(j, j + 1, kind)


def versions(scan: EntityScan) -> None:
    """Claim plain numbers after a name or the word "version", and the numbers that follow those."""
    for i, shape in enumerate(scan.words.shapes):
        if i in scan.claimed:
            continue
        if shape == "number":
            if _versioned(scan, i - 1) or (scan.low(i - 1) in JOINERS and scan.type_at(i - 2) == "version"):
                scan.claim(i, i + 1, "version")
        elif scan.low(i) in EDITIONS and scan.type_at(i - 1) in VERSIONED:
            scan.claim(i, i + 1, "version")


def _versioned(scan: EntityScan, i: int) -> bool:
    if scan.low(i) in VERSION_WORDS:
        return True
    found = scan.claimed.get(i)
    return found is not None and found.type in VERSIONED and not found.generic


def numbers(scan: EntityScan) -> None:
    """Claim the values 0 and 1, and decimal numbers in the position of versions."""
    for i, shape in enumerate(scan.words.shapes):
        if shape != "number" or i in scan.claimed:
            continue
        if scan.low(i) in ("0", "1") and scan.low(i - 1) in BEFORE_VALUES:
            scan.claim(i, i + 1, "value", generic=True)
        elif "." in scan.low(i) and scan.low(i - 1) in BEFORE_VERSIONS and scan.low(i + 1) in AFTER_VERSIONS:
            scan.claim(i, i + 1, "version")


def capitalised(scan: EntityScan) -> None:
    """Claim unknown capitalised words within a sentence: "the Gadfly library"; and, if the context is about software,
    guess: "the Cart" is a class, "with Gadfly" a program."""
    technical = _technical(scan)
    for i, shape in enumerate(scan.words.shapes):
        if shape == "title" and i not in scan.claimed and i not in scan.quiet and _is_lone_name(scan, i):
            told = named_kind(scan.low(i + 1))
            kind = told or (_kind_after(scan.low(i - 1)) if technical else "")
            if kind:
                scan.claim(i, i + 1, kind, generic=not told)
                scan.guesses.add(i)


def named_kind(noun: str) -> str:
    """Return the type that a noun gives to a capitalised word before it; "Compilation error" names no error."""
    kind = KIND_NOUNS.get(noun, "")
    return "" if kind == "error" else kind


def _technical(scan: EntityScan) -> bool:
    return any(found.type not in EVERYDAY and not found.generic for found in scan.claimed.values())


def _is_lone_name(scan: EntityScan, i: int) -> bool:
    if scan.opens_sentence(i) or scan.low(i) in CALENDAR | SENTENCE_STARTS or scan.shape(i + 1) == "title":
        return False
    return scan.shape(i - 1) != "title" or scan.low(i - 1) in DETERMINERS


def _kind_after(before: str) -> str:
    return "class" if before in DETERMINERS else "application" if before in INSTRUMENTS else ""


def calls(scan: EntityScan) -> None:
    """Handle "calling Task.WhenAll"."""
    for i, low in enumerate(scan.words.lows):
        if low in CALLING and scan.type_at(i + 1) in ("class", "variable") and scan.shape(i + 1) in IDENTIFIERS:
            scan.claim(i + 1, i + 2, "function")


def status_codes(scan: EntityScan) -> None:
    """Claim HTTP status codes next to a word that says so."""
    for i, shape in enumerate(scan.words.shapes):
        if shape == "number" and i not in scan.claimed and _is_status(scan, i):
            scan.claim(i, i + 1, "error")


def _is_status(scan: EntityScan, i: int) -> bool:
    if scan.low(i) in STATUS_CODES:
        return True
    told = scan.low(i - 1) in STATUS_SIGNS or scan.low(i + 1) in STATUS_SIGNS
    return told and len(scan.low(i)) == 3 and scan.low(i)[0] in "345"


def file_kinds(scan: EntityScan) -> None:
    """Claim the word before "file": "csv files", "the config file"."""
    for i, low in enumerate(scan.words.lows):
        if low in FILE_NOUNS and scan.low(i - 1) in FILE_TYPES:
            scan.claim(i - 1, i, "file_type")


def letters(scan: EntityScan) -> None:
    """Claim single letters that stand for a variable; generic, like a common noun."""
    for i, shape in enumerate(scan.words.shapes):
        if shape == "letter" and i not in scan.claimed and i not in scan.quiet and _is_variable(scan, i):
            scan.claim(i, i + 1, "variable", generic=True)


def _is_variable(scan: EntityScan, i: int) -> bool:
    letter = scan.words.texts[i]
    if scan.low(i + 1) == "." and (scan.shape(i + 2) == "title" or scan.shape(i - 1) == "title"):
        return False  # the initial of a name
    if scan.touches(i - 1) or (scan.touches(i) and scan.low(i + 1) not in ",.;:?!)"):
        return scan.quoted(i, i + 1)
    if letter in "Aa":
        return scan.low(i + 1) in AFTER_LETTER and not scan.opens_sentence(i)
    return letter not in "Iist"
