"""Reads `formats.txt`, the table of the formats of providers: of each row are made its literal anchors, a pattern that
takes linear time and examples of values. Knows the notation only; places in a text are found in `scan`."""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

ALPHABETS = {
    "digits": digits,
    "hex": digits + "abcdef",
    "HEX": digits + "ABCDEF",
    "Hex": digits + "abcdefABCDEF",
    "lower": ascii_lowercase,
    "upper": ascii_uppercase,
    "alpha": ascii_letters,
    "base32": ascii_uppercase + "234567",
    "base36": digits + ascii_lowercase,
    "BASE36": digits + ascii_uppercase,
    "alnum": digits + ascii_letters,
    "word": digits + ascii_letters + "_-",
    "base64": digits + ascii_letters + "+/",
}
BASE62 = digits + ascii_uppercase + ascii_lowercase
SHORTEST_ANCHOR = 2
LONGEST_EXAMPLE = 180  # characters of a run of open length
_PART = r"<([^>]+?)(?::(\d+)(?:-(\d+))?)?>|\(([^)]*)\)|([^<(]+)"


class Literal(NamedTuple):
    """One of some fixed texts."""

    texts: tuple[str, ...]


class Run(NamedTuple):
    """From `least` to `most` characters of an alphabet."""

    characters: str
    least: int
    most: int


class Format(NamedTuple):
    """A row: values of `provider` look like `parts`. `beside`: words of the provider, one of which must be in the name that
    the value is assigned to, as its shape alone says nothing. `check`: see `formats.txt`."""

    provider: str
    kind: str
    parts: tuple[Literal | Run, ...]
    beside: tuple[str, ...] = ()
    check: str = "filled"

    @property
    def label(self) -> str:
        """Return the kind of secret that spans tell."""
        return f"{self.provider}_{self.kind}"


@cache
def load_formats() -> tuple[Format, ...]:
    """Return all rows of the table."""
    text = Path(__file__).with_name("formats.txt").read_text(encoding="utf-8")
    return tuple(_row(line) for line in text.splitlines() if line and not line.startswith("# "))


def _row(line: str) -> Format:
    provider, kind, notation, *options = line.split()
    said = dict(option.split("=", 1) for option in options)
    beside = tuple(said["beside"].split(",")) if "beside" in said else ()
    return Format(provider, kind, parts_of(notation), beside, said.get("check", "filled"))


def parts_of(notation: str) -> tuple[Literal | Run, ...]:
    """Return the parts that a format such as `key-(live|test)_<hex:32>` is written of."""
    parts: list[Literal | Run] = []
    for alphabet, least, most, choice, text in re.findall(_PART, notation):
        if alphabet:
            shortest = int(least or 1)
            parts.append(Run(_characters(alphabet), shortest, int(most or shortest)))
        else:
            parts.append(Literal(tuple(choice.split("|")) if choice else (text,)))
    return tuple(parts)


def _characters(alphabet: str) -> str:
    name, _, more = alphabet.partition("+")
    return alphabet[1:] if alphabet.startswith("=") else ALPHABETS[name] + more


def anchor_of(parts: tuple[Literal | Run, ...]) -> tuple[int, tuple[str, ...]]:
    """Return the place among the parts of the literal to look for, and its texts: the first part if it is long
    enough, else the longest; no texts if there is none."""
    lengths = [min(map(len, part.texts)) if isinstance(part, Literal) else 0 for part in parts]
    at = 0 if lengths[0] >= SHORTEST_ANCHOR else lengths.index(max(lengths))
    part = parts[at]
    return (at, part.texts) if isinstance(part, Literal) and lengths[at] >= SHORTEST_ANCHOR else (at, ())


def pattern_of(parts: tuple[Literal | Run, ...]) -> str:
    """Return a regular expression for the parts. A run is possessive if the part after it cannot match its end."""
    pattern = ""
    for at, part in enumerate(parts):
        if isinstance(part, Literal):
            longest_first = sorted(part.texts, key=len, reverse=True)
            pattern += f"(?:{'|'.join(map(re.escape, longest_first))})" if part.texts[1:] else re.escape(part.texts[0])
        else:
            size = f"{{{part.least}}}" if part.least == part.most else f"{{{part.least},{part.most}}}"
            pattern += f"[{class_of(part.characters)}]{size}" + "+" * _is_whole(part, parts[at + 1 :])
    return pattern


def class_of(characters: str) -> str:
    """Return the inside of a set of a regular expression, with ranges where there are."""
    text = "".join(re.escape(c) for c in sorted(set(characters)))
    for span in (digits, ascii_uppercase, ascii_lowercase, "abcdef", "ABCDEF", "234567"):
        text = text.replace(span, f"{span[0]}-{span[-1]}")
    return text


def _is_whole(run: Run, rest: tuple[Literal | Run, ...]) -> bool:
    if run.least == run.most:
        return False
    if not rest:
        return True
    following = rest[0]
    firsts = {text[:1] for text in following.texts} if isinstance(following, Literal) else set(following.characters)
    optional = isinstance(following, Run) and following.least == 0
    return firsts.isdisjoint(run.characters) and not (optional and not _is_whole(run, rest[1:]))


def make_example(row: Format, random: Random) -> str:
    """Return a value of the format, made up; with the checksum that the format has, if any."""
    made = "".join(_made(part, random) for part in row.parts)
    return add_checksum(made) if row.check == "crc32" else made


def _made(part: Literal | Run, random: Random) -> str:
    if isinstance(part, Literal):
        return random.choice(part.texts)
    most = min(part.most, max(part.least, LONGEST_EXAMPLE))
    return "".join(random.choice(part.characters) for _ in range(random.randint(part.least, most)))


def add_checksum(token: str) -> str:
    """Return a token whose last six characters are the checksum of what is between them and the prefix, as GitHub
    and npm have it: the CRC-32 in base 62."""
    number, text = zlib.crc32(token[token.index("_") + 1 : -6].encode()), ""
    while number:
        number, digit = divmod(number, 62)
        text = BASE62[digit] + text
    return token[:-6] + text.rjust(6, "0")
