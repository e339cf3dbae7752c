"""Decides whether a value is a secret or merely stands where one would: placeholders, code, labels, paths, words.
Pure string measures, no knowledge of any provider and no search for values; see `rules` and `assignments`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from math import log2

from graphmem.privacy.patterns import compiled

MARKER = r"\[REDACTED(?::[a-z0-9_]{1,40})?\]|\[PRIVATE\]"  # what redaction writes

_PLACEHOLDER = r"""(?ix)
    ^[\W_]*$                                                   # nothing but punctuation
  | ^[$%@\#][{<(\[] | ^\{\{ | ^(?:\{.*\}|<.*>|\(.*\)|\[.*\])$  # ${VAR}, {{ var }}, <value>, $(command), [value]
  | ^\$[A-Za-z_]\w*$ | ^%[A-Za-z_]\w*%$ | ^\$env: | ^%[sdr]$ | ^!\w+\s | ^ref\+
  | \$\{ | \{\{ | \}\} | \#\{ | \$\( | <%
  | [x*•●]{4} | \.\.\. | … | ^(.)\1*$ | ^[x0*.\-_]+$
  | 0123456789 | 1234567890 | abcdefghijkl
  | (?<![a-z0-9])(?:your|my|enter|insert|replace|put|add|change|paste)[ _.-]?
      (?:a|an|the|in|with|your|own|real|me|this|here|it|api|access|secret|private|client|user|username|password|passwd|token
      |key|auth|db|database|aws)?(?![a-z])(?:[ _.-]?[a-z]+)*$
  | (?<![a-z0-9])(?:placeholder|redacted|changeme|dummy|todo|fixme|omitted|not[ _-]?a[ _-]?(?:real|secret|password))
      (?![a-z])
  | ^(?:some|any|fake|test|sample|example|mock|default|valid|invalid|wrong|new|old|super|top|very|the|a)?[ _.-]*
      (?:secret|password|passwd|passphrase|pass|pwd|pw|token|key|api[ _-]?key|credentials?|auth|bearer|value)[ _.-]*
      (?:here|value|key|token|placeholder|string|test|goes[ _-]here|\d{0,1})$
  | ^(?:none|null|nil|undefined|nan|true|false|yes|no|on|off|void|empty|unset|missing|unknown|required|optional|enabled
      |disabled|string|str|text|int|integer|number|bool|boolean|object|array|bytes|char|varchar|any|hidden|input|basic
      |default|example|sample|test|testing|tbd|n/a|self|this|auto|public|encrypted|forgot|reset|show|hide|login|username
      |user|email)$
  | ^(?:username|user|login|name)[:/](?:password|pass|passwd|pwd|token)$
"""
_CODE = r"""(?x)
    ^[A-Za-z_$][\w$]*(?:\??\.|::|->)[A-Za-z_$]                 # os.environ, self.token, Config::KEY
  | ^[A-Za-z_$][\w$.:]*[(\[{]                                  # getenv(, parts[, Foo{
  | ^(?:await|new|lambda|return|function|async|typeof|if|not|in)$
  | ^[!&*(\[{|>/\\+~-]*$
"""
_NAME = r"[&*]?[A-Za-z_$][A-Za-z_$]*[,;)]*"  # what code may stand for: a variable
_PATH = (
    r"^arn:|^(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/|\\\\)[\w.\\/ -]*$|^[\w.-]+(?:[\\/][\w.-]+)*\.[A-Za-z]{1,5}\d?$|://|^sha\d{1,3}[-:]"
    r"|(?:^|[^\d.])\d+\.\d+\.\d+(?![\d])"  # 1.2.3
)
_TEMPLATE = r"^[\W_]*$|[${}<>*%]|\.\.\.|…|[xX]{3}|(?i:your|my)[_-]?pass"
_ANYBODY = (
    r"(?i)(?:(?:your|my|some|the|db)[_-]?)?(?:user(?:[_-]?name)?|login|name)"
    r":(?:(?:your|my|some|the|db|user)[_-]?)?pass(?:word|wd)?"
)
_NUMBER = r"0x[0-9A-Fa-f]{1,2}|\d{1,3}"
_SLASHED = r"[\w-]+(?:/[\w-]+)+/?"
_WORD = r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{4,}"
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_GROUPS = r"(?:[A-Z0-9]{5}-){3,}[A-Z0-9]{5}"
_LOCAL_NAME = r"(?:[a-z0-9-]{1,30}\.){2,}[a-z]{2,6}(?::\d+)?"


def entropy(value: str) -> float:
    """Shannon entropy of the characters of `value`, in bits a character (0 for the empty string)."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in (value.count(c) for c in set(value)))


def residue(value: str) -> float:
    """Share of letters and digits that belong to no word-like run: about 0 for names, about 1 for random strings."""
    total = sum(map(str.isalnum, value))
    words = (m for m in compiled(_WORD).findall(value) if not set("aeiouyAEIOUY").isdisjoint(m))
    return 1 - sum(map(len, words)) / total if total else 0.0


def placeholder(value: str) -> bool:
    """Whether `value` only stands for a secret: `${VAR}`, `<token>`, `xxxx`, `your-api-key`, `changeme`, `null`."""
    return compiled(_PLACEHOLDER).search(value.strip()) is not None


def filler(value: str) -> bool:
    """Whether a value of a provider's format is an obvious stand-in: more than half of it is one of `x * . 0 1 #`."""
    stand_in = max(sum(map(value.count, chars)) for chars in ("xX", "*", ".", "0", "1", "#"))
    return stand_in * 2 > len(value)


def looks_random(value: str) -> bool:
    """At least 16 characters, no words, digits or mixed case, no spaces: what a generator prints."""
    if len(value) < 16 or " " in value or len(set(value)) < 8:
        return False
    if compiled(_GROUPS).fullmatch(value):
        return True
    varied = any(map(str.isdigit, value)) or (value != value.lower() and value != value.upper())
    return varied and residue(value) >= 0.5 and entropy(value) >= 3.0


def mixed(value: str) -> bool:
    """Looks like a chosen password: six characters up, no space, and three of lower, upper, digit and other signs."""
    if len(value) < 6 or " " in value:
        return False
    kinds = (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum() and c not in "_-./:,")
    return sum(any(map(kind, value)) for kind in kinds) >= 3


def is_uuid(value: str) -> bool:
    """Whether `value` is a UUID in its usual form of five groups."""
    return compiled(_UUID).fullmatch(value) is not None


def _reference(value: str) -> bool:
    """A path, URL, digest label or host name instead of a secret."""
    if compiled(_PATH).search(value) is not None or compiled(_LOCAL_NAME).fullmatch(value) is not None:
        return True
    folders = sum(part.islower() and part.isalpha() and len(part) > 2 for part in value.split("/")[:-1])
    return folders >= 2 or (compiled(_SLASHED).fullmatch(value) is not None and residue(value) < 0.5)


def _password(value: str, quoted: bool, alone: int) -> bool:
    """Quoted: nearly anything that is no sentence and no label; else what code, prose and counts do not look like."""
    if quoted:
        if " " in value.strip() or not value.isascii():
            return mixed(value.replace(" ", "")) and any(map(str.isdigit, value))
        return len(value) >= 4 and not (value.isalpha() and not value.islower())
    if compiled(_NAME).fullmatch(value) or value.isdigit():
        return alone == 2 and len(value) >= 4
    return len(value) >= 5 and (alone > 0 or mixed(value) or any(map(str.isdigit, value))) and not _identifier(value)


def _identifier(value: str) -> bool:
    """`user_password2` and the like: words joined by underscores, as code names its variables."""
    return "_" in value and value.isidentifier() and residue(value) < 0.34


def _token(value: str) -> bool:
    if value.isdigit() or " " in value or len(value) < 8:
        return False
    return (mixed(value) and residue(value) >= 0.45) or looks_random(value) or is_uuid(value) or _short_random(value)


def _short_random(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return 2 <= digits < len(value) and not filler(value) and residue(value) >= 0.6 and entropy(value) >= 2.5


def assigned(value: str, level: int, *, quoted: bool, alone: int = 0) -> bool:
    """Whether `value`, assigned to a name of secrecy `level` (1 `key`, 2 `token`, 3 `password`), is a secret.
    `quoted`: it stands in quotes. `alone`: 1 if the line holds nothing but the assignment, 2 if that is of the form
    `NAME=value` or `name: value`, as configuration files have it."""
    if level < 3 and not compiled("[0-9A-Z]").search(value):
        return False
    if placeholder(value) or filler(value) or (not quoted and compiled(_CODE).search(value)):
        return False
    if level == 3:
        return _password(value, quoted, alone) and "://" not in value
    if _reference(value):
        return False
    if level == 2:
        return _token(value)
    return (looks_random(value) and not is_uuid(value)) or (len(value) >= 12 and _basic(value))


def key_bytes(listed: str, level: int) -> bool:
    """Whether numbers with commas between them, assigned to a name of this level, are the bytes of a key: no counting,
    no repeating, and written in hexadecimal where the name says little."""
    values = [int(number, 0) if "x" in number else int(number) for number in compiled(_NUMBER).findall(listed)]
    return (level > 1 or "0x" in listed) and len(set(values)) >= 8 and sorted(values) != values


def _userinfo(user: str, password: str) -> bool:
    """`user:password` of a URL or a command line; an empty password makes the user's name the secret."""
    if not password:
        return _token(user) or mixed(user)
    return len(password) >= 4 and password != user and not placeholder(password)


def _typed(user: str, password: str) -> bool:
    """Whether a password of a URL is one at all, however weak, and no variable, mask or gap; `user:password` stands in
    documentation for any."""
    return compiled(_TEMPLATE).search(password) is None and not compiled(_ANYBODY).fullmatch(f"{user}:{password}")


def _numbered(value: str) -> bool:
    return any(map(str.isdigit, value))


def _basic(value: str) -> bool:
    """Whether `value` is the Base64 form of `user:password`."""
    try:
        text = b64decode(value + "=" * (-len(value) % 4), altchars=b"-_" if "-" in value or "_" in value else None)
    except ValueError:
        return False
    user, colon, password = text.partition(b":")
    return bool(colon) and text.isascii() and not (placeholder(password.decode()) or user == password)


def _is_signed(token: str) -> bool:
    """Whether the checksum at the end is right: then it is a token, whatever it looks like."""
    from graphmem.privacy.formats import signed

    return signed(token) == token


# Each takes the groups of a match (the whole match where there are none) and says whether the last is a secret.
CHECKS: dict[str, Callable[..., bool]] = {
    "any": lambda *groups: True,
    "filled": lambda *groups: not filler(groups[-1]),
    "crc32": lambda *groups: not filler(groups[-1]) or _is_signed(groups[-1]),
    "aws": lambda *groups: not filler(groups[-1]) and "EXAMPLE" not in groups[-1],
    "random": lambda *groups: not placeholder(groups[-1]) and looks_random(groups[-1]),
    "token": lambda *groups: not placeholder(groups[-1]) and _token(groups[-1]),
    "chosen": lambda *groups: mixed(groups[-1]) and _numbered(groups[-1]) and not placeholder(groups[-1]),
    "real": lambda *groups: not placeholder(groups[-1]),
    "passphrase": lambda *groups: _numbered(groups[-1]) and not placeholder(groups[-1]),
    "basic": lambda *groups: _basic(groups[-1]),
    "typed": lambda *groups: _typed(*groups),
    "userinfo": lambda *groups: _userinfo(*groups),
}
