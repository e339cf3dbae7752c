"""Classifies a single word by its letters: a version, a commit, `camelCase`, an error code. Knows only file extensions;
ignores context. Cached, because words repeat."""

from __future__ import annotations

from functools import lru_cache

from graphmem.patterns import compile_later
from graphmem.text.entities.wordlists import word_set, words_of

EXTENSIONS = frozenset(words_of("extensions"))
DOUBTFUL_EXTENSIONS = frozenset(words_of("doubtful_extensions"))
FILE_NAMES = frozenset(w.lower() for w in words_of("filenames"))
TOP_LEVEL = word_set("com org net edu gov io dev co kr uk de jp in")
PROTOCOLS = word_set(
    """
    pop3 ipv4 ipv6 http2 http3 mp3 mp4 h264 h265 utf8 utf16 sha1 sha2 sha256 md5 base64 i18n l10n win32 x64 k8s
    2d 3d p2p b2b km2 m2 cm2 m3 co2
    """
)
# Words in capitals that make a word with a number no issue key: UTF-8.
STANDARDS = word_set(
    """
    UTF SHA GPT ISO RFC IEEE MD CVE X COVID HTTP AES RSA BASE UCS CP EUC ES PEP JSR H MP IPV PS WIN
    """
)

OBJECTS = word_set("this self e event obj console math props state req res request response")
SENTENCE_STARTS = word_set(
    """
    i it is in if the this that these there then and but so or how what when where why which who we you he she
    they my your could can do does did please thanks something for from to as at on not no now also
    """
)

ADDRESS = compile_later(r"\d{1,3}(?:\.\d{1,3}){3}")
VERSION = compile_later(
    r"[vV]\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|dev|pre|post|b|a)[.-]?\d*)?"
    r"|\d+(?:\.\d+){2,}(?:[-.+]?[A-Za-z][\w.-]*)?"
    r"|\d+\.\d+[-.]?(?:alpha|beta|rc|RC|dev|SNAPSHOT|GA|LTS|x|X)[.\w-]*"
    r"|\d+\.[xX]"
)
NUMBER = compile_later(r"\d+(?:\.\d+)?\+?")
COMMIT = compile_later(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
DATE = compile_later(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?")
ISSUE = compile_later(r"([A-Z][A-Z0-9]{1,9})-\d{1,6}")
ERROR = compile_later(
    r"(?:[A-Za-z_]\w*(?:\.|::))*[A-Z]\w*(?:Error|Exception|Fault|Warning)"
    r"|(?:Errno::)?E(?:ACCES|NOENT|PERM|EXIST|INVAL|PIPE|ADDRINUSE|CONNREFUSED|CONNRESET|MFILE|NOSPC|TIMEDOUT|AGAIN|BUSY)"
    r"|(?:E|TS|CS|C|LNK|ORA|SQLSTATE|MSB|CA|NU|RUF|F|W|BC|AADSTS|PGRST|ERR)-?\d{4,5}"
    r"|ERR_[A-Z_]+|SIG(?:SEGV|KILL|TERM|INT|ABRT|BUS|HUP|PIPE)"
)
PASCAL = compile_later(r"(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*\d*|[A-Z]{2,}[a-z]{2,}\w*|[A-Z][a-z]+[A-Z]+")
CAMEL = compile_later(r"[a-z]+[0-9]*(?:[A-Z]+[a-z0-9]*)+")
CONSTANT = compile_later(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
ABBREVIATION = compile_later(r"(?:[A-Za-z]\.)+[A-Za-z]\.?")


@lru_cache(maxsize=32768)
def shape_of(word: str) -> str:
    """Return what the letters of one word say: "file", "file_type", "version", "number", "commit", "date", "issue",
    "error", "class", "camel", "snake", "constant", "dotted", "sigil", "annotation", "website", "upper", "title",
    "letter", "mixed" (letters and digits) or "" for a lower-case word."""
    if word.isalpha():
        return _alphabetic(word)
    for pattern, shape in (
        (DATE, "date"),
        (ADDRESS, ""),
        (VERSION, "version"),
        (NUMBER, "number"),
        (ERROR, "error"),
        (CONSTANT, "constant"),
    ):
        if pattern.fullmatch(word):
            return shape
    if word[0] == "@":
        return "annotation" if len(word) > 2 else ""
    if word[0] == "$":
        return "sigil" if len(word) > 1 and not word[1].isdigit() else ""
    if COMMIT.fullmatch(word):
        return "commit"
    issue = ISSUE.fullmatch(word)
    if issue:
        return "" if issue[1] in STANDARDS else "issue"
    return _compound(word)


def _alphabetic(word: str) -> str:
    if word.islower():
        return "letter" if len(word) == 1 else ""
    if len(word) == 1:
        return "letter"
    if word.isupper():
        return "file" if word.lower() in FILE_NAMES else "upper"
    if ERROR.fullmatch(word):
        return "error"
    if word.istitle():
        return "file" if word.lower() in FILE_NAMES and word.endswith("file") else "title"
    if PASCAL.fullmatch(word):
        return "class"
    if CAMEL.fullmatch(word):
        return "camel"
    return "mixed" if word.isascii() else ""  # a script without capitals


def _compound(word: str) -> str:
    low = word.lower()
    if low in FILE_NAMES:
        return "file"
    if low in PROTOCOLS or not word.isascii() or not word.strip("_") or (word[-1] == "+" and word[:-1].isalpha()):
        return ""
    if word[0] == ".":
        rest = low[1:]
        return "file_type" if rest in EXTENSIONS else "file" if rest.rpartition(".")[2] in EXTENSIONS else ""
    if "." in word:
        return _dotted(word, low)
    if "::" in word or "->" in word:
        return "dotted"
    if "_" in word:
        return "snake"
    if "-" in word:
        return "hyphen"
    if word[0].isdigit():
        return "" if len(word) < 12 else "mixed"
    if PASCAL.fullmatch(word):
        return "class"
    return "camel" if CAMEL.fullmatch(word) else "mixed"


def _is_member(head: str, last: str, word: str) -> bool:
    """Return whether `head.last` is rather a member of something: `Enum.map`, `arr.map`, but not `main.c`."""
    return last in DOUBTFUL_EXTENSIONS and (len(last) > 1 or word[0].isupper()) and "-" not in head and "_" not in head


def _dotted(word: str, low: str) -> str:
    if ABBREVIATION.fullmatch(word) or word[0].isdigit():
        return ""
    head, _, last = low.rpartition(".")
    if last in EXTENSIONS and head.rpartition(".")[2] not in OBJECTS and not _is_member(head, last, word):
        return "file"
    if head.isalpha() and last in SENTENCE_STARTS and word[len(head) + 1].isupper():
        return ""  # a full stop without a space after it
    if last in ("com", "org", "net", "io") or (last in TOP_LEVEL and low == word):
        return "website"
    return "dotted"
