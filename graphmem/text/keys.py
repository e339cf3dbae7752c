"""Canonical names: keys of titles, slugs, keys of tasks, conditions and artifacts, and short citation ids. Pure
functions: the caller resolves collisions of citation ids by passing a higher `salt`."""

from __future__ import annotations

import hashlib
import posixpath
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

KEY_LIMIT = 200
_KEPT_AFTER_CUT = 191  # + "_" + 8 hex digits = KEY_LIMIT
_SYMBOLS = "+#._-"
# A token loses its leading and trailing punctuation, but C++ and C# keep their tail and _private keeps its underscore.
_TOKEN_EDGES = re.compile(r"\A[+#.-]*(.*?)([+#]*)[+#.-]*\Z", re.DOTALL)

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = (BASE62 * 5)[:256].encode()  # the digit of each byte
_BIASED = bytes(range(256 - 256 % 62, 256))  # these would favour low digits


class ArtifactReference(NamedTuple):
    """A link, tracker key or issue number at `text[start:end]`; `kind` is "url", "jira" or "gh_issue"."""

    start: int
    end: int
    kind: str
    key: str


def canonical_key(title: str, project: str | None = None) -> str:
    """Return the key that all spellings of a title share.

    The title is normalised (NFKC) and lowercased. Letters, digits, combining marks, spaces, and `+ # . _ -` inside tokens
    remain; spaces collapse. `project::` is prepended. A key over 200 characters is cut to 191, plus `_` and 8 hex digits
    of its md5. Idempotent without a project. A title without any letter or digit has the key "".

    >>> canonical_key("  Fix the  C++ build (v1.2)! ")
    'fix the c++ build v1.2'
    """
    key, previous = _fold(title), None
    while key != previous:  # removing a character can bring a letter and a combining mark together
        key, previous = _fold(key), key
    return limit_key(key if project is None else f"{project}::{key}")


def _fold(text: str) -> str:
    if text.isascii():
        kept = text.lower().translate(_ASCII)
    else:
        kept = "".join(filter(_stays, unicodedata.normalize("NFKC", text).lower()))
    return " ".join(filter(None, map(_trim_token, kept.split())))


def _stays(character: str) -> bool:
    return character in _SYMBOLS or character.isspace() or unicodedata.category(character)[0] in "LNM"


_ASCII = {code: None for code in range(128) if not _stays(chr(code))}


def _trim_token(token: str) -> str:
    match = _TOKEN_EDGES.match(token)
    body, tail = match.groups() if match else (token, "")
    return body + tail if body.strip("_") else ""


