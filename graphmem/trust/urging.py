"""Detects text that asks the reader to run a dangerous command, in any language: a command that deletes, runs
downloaded code or sends secrets away, with words around it. Needs no vocabulary, so hooks use it as the last check
before they inject a text. Commands that were really run, and lines of code and logs, are not requests."""

from __future__ import annotations

import re

from graphmem.trust.requests import without_requests

_SHELL = r"(?:sudo\s+)?(?:/\w+/)*(?:env\s+)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|php)\b"
_KEPT = r"(?:\.env\b|\.ssh\b|id_(?:rsa|ed25519)|\.aws\b|\.netrc|\.npmrc|\.git-credentials|credentials|/etc/(?:passwd|shadow))"
_NET = r"(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|https?|xh)"
_MADE = (
    "build|dist|target|out|output|tmp|temp|coverage|htmlcov|node_modules|venv|env|site|_site|__pycache__|obj|bin|logs?"
)
_DANGEROUS = re.compile(
    rf"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest)\b[^\n|]{{0,300}}\|\s*(?:{_SHELL}|iex\b)"
    rf"|{_SHELL}\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b|\beval\s+[\"']?(?:\$\(|`)\s*(?:curl|wget|base64)\b"
    rf"|\bbase64\s+(?:-d|-D|--decode)\b[^\n|]{{0,120}}\|\s*{_SHELL}"
    rf"|\brm\s+(?:-[\w-]*\s+)*(?:-\w*[rR]\w*|--recursive)\s+(?:-[\w-]+\s+)*(?!(?:\./|/?\w+/)?(?:\.\w*cache|\.venv|\.tox|\.next|{_MADE})"
    r"(?:/\S*)?(?![\w/.-])|(?:/var)?/tmp/\w|\.\w*cache\b|[\w-]+\.egg-info|\*\.)\S+"
    r"|\bmkfs(?:\.\w+)?\s+/dev|\bdd\s+if=\S+\s+of=/dev/|>\s*/dev/(?:sd|nvme|disk)|\bchmod\s+-R\s+777\s+[/~]"
    r"|:\(\)\s*\{\s*:\|:&\s*\};:|\bremove-item\b[^\n]{0,80}-recurse|\brd\s+/s|\bdel\s+/[sq]\b|\bformat\s+c:"
    r"|\bgit\s+push\b[^\n]{0,60}(?:--force\b(?!-with)|\s-f\b|--mirror|--delete)"
    rf"|\b{_NET}\b[^\n]{{0,200}}(?:-d|--data\S*|-F|--form|-T|--upload-file|--post-\w+|@|<|:)[^\n]{{0,80}}{_KEPT}"
    rf"|\b(?:scp|rsync|sftp)\b[^\n]{{0,80}}{_KEPT}"
    rf"|\b(?:printenv|env|cat\b[^\n|]{{0,120}}{_KEPT}\S*)\s*\|[^\n]{{0,80}}\b{_NET}\b"
    rf"|\b{_NET}\b[^\n]{{0,200}}(?:\$\(|`)\s*(?:printenv|env|cat\b[^\n)]{{0,80}}{_KEPT})",
    re.IGNORECASE,
)
_HINTS = ("rm ", "|", "$(", "`", "<(", "mkfs", "/dev/", "777", "push", "remove-item", "del ", "rd ", "format", ".env",
          ".ssh", "id_", ".aws", "netrc", "npmrc", "credentials", "passwd", "shadow")  # fmt: skip
_PROMPT = re.compile(r"^[\s$#>+%❯➜|*-]*(?:\[[^\]]{0,40}\]\s*)?(?:sudo\s+)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
_TRIGGER = re.compile(r"`[^`\n]{1,400}` failed")  # how a gotcha begins: with the command that was run
_RESOLVED = "\nResolution: "  # how its last line begins: with what was run afterwards


def urges_command(text: str) -> bool:
    """Return whether a text asks for a dangerous command: it contains one, with words before it (on its line or the
    line above), or non-Latin words after it."""
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return False
    for match in _DANGEROUS.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        before = _PROMPT.sub("", text[start : match.start()])
        above = text[:start].rstrip().rpartition("\n")[2].rstrip()
        after = text[match.end() : end if end >= 0 else len(text)]
        if _WORD.search(before) or _FOREIGN.search(after) or (above.endswith((":", "：")) and _WORD.search(above)):
            return True
    return False


def without_advice(text: str) -> str:
    """Return the text of a gotcha without what the failed program advised ("hint: pip install …"): that is not our advice.
    The commands that were really run are kept."""
    body, mark, ran = text.rpartition(_RESOLVED)
    kept = []
    for line in (body if mark else text).split("\n"):
        trigger = _TRIGGER.match(line)
        said = without_requests(line[trigger.end() :] if trigger else line)
        if trigger or said.strip():
            kept.append(f"{trigger[0] if trigger else ''}{said}")
    return "\n".join(kept) + (mark + ran if mark else "")


def without_executed_commands(text: str, kind: str, role: str = "") -> str:
    """Return the text of an item without the commands in it that were really run: in a gotcha the failed command and
    its fix, in a turn of a tool the command whose output it shows."""
    if kind == "gotcha":
        body = text.rpartition(_RESOLVED)[0] or text
        return _TRIGGER.sub("", body, count=1) if _TRIGGER.match(body) else body
    return text.partition("\n")[2] if role == "tool" else text
