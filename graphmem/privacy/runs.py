"""Judges long runs of letters and digits by themselves: whether one has the shape of the tokens of many providers, and which
text it stands for if it is Base64, behind which secrets hide. Whether there are is for `scan`."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error

from graphmem.privacy.judge import entropy, is_mixed_case, is_sequential, looks_random
from graphmem.privacy.patterns import compile_pattern

RUN = r"[A-Za-z0-9+/_-]{27,65536}+={0,2}"
# A short name, then what a generator printed, in one piece or in several.
PREFIXED = r"(?!sha\d)[A-Za-z]{2,12}[_-](?:[A-Za-z0-9]{1,8}[_-]){0,2}([A-Za-z0-9_-]{24,400}+)"
# Before what only names a thing
IDENTITY = (
    r"(?i)\bids?\b[^\n]{0,30}\Z|[_-]id[\"'`]?\s?[:=]\s?[\"'`]?\Z|[./+~%@#$]\Z"
    r"|(?:sha\d{1,3}|md5|hash|digest|checksum|integrity)\W{1,4}\Z"
)
# Beginnings of tokens that say so, of some that may be short, and of what only names messages, calls and other things.
PLAINLY = frozenset("secret token tok sk pat apikey pwd password passwd".split())
SECRETIVE = frozenset("key tok token secret sec sk rk pat live prod test api auth access apikey pass pwd".split())
NAMING = frozenset(
    "chatcmpl cmpl msg call toolu req run thread asst file resp item rs fc wrkspc org proj batch ft sess session evt "
    "event cus sub pi ch in"
    " price prod acct ws conv step vs user usr team inv txn job task node trace span id step doc img chunk build "
    "commit sha blob tree".split()
)
MIN_TOKEN_CHARS = 30  # characters of a token whose beginning says nothing
PIECE = 16  # characters of the longest of its pieces
MIXED = 3.7  # bits a character of letters of both cases and digits, at least
PEEK = 24  # characters of Base64 whose bytes tell whether all may be text
PLAIN = bytes([9, 10, 13, *range(0x20, 0x7F)])


def is_prefixed(run: str) -> bool:
    """Return whether a run is a short name and something random with digits, as tokens of many providers are: in
    letters of both cases, or in one where the name says that it is secret."""
    match = compile_pattern(PREFIXED).fullmatch(run)
    if match is None:
        return False
    beginning = set(re.split("[_-]", run[: match.start(1)].lower()))
    pieces = re.split("[_-]", match[1])
    random = "".join(pieces)
    if max(map(len, pieces)) < PIECE or run.endswith("EXAMPLE"):  # words with dashes between them
        return False
    if beginning & PLAINLY and _is_generated(random):
        return True
    long_enough = bool(beginning & SECRETIVE) or (len(random) >= MIN_TOKEN_CHARS and not beginning & NAMING)
    return long_enough and is_mixed_case(random) and _is_generated(random) and entropy(random) >= MIXED


def _is_generated(value: str) -> bool:
    return len(value) >= 24 and any(map(str.isdigit, value)) and looks_random(value) and not is_sequential(value)


def decoded_text(run: str) -> str | None:
    """Return the plain text that a run of Base64 stands for, None if it is none."""
    bare = run.rstrip("=")
    if len(bare) % 4 == 1 or not _text(bare[:PEEK]):
        return None
    return _text(bare + "=" * (-len(bare) % 4))


def _text(run: str) -> str | None:
    try:
        data = urlsafe_b64decode(run) if "-" in run or "_" in run else b64decode(run)
    except (Error, ValueError):
        return None
    return data.decode("ascii") if data and not data.translate(None, PLAIN) else None
