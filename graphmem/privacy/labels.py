"""Finds values that a label gives away where no assignment joins them: cells of a table, the next line, aligned columns, arrows
and dashes, elements of HTML, a label in another language. `labels.txt` has the labels, `judge` decides about the value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.names import HARMLESS, Secrecy, is_measure, secrecy_of
from graphmem.privacy.patterns import compile_pattern, find_words
from graphmem.privacy.prose import describes_password
from graphmem.privacy.surroundings import is_code_line

_ENGLISH_KEY = "key"  # says nothing without the word before it: `signing key`
_NAME = 40  # characters of a name on either side of a label
_BEFORE = r"(?:[A-Za-z][A-Za-z0-9]{1,20}[ ])?[\w.-]{0,40}\Z"
_AFTER = r"[\w-]{0,40}"
_MAX_VALUE_CHARS = 400  # characters of a value that are judged
_CHARACTERS = r"!#-&(-;=?-_a-{}~"
_VALUE = rf"(?P<value>[{_CHARACTERS}]{{4,{_MAX_VALUE_CHARS}}})"
_REST = rf"[{_CHARACTERS}]*+"
_OPEN = r"[\"'`*_“‘„‚‹「『«]{0,3}"
_CLOSE = r"[\"'`*_\]”’」』»]{0,3}(?:[ \t]?[(（][^()（）\n]{1,40}[)）])?[*_`]{0,3}"
_BAR = "|│┃║¦┆"
_PARTICLE = (  # between a noun and its value in Korean, Japanese, Chinese
    r"(?:은|는|이|가|을|를|로|으로|도|의 값은|값은|값|의 값|は|が|を|として|是|为|為|就是|改为|設為|设为)"
)
_IS = (  # the word for `is` in languages that part words by blanks
    r"[ ](?:is|es|est|ist|lautet|war|é|è|era|sera|sarà|será|jest|to|är|er|on|är nu|je|este|είναι|это|är|là|adalah|ialah|hai|है|هو|هي"
    r"|היא|הוא|คือ|is nu|oli|buvo|yra|bude|byl|было|теперь|е|je nyní|lett|olan)[ ]"
    r"(?:(?:jetzt|nun|nu|désormais|maintenant|ahora|adesso|agora|теперь|now)[ ])?"
)
# How a label is joined to a value that follows it. `strict`: only a value that looks random is one.
_NEXT_LINE = r"(?:\r?\n[ \t]{0,40}){1,2}[>`*\-]{0,3}[ \t]{0,4}"
_END_OF_LINE = r"(?=[ \t`*_\"'.]{0,6}(?:\r?\n|\Z))"


class _Join(NamedTuple):
    pattern: str
    starts: str  # the first characters of what it matches
    strict: bool = False
    foreign: bool = False  # only behind labels that `assignments` does not know
    line: bool = False  # the label begins its line
    plain: bool = False  # nothing but blanks joins them, so that words with dots are none
    printed: bool = False  # in output of a program any word is a value


_DECORATION = "\"'`*_]”’」』» \t(（"
_JOINS: tuple[_Join, ...] = (
    _Join(
        rf"{_CLOSE}[ \t]{{0,60}}[{_BAR}][ \t]{{0,60}}{_OPEN}{_VALUE}{_CLOSE}[ \t]{{0,60}}(?:[{_BAR}]|\r?\n|\Z)",
        _DECORATION + _BAR,
        printed=True,
    ),
    _Join(
        rf"{_CLOSE}[ \t]{{0,8}}(?:[—–→⇒：➜⟶»]|={{1,3}}>|-{{1,3}}>|\.{{3,200}}|…|[+?.]=|[ \t]-{{1,2}}[ \t])[ \t]{{0,8}}"
        rf"{_OPEN}{_VALUE}",
        _DECORATION + "—–→⇒：➜⟶=-.…+?",
    ),
    _Join(rf"(?:[:：][*_]{{1,3}}|[*_`]{{1,3}}[:：])[ \t]{{0,4}}{_OPEN}{_VALUE}", ":：*_`"),
    _Join(rf"{_CLOSE}[ \t]{{0,4}}[:=][ \t]{{0,8}}{_OPEN}{_VALUE}", _DECORATION + ":=", foreign=True, printed=True),
    _Join(
        rf"{_CLOSE}(?:[ ]?{_PARTICLE}[ ]{{0,2}}|{_IS}){_OPEN}{_VALUE}",
        _DECORATION + "은는이가을를로으도의값はがをと是为為就改設设",
        foreign=True,
    ),
    _Join(
        rf"{_CLOSE}[ \t]?[:：][*_`]{{0,3}}[ \t]{{0,8}}{_NEXT_LINE}{_OPEN}{_VALUE}{_END_OF_LINE}",
        _DECORATION + ":：",
        printed=True,
    ),
    _Join(
        rf"[ \t]{{0,8}}{_NEXT_LINE}{_OPEN}{_VALUE}{_END_OF_LINE}",
        " \t\r\n",
        line=True,
        plain=True,
    ),
    _Join(
        rf"\s{{0,8}}</[a-z]{{1,8}}>\s{{0,40}}[:：]?\s{{0,40}}(?:</?[a-z]{{1,8}}(?:\s[^<>]{{0,120}})?>\s{{0,40}}){{0,4}}[:：]?\s{{0,8}}{_VALUE}\s{{0,40}}(?=<|\n|\Z)",
        " \t\n<",
    ),
    _Join(
        rf"{_CLOSE}(?:[ ]{{2,60}}|[ ]{{0,40}}\t[ \t]{{0,20}}){_OPEN}{_VALUE}{_END_OF_LINE}",
        _DECORATION,
        line=True,
        plain=True,
        printed=True,
    ),
    _Join(
        rf"{_CLOSE}[ \t](?:is|was)(?:[ \t](?:now|set to))?:?[ \t]{{1,2}}{_OPEN}{_VALUE}{_END_OF_LINE}",
        _DECORATION,
        strict=True,
        printed=True,
    ),
    _Join(
        rf"[ \t]?[(「『\[（][\"'`]?(?P<value>[^\s\"'`<>()（）「」『』\]\[]{{4,{_MAX_VALUE_CHARS}}})[\"'`]?[)」』\]）]",
        " \t(「『[（",
        strict=True,
    ),
    _Join(rf"{_CLOSE},[ \t]{_OPEN}{_VALUE}[\"'`]?(?=[,.;\s]|\Z)", _DECORATION + ",", strict=True),
    _Join(rf"{_CLOSE}[ \t]{{1,2}}{_OPEN}{_VALUE}", _DECORATION, strict=True),
)


class _Label(NamedTuple):
    start: int
    end: int
    secret: Secrecy
    foreign: bool


@cache
def _labels() -> dict[str, Secrecy]:
    """Return each phrase of `labels.txt` with how secret it is."""
    found: dict[str, Secrecy] = {}
    for row in Path(__file__).with_name("labels.txt").read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            level, kind, phrases = row.split(" ", 2)
            for phrase in phrases.split(","):
                found.setdefault(phrase.strip(), Secrecy(int(level), kind))
    return found


@cache
def _english() -> frozenset[str]:
    rows = Path(__file__).with_name("labels.txt").read_text(encoding="utf-8").partition("\n# Spanish")[0].splitlines()
    return frozenset(
        phrase.strip() for row in rows if not row.startswith("#") for phrase in row.split(" ", 2)[2].split(",")
    )


def find_labels(lower: str) -> list[tuple[int, str]]:
    """Return where labels are in a text in lower case, be they within other words, in order."""
    return find_words(lower, tuple(_labels()))


def secrecy_of_label(text: str) -> Secrecy:
    """Return how secret the values in a column with such a head are."""
    return _labels().get(text.strip().lower()) or secrecy_of(text)


def secrecy_at(text: str, at: int, phrase: str) -> Secrecy:
    """Return how secret the value of the label at a place is; harmless where a longer word is there."""
    if text[at + len(phrase) : at + len(phrase) + 1].islower() and phrase in _english():
        return HARMLESS
    label = _label(text, at, phrase)
    return label.secret if label else HARMLESS


def find_labelled_values(text: str, labels: list[tuple[int, str]], *, printed: bool = False) -> Iterator[Span]:
    """Yield values that a label next to them tells; `labels`: what `find_labels` returns; `printed`: the text is output of a
    program, where a plain word is a value, too. Linear in the length of `text`."""
    done = 0
    for at, phrase in labels:
        if at < done or text[at + len(phrase) : at + len(phrase) + 1].islower():
            continue
        label = _label(text, at, phrase)
        if label is None:
            continue
        span = _labelled(text, label, printed)
        if span is not None:
            yield span
            done = span.end


def _label(text: str, at: int, phrase: str) -> _Label | None:
    end = at + len(phrase)
    secret = _labels()[phrase]
    if phrase not in _english():
        if _is_parted(phrase) and (text[at - 1 : at].isalpha() or text[end : end + 1].isalpha()):
            return None
        return _Label(at, end, secret, True)
    after = compile_pattern(_AFTER).match(text, end)
    end = after.end() if after else end
    before = compile_pattern(_BEFORE).search(text, max(0, at - _NAME - 22), at)
    name = (before[0] if before else "") + text[at:end]
    secret = secrecy_of(name.strip("-._ ").replace(" ", "_"))
    if secret is HARMLESS or secret.level < 2:
        return None
    return _Label(at - len(name) + end - at, end, secret, False)


@cache
def _is_parted(phrase: str) -> bool:
    """Return whether a script parts words by blanks: not those of Chinese, Japanese, Korean and Thai."""
    return not any(
        "\u0e00" <= sign <= "\u0e7f" or "\u3040" <= sign <= "\u9fff" or "가" <= sign <= "힣" for sign in phrase
    )


def _labelled(text: str, label: _Label, printed: bool) -> Span | None:
    first = text[label.end : label.end + 1]
    for join in _JOINS:
        if first not in join.starts or (join.foreign and not label.foreign):
            continue
        if join.line and not _begins_line(text, label.start):
            continue
        match = compile_pattern(join.pattern).match(text, label.end)
        if match is None:
            continue
        start, end = match.span("value")
        value = match["value"].rstrip(".,:;!?)]}*_")
        end = start + len(value)
        if len(value) < 4 or not (
            _accepts(value, label.secret, join)
            or (printed and join.printed and _is_printed(text, label, start, end, value))
        ):
            continue
        if len(match["value"]) == _MAX_VALUE_CHARS and (rest := compile_pattern(_REST).match(text, end)):
            end = rest.end()
        return Span(start, end, label.secret.kind)
    return None


def _begins_line(text: str, at: int) -> bool:
    start = max(text.rfind("\n", max(0, at - 60), at), at - 60)
    return not text[start + 1 : at].strip(" \t#>*-•_`[\"'0123456789.")


def _accepts(value: str, secret: Secrecy, join: _Join) -> bool:
    if join.strict:
        return judge.is_stated(value, 2, False) and judge.is_token(value)
    return judge.is_stated(value, secret.level, False) and not (
        join.plain and value.islower() and not judge.is_token(value)
    )


def _is_printed(text: str, label: _Label, start: int, end: int, value: str) -> bool:
    """Return whether the output of a program gives this value, be it a plain word."""
    return not (
        describes_password(value)
        or text[label.start : label.end].lower() == "pass"
        or (value.isidentifier() and "_" in value)
        or (judge.is_number(value) and is_measure(text[label.start : label.end]))
        or secrecy_of_label(value).level
        or is_code_line(text, label.start, start, end)
    ) and judge.is_assigned_secret(value, label.secret.level, label.secret.kind, judge.Place.SURE, quoted=False)
