"""Classifies words by their neighbours: "the foo method", "version 2.0", "404 error", "text files". May change the type
of an identifier claimed earlier, but never of a known name."""

from __future__ import annotations

from graphmem.text.entities.page import CALENDAR, QUOTES, Page
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


def kind_nouns(page: Page) -> None:
    """Handle "the foo method", "a method called foo"."""
    for i, low in enumerate(page.words.lows):
        kind = KIND_NOUNS.get(low)
        if kind is not None:
            _name_before(page, i, kind)
            _name_after(page, i, kind)


def _name_before(page: Page, i: int, kind: str) -> None:
    j = i - 1
    if page.low(j) in QUOTES:
        j -= 1
    if j >= 0 and page.shape(j) in IDENTIFIERS and page.type_at(j) in SOFT:
        page.claim(j, j + 1, kind)


def _name_after(page: Page, i: int, kind: str) -> None:
    j = i + 1
    told = page.low(j) in ("called", "named")
    j += told
    if page.low(j) in QUOTES:
        told, j = True, j + 1
    if j >= page.size or page.type_at(j) not in SOFT:
        return
    shape = page.shape(j)
    if shape in IDENTIFIERS or (told and shape in ("letter", "title", "upper")):
        page.claim(j, j + 1, kind)


def versions(page: Page) -> None:
    """Claim plain numbers after a name or the word "version", and the numbers that follow those."""
    for i, shape in enumerate(page.words.shapes):
        if i in page.claimed:
            continue
        if shape == "number":
            if _versioned(page, i - 1) or (page.low(i - 1) in JOINERS and page.type_at(i - 2) == "version"):
                page.claim(i, i + 1, "version")
        elif page.low(i) in EDITIONS and page.type_at(i - 1) in VERSIONED:
            page.claim(i, i + 1, "version")


def _versioned(page: Page, i: int) -> bool:
    if page.low(i) in VERSION_WORDS:
        return True
    found = page.claimed.get(i)
    return found is not None and found.type in VERSIONED and not found.generic


def numbers(page: Page) -> None:
    """Claim the values 0 and 1, and decimal numbers in the position of versions."""
    for i, shape in enumerate(page.words.shapes):
        if shape != "number" or i in page.claimed:
            continue
        if page.low(i) in ("0", "1") and page.low(i - 1) in BEFORE_VALUES:
            page.claim(i, i + 1, "value", generic=True)
        elif "." in page.low(i) and page.low(i - 1) in BEFORE_VERSIONS and page.low(i + 1) in AFTER_VERSIONS:
            page.claim(i, i + 1, "version")


def capitalised(page: Page) -> None:
    """Claim unknown capitalised words within a sentence: "the Gadfly library"; and, if the context is about software,
    guess: "the Cart" is a class, "with Gadfly" a program."""
    technical = _technical(page)
    for i, shape in enumerate(page.words.shapes):
        if shape == "title" and i not in page.claimed and i not in page.quiet and _is_lone_name(page, i):
            told = named_kind(page.low(i + 1))
            kind = told or (_kind_after(page.low(i - 1)) if technical else "")
            if kind:
                page.claim(i, i + 1, kind, generic=not told)
                page.guesses.add(i)


def named_kind(noun: str) -> str:
    """Return the type that a noun gives to a capitalised word before it; "Compilation error" names no error."""
    kind = KIND_NOUNS.get(noun, "")
    return "" if kind == "error" else kind


def _technical(page: Page) -> bool:
    return any(found.type not in EVERYDAY and not found.generic for found in page.claimed.values())


def _is_lone_name(page: Page, i: int) -> bool:
    if page.opens_sentence(i) or page.low(i) in CALENDAR | SENTENCE_STARTS or page.shape(i + 1) == "title":
        return False
    return page.shape(i - 1) != "title" or page.low(i - 1) in DETERMINERS


def _kind_after(before: str) -> str:
    return "class" if before in DETERMINERS else "application" if before in INSTRUMENTS else ""


def calls(page: Page) -> None:
    """Handle "calling Task.WhenAll"."""
    for i, low in enumerate(page.words.lows):
        if low in CALLING and page.type_at(i + 1) in ("class", "variable") and page.shape(i + 1) in IDENTIFIERS:
            page.claim(i + 1, i + 2, "function")


def status_codes(page: Page) -> None:
    """Claim HTTP status codes next to a word that says so."""
    for i, shape in enumerate(page.words.shapes):
        if shape == "number" and i not in page.claimed and _is_status(page, i):
            page.claim(i, i + 1, "error")


def _is_status(page: Page, i: int) -> bool:
    if page.low(i) in STATUS_CODES:
        return True
    told = page.low(i - 1) in STATUS_SIGNS or page.low(i + 1) in STATUS_SIGNS
    return told and len(page.low(i)) == 3 and page.low(i)[0] in "345"


def file_kinds(page: Page) -> None:
    """Claim the word before "file": "csv files", "the config file"."""
    for i, low in enumerate(page.words.lows):
        if low in FILE_NOUNS and page.low(i - 1) in FILE_TYPES:
            page.claim(i - 1, i, "file_type")


def letters(page: Page) -> None:
    """Claim single letters that stand for a variable; generic, like a common noun."""
    for i, shape in enumerate(page.words.shapes):
        if shape == "letter" and i not in page.claimed and i not in page.quiet and _is_variable(page, i):
            page.claim(i, i + 1, "variable", generic=True)


def _is_variable(page: Page, i: int) -> bool:
    letter = page.words.texts[i]
    if page.low(i + 1) == "." and (page.shape(i + 2) == "title" or page.shape(i - 1) == "title"):
        return False  # the initial of a name
    if page.touches(i - 1) or (page.touches(i) and page.low(i + 1) not in ",.;:?!)"):
        return page.quoted(i, i + 1)
    if letter in "Aa":
        return page.low(i + 1) in AFTER_LETTER and not page.opens_sentence(i)
    return letter not in "Iist"
