"""Decides whether a value is a secret or something that often stands in the same place: a placeholder, code, a label, a
path, a word. Measures strings only; knows no provider and searches for nothing. See `rules` and `assignments`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from enum import IntEnum
from math import log2

from graphmem.privacy.patterns import compile_pattern


class Place(IntEnum):
    """How much the place of a value next to a secret name says: `DOUBTFUL` where code would name a variable, `LITERAL` in quotes,
    `SURE` where configuration, a command or a query gives the value, `CERTAIN` where the name alone must be enough."""

    DOUBTFUL = 0
    LITERAL = 1
    SURE = 2
    CERTAIN = 3


MARKER = r"\[REDACTED(?::[a-z0-9_]{1,40})?\]|\[PRIVATE\]"  # what redaction writes

_PLACEHOLDER = r"""(?ix)
    ^[\W_]*$                                                   # nothing but punctuation
  | ^[$%@\#][{<(\[] | ^\{\{ | ^(?:\{.*\}|<.*>|\(.*\)|\[.*\])$  # ${VAR}, {{ var }}, <value>, $(command), [value]
  | ^\$[A-Za-z_]\w*$ | ^%[A-Za-z_]\w*%$ | ^\$env: | ^%[sdr]$ | ^!\w+\s | ^ref\+
  | ^[&*][A-Za-z_]\w*$ | ^[\[(^].*[+*$]$                        # &str, *anchor, [a-z]+$
  | (?<![a-z0-9])(?:example|sample)$ | (?-i:EXAMPLE)$ | ^(?:example|sample)(?![a-z0-9])
  | \$\{ | \{\{ | \}\} | \#\{ | \$\( | <%
  | [x*•●]{4} | \.\.\. | … | ^(.)\1*$ | ^[x0*.\-_]+$
  | 0123456789 | 1234567890 | abcdefghijkl
  | (?<![a-z0-9])(?:your|my|enter|insert|replace|put|add|change|paste)[ _.-]?
      (?:a|an|the|in|with|by|your|own|real|me|this|here|it|api|access|secret|private|client|user|username|password|passwd|token
      |key|auth|db|database|aws)?(?![a-z])(?:[ _.-][a-z]++)*+$
  | (?<![a-z0-9])(?:placeholder|redacted|changeme|dummy|todo|fixme|omitted|not[ _-]?a[ _-]?(?:real|secret|password))
      (?![a-z])
  | ^(?:some|any|fake|test|sample|example|mock|default|valid|invalid|wrong|new|old|super|top|very|the|a)?[ _.-]*
      (?:secret|password|passwd|passphrase|pass|pwd|pw|token|key|api[ _-]?key|credentials?|auth|bearer|value)[ _.-]*
      (?:here|value|key|token|placeholder|string|test|goes[ _-]here|\d{0,1})$
  | ^(?:none|null|nil|undefined|nan|true|false|yes|no|on|off|void|empty|unset|missing|unknown|required|optional|enabled
      |disabled|string|str|text|int|integer|number|bool|boolean|object|array|bytes|char|varchar|any|hidden|input|basic
      |default|example|sample|test|testing|tbd|n/a|self|this|auto|public|string\?|encrypted|forgot|reset|show|hide|login|username
      |user|email)$
  | ^(?:inherit|write|read|read-only)$
  | ^(?:process\.env|import\.meta|os\.environ|secrets|vars|env|config|settings|self|this|ctx|context|args|params|req|request
      |data|local|var|module)\.[\w.]+$
  | ^(?:username|user|login|name)[:/](?:password|pass|passwd|pwd|token)$
"""
_CALL = r"""(?x)
    ^[A-Za-z_$][\w$.:]*[(\[{]                                  # getenv(, parts[, Foo{
  | ^(?:await|new|lambda|return|function|async|typeof|if|not|in)$
  | ^[!&*(\[{|>/\\+~-]*$
  | ^\([A-Za-z_] | ^/\^                                              # (Type *)value
"""
_MEMBER = r"^[A-Za-z_$][\w$]*(?:\??\.|::|->)[A-Za-z_$]"  # os.environ, self.token, Config::KEY
# No value: a variable, a mask
_GIVEN = r"(?i)^(?:[$%@#]?[{<(\[].*|\$\w+|%\w+%|[*•x.…_-]+|null|none|nil|true|false|undefined|n/a)?$"
_TECHNICAL = r"(?i)^(?:base|sha|utf|md|hs|rs|es|ps|oauth|aes|rsa|ed|x|v|http|ipv|tls|ssl|pkcs)-?\d"
_COMMON = frozenset(
    "your my the a an this that is are was be must should please enter invalid wrong forgot reset change new old not "
    "no to of in on "
    "for and or with at by password passwords token tokens secret secrets key keys username user email required".split()
)
_AFTER_BEARER = frozenset("auth authentication authorization scheme header format bond bonds only type".split())
_TYPE = r"[A-Z][a-z]+|(?:[A-Z][a-z]+\d{0,5}){2,5}"
_NAME = r"[&*]?[A-Za-z_$][A-Za-z_$]*[,;)]*"  # what code may stand for: a variable
_PATH = (
    r"^arn:|^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/|\\\\)[\w.\\/ -]*$|^[\w.-]+(?:[\\/][\w.-]+)*\.[A-Za-z]{1,5}\d?$|://|^sha\d{1,3}[-:]"
    r"|(?:^|[^\d.])\d+\.\d+\.\d+(?![\d])"  # 1.2.3
    r"|^\d{4}-\d\d-\d\d(?:T|\Z)"  # a day
)
_VERSIONED = (
    r"^(?:[A-Za-z]{1,3})?\d{1,4}\.\d{1,4}\.\d{1,6}(?![\d.])|[-_@:]v?\d{1,4}\.\d{1,4}\.\d{1,6}(?:[-.+]\w{1,12})?$"
)
_FOLDER = r"(?:[A-Za-z]:\\|~?/)(?:[\w. -]{1,40}[/\\]){0,12}[\w. -]{0,40}"
_FILE = (
    r"^arn:|^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/|\\\\)[\w.\\/ -]*$|\.(?:json|ya?ml|toml|txt|pem|key|py|js|ts|env|conf"
    r"|cfg|ini|xml|html?|md)$|(?:^|[^\d.])\d+\.\d+\.\d+(?!\d)"
)
_SCATTERED = r"[A-Za-z]\d"
_ENDINGS = frozenset(
    "com org net io dev app kr local internal py js ts json yaml yml toml md txt html css go rs java key".split()
)
_MEASURE = r"(?i)\d+(?:[-.]?[a-z%]{1,9})|[a-z]+-\d{1,3}|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|cve-\d{4}-\d{4,7}"
_COUNT = r"-?(?:0[xX][0-9A-Fa-f]{1,8}|\d[\d_]{0,11}(?:\.\d{1,6})?)[uUlL]{0,3}"
_TEMPLATE = (
    r"^[\W_]*$|^(?i:replace|change|enter|insert|your)[_-]?(?i:with|me|here|this|the|your)(?![A-Za-z0-9])"
    r"|[${}<>*%]|\.\.\.|…|[xX]{3}|(?i:your|my)[_-]?pass"
)
_ANYBODY = (
    r"(?i)(?:(?:your|my|some|the|db)[_-]?)?(?:user(?:[_-]?name)?|login|name)"
    r":(?:(?:your|my|some|the|db|user)[_-]?)?pass(?:word|wd)?"
)
SEQUENCE = 3  # characters
DULL = 1.8  # bits a character
_NUMBER = r"0x[0-9A-Fa-f]{1,2}|\d{1,3}"
_SLASHED = r"[\w-]+(?:/[\w-]+)+/?"
_WORD = r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{4,}"
_LONG_WORD = r"[A-Z][a-z]{4,}|[a-z]{7,}"
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_GROUPS = r"(?:[A-Z0-9]{5}-){3,}[A-Z0-9]{5}"
_LOCAL_NAME = r"(?:[a-z0-9-]{1,30}\.){2,}[a-z]{2,6}(?::\d+)?"


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits a character (0 for the empty string)."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in (value.count(c) for c in set(value)))


def nonword_share(value: str) -> float:
    """Share of letters and digits that belong to no word-like run: about 0 for names, about 1 for random strings."""
    total = sum(map(str.isalnum, value))
    words = (m for m in compile_pattern(_WORD).findall(value) if not set("aeiouyAEIOUY").isdisjoint(m))
    return 1 - sum(map(len, words)) / total if total else 0.0


def is_number(value: str) -> bool:
    """Return whether a value is a number as programs count with: `4096`, `1_000_000`, `0x1000`."""
    return compile_pattern(_COUNT).fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """Return whether `value` only stands for a secret: `${VAR}`, `<token>`, `xxxx`, `your-api-key`, `changeme`,
    `null`."""
    return compile_pattern(_PLACEHOLDER).search(value.strip()) is not None


def is_filler(value: str) -> bool:
    """Return whether a value of a provider's format is an obvious stand-in: more than half of it is one of `x * . 0 1
    #`, or next to nothing in it differs."""
    stand_in = max(sum(map(value.count, chars)) for chars in ("xX", "*", ".", "0", "1", "#"))
    return stand_in * 2 > len(value) or (len(value) >= 20 and entropy(value) < DULL)


def is_sequential(value: str) -> bool:
    """Return whether half of it counts up, down or on the spot, in threes at least (`abc123def456`, `987654`): made
    by hand."""
    codes = [ord(c) for c in value.lower()]
    counted = at = 0
    while at < len(codes):
        longest = 1
        for step in (1, -1, 0):
            end = at + 1
            while end < len(codes) and codes[end] - codes[end - 1] == step:
                end += 1
            longest = max(longest, end - at)
        counted += longest * (longest >= SEQUENCE)
        at += longest
    return counted * 2 >= len(codes)


def looks_random(value: str) -> bool:
    """Return whether a value looks like what a generator prints: at least 16 characters, digits or mixed case, no words, no
    spaces."""
    if len(value) < 16 or " " in value or len(set(value)) < 8:
        return False
    if compile_pattern(_GROUPS).fullmatch(value):
        return True
    varied = any(map(str.isdigit, value)) or (value != value.lower() and value != value.upper())
    return varied and nonword_share(value) >= 0.5 and entropy(value) >= 3.0


def looks_chosen(value: str) -> bool:
    """Return whether a value looks like a chosen password: at least six characters, no space, and three of lower case, upper
    case, digits and other signs."""
    if len(value) < 6 or " " in value:
        return False
    kinds = (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum() and c not in "_-./:,")
    return sum(any(map(kind, value)) for kind in kinds) >= 3


def is_uuid(value: str) -> bool:
    """Return whether `value` is a UUID in its usual form of five groups."""
    return compile_pattern(_UUID).fullmatch(value) is not None


def _has_version(value: str) -> bool:
    """Return whether a value ends in a version or begins with one: `jjwt-api-0.12.3`, `rc0.19.5_2024`."""
    return compile_pattern(_VERSIONED).search(value) is not None


def _reference(value: str) -> bool:
    """Return whether a value is a path, URL, digest label or host name rather than a secret."""
    if "://" not in value and not value.startswith(("sha", "arn:")) and looks_random(value):
        return False
    if compile_pattern(_PATH).search(value) is not None or compile_pattern(_LOCAL_NAME).fullmatch(value) is not None:
        return True
    folders = sum(part.islower() and part.isalpha() and len(part) > 2 for part in value.split("/")[:-1])
    return folders >= 2 or (compile_pattern(_SLASHED).fullmatch(value) is not None and nonword_share(value) < 0.5)


def _password(value: str, quoted: bool) -> bool:
    """Return whether a value may be a password. In quotes, nearly anything may that is no sentence and no label; otherwise,
    what does not look like code, prose or a count."""
    if quoted:
        if " " in value.strip() or not value.isascii():
            return is_passphrase(value) or (looks_chosen(value.replace(" ", "")) and _numbered(value))
        return len(value) >= 4 and not (value.isalpha() and not value.islower() and nonword_share(value) < 0.5)
    if compile_pattern(_NAME).fullmatch(value) or value.isdigit():
        return False
    return len(value) >= 5 and (looks_chosen(value) or _numbered(value)) and not _identifier(value)


def is_passphrase(value: str) -> bool:
    """Return whether a value is three to eight plain words that make no sentence."""
    parts = value.split(" ")
    return 3 <= len(parts) <= 8 and all(
        len(part) > 2 and part.isascii() and part.isalpha() and part.islower() and part not in _COMMON for part in parts
    )


def is_joined(value: str) -> bool:
    """Return whether a value is three or more plain words joined by dashes, as passphrases are: `correct-horse-battery`."""
    parts = value.split("-")
    return (
        len(parts) >= 3 and len(value) >= 14 and all(part.isalnum() and part.lower() not in _COMMON for part in parts)
    )


def _identifier(value: str) -> bool:
    """Return whether a value is words joined by underscores, as code names its variables: `user_password2`."""
    return "_" in value and value.isidentifier() and nonword_share(value) < 0.34


def is_token(value: str) -> bool:
    """Return whether a value could be a token by itself: random, or chosen with care."""
    if value.isdigit() or " " in value or len(value) < 8:
        return False
    if (
        (looks_chosen(value) and nonword_share(value) >= 0.45)
        or looks_random(value)
        or is_uuid(value)
        or _short_random(value)
    ):
        return True
    return len(value) >= 16 and len(compile_pattern(_SCATTERED).findall(value)) * 6 >= len(value)


def is_scattered(value: str) -> bool:
    """Return whether a value mixes classes of characters as generators do, and names of programs do not."""
    if not 8 <= len(value) <= 200 or " " in value or "://" in value or is_uuid(value) or _has_version(value):
        return False
    if compile_pattern(_FILE).search(value) or _technical(value) or is_placeholder(value) or is_filler(value):
        return False
    chosen = looks_chosen(value) and _numbered(value) and nonword_share(value) >= 0.4
    return (chosen and compile_pattern(_LONG_WORD).search(value) is None) or looks_random(value)


def _is_generated(value: str) -> bool:
    """Return whether a value has all classes of characters, and a sign that no path, option or version has."""
    return (
        is_scattered(value) and value not in (value.lower(), value.upper()) and not set("!#%*+^~@?").isdisjoint(value)
    )


def _is_scrambled(value: str) -> bool:
    """Return whether a value is letters of both cases that no name of a program would mix so: `fTqaptXdecOVW`."""
    return (
        10 <= len(value) <= 64
        and value.isascii()
        and value.isalpha()
        and is_mixed_case(value)
        and nonword_share(value) >= 0.3
    )


def _short_random(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return 2 <= digits < len(value) and not is_filler(value) and nonword_share(value) >= 0.6 and entropy(value) >= 2.5


def _technical(value: str) -> bool:
    """Return whether a value names a technique: `base64url`, `sha256`, `x509v3`."""
    return len(value) <= 12 and compile_pattern(_TECHNICAL).match(value) is not None


def is_numbered_word(value: str) -> bool:
    """Return whether a value is a word followed by digits, as people choose secrets (`orders4740`), and names no technique
    (`sha256`)."""
    return (
        len(value) >= 8
        and value.isascii()
        and value.isalnum()
        and 2 <= sum(map(str.isdigit, value)) < len(value)
        and not _technical(value)
    )


def is_chosen(value: str) -> bool:
    """Return whether a value in quotes looks like a password or token, and like no word of a program."""
    return looks_chosen(value) or looks_random(value) or is_token(value) or is_joined(value) or is_numbered_word(value)


def is_assigned_secret(value: str, level: int, kind: str, place: Place, *, quoted: bool) -> bool:
    """Return whether `value`, assigned to a name of secrecy `level` (1 `key`, 2 `token`, 3 `password`) and `kind` in
    such a place, is a secret. `quoted`: it is in quotes."""
    named = level > 1 and kind != "credential"
    if level < 3 and (value.lstrip("-").isdigit() or _has_version(value)):
        return False
    if level == 1 and not looks_random(value) and not (len(value) >= 12 and _basic(value)):
        return False
    if compile_pattern(_FOLDER).fullmatch(value):  # PWD
        return False
    if place is Place.CERTAIN and named:
        return compile_pattern(_GIVEN).fullmatch(value) is None and not compile_pattern(MARKER).fullmatch(value)
    if is_placeholder(value) or is_filler(value) or (not quoted and compile_pattern(_CALL).search(value)):
        return False
    if place >= Place.SURE and named:
        return _in_configuration(value, level, quoted)
    if not quoted and compile_pattern(_MEMBER).search(value):
        return False
    if level == 3:
        return (_password(value, quoted) or looks_random(value)) and "://" not in value
    if level < 3 and not compile_pattern("[0-9A-Z]").search(value) and not is_joined(value):
        return False
    if _reference(value):
        return False
    if level == 2:
        return is_token(value) or (named and quoted and (is_joined(value) or is_numbered_word(value)))
    return not is_uuid(value)


def _in_configuration(value: str, level: int, quoted: bool) -> bool:
    """Return whether the name is enough to make a value secret: anything but a path, an address, a type, a number that counts,
    or a sentence."""
    if (
        "://" in value
        or (level < 3 and compile_pattern(_FILE).search(value))
        or (not quoted and compile_pattern(_TYPE).fullmatch(value))
    ):
        return False
    if quoted and compile_pattern(_TYPE).fullmatch(value) and not _numbered(value):
        return False
    if value.isdigit():
        return len(value) >= (4 if level == 3 else 6)
    if " " in value.strip() or not value.isascii():
        return _is_chosen_phrase(value)
    return len(value) >= 3


def _is_chosen_phrase(value: str) -> bool:
    words = value.split()
    return len(words) <= 8 and value.isascii() and not any(word.lower().strip(".,!?:") in _COMMON for word in words)


def is_stated(value: str, level: int, quoted: bool) -> bool:
    """Return whether prose that speaks of a password (or of a token: `level` 2) tells it with this value."""
    if (
        is_placeholder(value)
        or is_filler(value)
        or compile_pattern(_CALL).search(value)
        or value.isdigit()
        or value[0] == "$"
    ):
        return False
    if _is_dotted(value):
        return True
    if _reference(value) or _technical(value) or compile_pattern(_MEASURE).fullmatch(value):
        return False
    if is_token(value) or is_joined(value) or is_numbered_word(value):
        return not _identifier(value)
    return level == 3 and (
        looks_chosen(value) or (len(value) >= 6 and _numbered(value) and not _identifier(value)) or _is_scrambled(value)
    )


def _is_dotted(value: str) -> bool:
    """Return whether a value is words joined by at least two dots, and no file, module or host that anybody knows."""
    parts = value.split(".")
    plain = all(len(part) > 2 and part.isalnum() and part.islower() for part in parts)
    return len(parts) >= 3 and len(value) >= 14 and plain and parts[-1] not in _ENDINGS


def key_bytes(listed: str, level: int) -> bool:
    """Return whether numbers with commas between them, assigned to a name of this level, are the bytes of a key: no
    counting, no repeating, and written in hexadecimal where the name says little."""
    values = [int(number, 0) if "x" in number else int(number) for number in compile_pattern(_NUMBER).findall(listed)]
    return (level > 1 or "0x" in listed) and len(set(values)) >= 8 and sorted(values) != values


def _userinfo(user: str, password: str) -> bool:
    """Return whether `user:password` of a URL or a command line holds a secret; with an empty password, the user's name may be
    it."""
    if not password:
        return is_token(user) or looks_chosen(user)
    return len(password) >= 4 and password != user and not is_placeholder(password) and not _is_dull(password)


def _typed(user: str, password: str) -> bool:
    """Return whether a password of a URL is one at all, however weak, and no variable, mask or gap; `user:password`
    is in documentation for any."""
    return compile_pattern(_TEMPLATE).search(password) is None and not compile_pattern(_ANYBODY).fullmatch(
        f"{user}:{password}"
    )


def _is_user_token(value: str) -> bool:
    """Return whether what stands in the place of a user's name in a URL is a token: nobody's name looks so random."""
    if is_placeholder(value) or value.isdigit() or is_uuid(value) or _is_dotted(value):
        return False
    return (
        looks_random(value) or (is_token(value) and is_mixed_case(value)) or (looks_chosen(value) and _numbered(value))
    )


def is_mixed_case(value: str) -> bool:
    """Return whether letters of both cases are in it."""
    return value not in (value.lower(), value.upper())


def _is_dull(value: str) -> bool:
    return len(set(value)) == 1


def _is_chosen(value: str) -> bool:
    return (
        looks_chosen(value)
        and _numbered(value)
        and not is_placeholder(value)
        and not compile_pattern(_CALL).search(value)
    )


def _is_argument(value: str) -> bool:
    """Return whether what a command takes as its password is one, and no variable, gap or file."""
    return not is_placeholder(value) and compile_pattern(_GIVEN).fullmatch(value) is None and not _is_path(value)


def _is_path(value: str) -> bool:
    return compile_pattern(_FOLDER).fullmatch(value) is not None


def _numbered(value: str) -> bool:
    return any(map(str.isdigit, value))


def _basic(value: str) -> bool:
    """Return whether `value` is the Base64 form of `user:password`."""
    try:
        text = b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value or "_" in value else None)
    except ValueError:
        return False
    user, colon, password = text.partition(b":")
    return bool(colon) and text.isascii() and not (is_placeholder(password.decode()) or user == password)


def _is_signed(token: str) -> bool:
    """Return whether the checksum at the end is right: then it is a token, whatever it looks like."""
    from graphmem.privacy.formats import add_checksum

    return add_checksum(token) == token


# Each takes the groups of a match (the whole match if there are none) and says whether the last is a secret.
CHECKS: dict[str, Callable[..., bool]] = {
    "any": lambda *groups: True,
    "filled": lambda *groups: not is_filler(groups[-1]),
    "crc32": lambda *groups: not is_filler(groups[-1]) or _is_signed(groups[-1]),
    "aws": lambda *groups: not is_filler(groups[-1]) and "EXAMPLE" not in groups[-1],
    "random": lambda *groups: (
        not is_placeholder(groups[-1]) and looks_random(groups[-1]) and not is_sequential(groups[-1])
    ),
    "token": lambda *groups: not is_placeholder(groups[-1]) and is_token(groups[-1]),
    "generated": lambda *groups: _is_generated(groups[-1]),
    "told": lambda *groups: is_scattered(groups[-1].rstrip(".,;:!?)*`\"'")),
    "chosen": lambda *groups: _is_chosen(groups[-1]),
    "key": lambda *groups: not is_placeholder(groups[-1]) and not _technical(groups[-1]) and is_chosen(groups[-1]),
    "user_token": lambda *groups: _is_user_token(groups[-1]),
    "no_word": lambda *groups: groups[-1].lower().strip(".,:;") not in _COMMON | _AFTER_BEARER,
    "real": lambda *groups: not is_placeholder(groups[-1]),
    "argument": lambda *groups: _is_argument(groups[-1]),
    "passphrase": lambda *groups: _numbered(groups[-1]) and not is_placeholder(groups[-1]),
    "basic": lambda *groups: _basic(groups[-1]),
    "typed": lambda *groups: _typed(*groups),
    "userinfo": lambda *groups: _userinfo(*groups),
}