def limit_key(key: str) -> str:
    """Return `key`, cut to 200 characters so that different long keys stay different."""
    if len(key) <= KEY_LIMIT:
        return key
    digest = hashlib.md5(key.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"{key[:_KEPT_AFTER_CUT]}_{digest[:8]}"


def slug(title: str) -> str:
    """Return the canonical key with `-` for spaces; a title without letters or digits gets the start of its hash."""
    return canonical_key(title).replace(" ", "-") or f"untitled-{_sha1(title)[:8]}"


def escape_project(project: str) -> str:
    """Return `project` without `:`, so that it can be part of a key; reversible by percent-decoding."""
    return project.replace("%", "%25").replace(":", "%3A")


def task_key(project: str, title: str) -> str:
    """Return `task:{project}:{slug}`, at most 200 characters."""
    return limit_key(f"task:{escape_project(project)}:{slug(title)}")


def condition_key(project: str, title: str) -> str:
    """Return `cond:{project}:{slug}`, at most 200 characters."""
    return limit_key(f"cond:{escape_project(project)}:{slug(title)}")


# --- artifacts -------------------------------------------------------------------------------------------------------

_URL = re.compile(r"\b(?:https?|ftp|file|ssh|git)://[^\s<>\"'`]+", re.IGNORECASE)
_URL_TAIL = ".,;:!?*_~'\""
_KOREAN_PARTICLE = re.compile(r"(?<=[!-~])(?:을|를|은|는|이|가|와|과|도|의|에|에서|에는|로|으로|부터|까지|입니다)\Z")
_JIRA = re.compile(r"(?<![A-Za-z0-9_./#-])([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,6})(?![A-Za-z0-9_-])(?!\.\d)")
_NUMBERED = re.compile(r"(?<![\w./#-])([A-Z][A-Z0-9]{1,9})-(\d{3,}|\d+(?:-\d+)+)(?![\w-])(?!\.\d)")
_GITHUB_ISSUE = re.compile(
    r"(?<![A-Za-z0-9_./:-])([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]{1,100})#([1-9][0-9]{0,8})(?![A-Za-z0-9_])"
)
_GITHUB_PATH = re.compile(r"\A/([^/]+)/([^/]+)/(?:issues|pull)/([1-9][0-9]*)(?:/|\Z)")
# Standards, hashes, encodings and model names have the shape of a tracker key but are none.
_STANDARDS = """
    AES ARM ASCII BASE CHACHA CL COVID CP CRC CSS CVE CWE CUDA DES DSA EC ECMA ES FIPS FP GB GHSA GPT HMAC HTML HTTP
    HTTPS IEC IEEE INT IP IPV ISO JDK KB KSX LATIN LLAMA MD MP MPEG NET NIST OAUTH PEP PKCS PS PY RC RFC RIPEMD ROT
    RSA SAE SHA SHA1 SHA2 SHA3 SHAKE SMB SSE SSL TCP TLS UCS UDP UINT USB UTC UTF UTF8 UUID WEB WIN WINDOWS X XXH
    GMT IA MIT BSD GPL LGPL AGPL APACHE CC
"""
_ADVISORIES = frozenset({"CVE", "CWE"})
_NOT_A_TRACKER = frozenset(_STANDARDS.split())
_TRACKING = re.compile(r"\A(?:utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|igshid)\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21, "ssh": 22, "git": 9418}


def artifact_key(reference: str) -> str:
    """Return the key of something outside the store: `art:gh_issue:{owner/repo}:{n}` for an issue or pull request
    (also by its address), `art:jira:{KEY}`, `art:url:{sha1}` of the normalised address, else `art:generic:{sha1}` of
    the text.

    >>> artifact_key("Acme/web#7") == artifact_key("https://github.com/acme/web/issues/7#issuecomment-1")
    True
    """
    text = reference.strip()
    found = next(iter(find_artifacts(text)), None)
    if found and (found.start, found.end) == (0, len(text)):
        return found.key
    return f"art:generic:{_sha1(canonical_key(text) or text)}"


def find_artifacts(text: str) -> list[ArtifactReference]:
    """Return all links, tracker keys and `owner/repo#n` within a sentence, in order, never overlapping.

    UTF-8, SHA-256, GPT-4 and their like are not tracker keys.
    """
    found: list[ArtifactReference] = []
    for candidate in sorted(_candidates(text), key=lambda a: (a.start, -a.end)):
        if not found or candidate.start >= found[-1].end:
            found.append(candidate)
    return found


def identifiers(text: str) -> list[str]:
    """Return names that somebody gave out by number, in capitals and with at least three digits (`CVE-2024-3094`, `OPS-512`);
    standards, encodings and the like are none."""
    return [
        m.group() for m in _NUMBERED.finditer(text) if m.group(1) in _ADVISORIES or m.group(1) not in _NOT_A_TRACKER
    ]


def _candidates(text: str) -> Iterator[ArtifactReference]:
    for m in _URL.finditer(text):
        url = _trim_url(m.group())
        issue = _issue_of_url(url)
        key = issue or f"art:url:{_sha1(normalize_url(url))}"
        yield ArtifactReference(m.start(), m.start() + len(url), "gh_issue" if issue else "url", key)
    for m in _GITHUB_ISSUE.finditer(text):
        yield ArtifactReference(m.start(), m.end(), "gh_issue", _issue_key(*m.groups()))
    for m in _JIRA.finditer(text):
        if m.group(1) not in _NOT_A_TRACKER:
            yield ArtifactReference(m.start(), m.end(), "jira", f"art:jira:{m.group()}")


def _trim_url(url: str) -> str:
    """Without the punctuation and particles of the sentence around it; a closing bracket opened inside stays."""
    url = _KOREAN_PARTICLE.sub("", url.rstrip(_URL_TAIL))
    while url:
        last = url[-1]
        opener = {")": "(", "]": "[", "}": "{"}.get(last)
        if last in _URL_TAIL or (opener and url.count(opener) < url.count(last)):
            url = url[:-1]
        else:
            break
    return url


def _issue_of_url(url: str) -> str | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if (parts.hostname or "").removeprefix("www.") != "github.com":
        return None
    match = _GITHUB_PATH.match(parts.path)
    return _issue_key(*match.groups()) if match else None


def _issue_key(owner: str, repo: str, number: str) -> str:
    return limit_key(f"art:gh_issue:{owner.lower()}/{repo.lower()}:{number}")  # the host ignores case


def normalize_url(url: str) -> str:
    """Return one spelling for one address: scheme and host in lower case, no credentials, default port, fragment, tracking
    parameters, dot segments or trailing slash; parameters sorted; only what must be is percent-encoded. Text that is
    no address comes back trimmed."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
    except ValueError:  # a bad port or bracket, or a host that no name service could hold
        return url
    if not parts.scheme or not (host or parts.path):
        return url
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        netloc += f":{port}"
    path = quote(unquote(parts.path, errors="surrogateescape"), safe="/~!$&'()*+,;=:@-._", errors="surrogateescape")
    path = posixpath.normpath("/" + path.lstrip("/")) if path.strip("/") else ""
    path = "" if path == "/" else path  # what dots left of it
    pairs = sorted(p for p in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(p[0]))
    return urlunsplit((parts.scheme, netloc, path, urlencode(pairs, errors="replace"), ""))


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


# --- citations -------------------------------------------------------------------------------------------------------


def citation_id(event_id: str, salt: int = 0, length: int = 6) -> str:
    """Return the short id of an event: `length` base62 characters, derived without bias from sha256(event_id).

    On a collision, call again with `salt` 1, 2, ... up to 10, then with a greater `length` (7, 8).
    """
    seed = event_id if salt == 0 else f"{event_id}\x00{salt}"
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    digits = digest.translate(_DIGITS, _BIASED)
    while len(digits) < length:
        digest = hashlib.sha256(digest).digest()
        digits += digest.translate(_DIGITS, _BIASED)
    return digits[:length].decode()


def plain_citation(name: str) -> str:
    """Return a citation as it is printed, `[mem:XXXXXX]`, or copied without its brackets, as the store knows it."""
    return bare.removeprefix("mem:") if (bare := name.strip().strip("[]")).startswith("mem:") else name
