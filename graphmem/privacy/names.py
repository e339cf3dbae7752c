"""Classifies names by whether they denote a secret: `DB_PASSWORD`, `apiKey`, `비밀번호` do; `max_tokens`, `keyword`,
`author` do not. Looks at names only, with the words of `words.txt`; `judge` decides about the value."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from graphmem.privacy.patterns import compile_pattern


class Secrecy(NamedTuple):
    """`level` 0 harmless, 1 perhaps (`key`), 2 likely (`token`), 3 surely (`password`); `kind` names the secret."""

    level: int
    kind: str


HARMLESS = Secrecy(0, "")

# What an identifier may be called whole, or end in: (endings of a word, level, kind).
_PASSWORD = r"pa?ss?wo?r?s?d|passowrd|passwort|passphrase|passcode|contraseña|pwd|pswd|psswd"
_WORDS: tuple[tuple[str, int, str], ...] = (
    (rf"\w*(?:{_PASSWORD})s?", 3, "password"),
    (r"(?:[a-z0-9]*[^aeimrny])?(?:pass|pw)|(?:my|db|sql|mysql|user|admin|root|key|store)pass", 3, "password"),
    (r"비밀번호|비번|암호|패스워드|비밀|パスワード|暗証番号|密码|密碼|口令", 3, "password"),
    (r"\w*secrets?|시크릿", 2, "secret"),
    (r"(?!de)\w*tokens?|tok|jwt|pat|토큰", 2, "token"),
    (
        r"\w*(?:api|access|secret|private|auth|master|storage|account|shared|signing|encryption|crypt|ssh|hmac|app|license)keys?",
        2,
        "api_key",
    ),
    (r"psk", 3, "password"),
    (r"pkey|passkey|인증키|접근키|비밀키|개인키", 2, "private_key"),
    (r"\w*cred(?:ential)?s?|자격증명", 2, "credential"),
    (r"authorization|authentication|bearer|otp|totp|webhook|signature|sas|cookie|cookies|인증", 2, "credential"),
    (r"\w*key|keys|키", 1, "key"),
    (r"\w*auth|api|salt|nonce|sig|session|sid|cert|hash|pin|dsn", 1, "credential"),
)
_SPLIT = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[가-힣]+|[ァ-ヶー一-龠]+"


@cache
def word_list(section: str) -> frozenset[str]:
    """Return the words of a section of `words.txt`."""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    return frozenset(text.partition(f"[{section}]\n")[2].partition("\n\n")[0].split())


@lru_cache(4096)
def _word(word: str) -> Secrecy:
    for pattern, level, kind in _WORDS:
        if compile_pattern(pattern).fullmatch(word):
            return Secrecy(level, kind)
    return HARMLESS


@lru_cache(4096)
def secrecy_of(name: str) -> Secrecy:
    """Return how secret the value of `name` is. `name`: an identifier in any case style, dotted path, flag or header
    name."""
    parts = [part.lower() for part in compile_pattern(_SPLIT).findall(name)]
    if not parts or parts[-1] in word_list("about") or any(part.startswith("pub") for part in parts):
        return HARMLESS
    found = [(at, secrecy_of) for at, part in enumerate(parts) if (secrecy_of := _word(part)).level]
    if not found:
        whole = _word("".join(parts))
        return whole if whole.level == 3 else HARMLESS
    at, last = found[-1]
    if (
        last.kind == "key"
        and at
        and (parts[at - 1] in word_list("owners") or max(level for _, (level, _) in found) > 1)
    ):
        return Secrecy(2, "private_key" if parts[at - 1] in ("private", "ssh", "rsa", "pgp", "gpg") else "api_key")
    if last.level < 3 and parts[0] in word_list("before") and at <= 2:
        return HARMLESS
    if last.level == 1 and at < len(parts) - 1:
        return HARMLESS
    return last._replace(level=2) if parts == ["pass"] else last


@lru_cache(4096)
def is_measure(name: str) -> bool:
    """Return whether a name tells how much or how many there is of something: `MAX_PASSWORD_BYTES`."""
    return any(part.lower() in word_list("measures") for part in compile_pattern(_SPLIT).findall(name))
