"""Knows the commands whose whole output is one secret (`printing.txt`), and finds what they print: the next line, or all lines of
a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from graphmem.model.text import Span
from graphmem.privacy import judge
from graphmem.privacy.patterns import compile_pattern, find_words

_SHOWING = ("cat", "less", "more", "head", "tail", "bat", "base64")  # of a file, whose name tells what it holds
_FILE = (
    r"[ ](?:-[\w]+[ ])*(?:[\w./~$-]{0,80}(?:master\.key|credentials\.key|\.key|\.pem|\.secret|[_.-]token|/token|/secrets?/[\w.-]+|"
    r"passw(?:or)?d|\.pass|/id_\w+|\.p8|\.ppk|\.asc|secret_key\w*|apikey|api_key))"
)
_REST = r"[^\n]{0,200}\n"
_OUTPUT = r"[ \t]{0,8}(?P<value>[!-~]{8,400})[ \t]*(?:\r?\n|\Z)"
_SHOWN = 40  # lines of one key
_LINE = r"[A-Za-z0-9+/=_:.-]{16,4096}"


@cache
def _commands() -> dict[str, str]:
    """Return the beginnings of the commands, each with the pattern of the whole line."""
    found: dict[str, list[str]] = {}
    for row in Path(__file__).with_name("printing.txt").read_text(encoding="utf-8").splitlines():
        if not row.startswith("#"):
            command, *wanted = row.split(" … ")
            looks = (rf"(?=[^\n]{{0,200}}?(?:{'|'.join(map(re.escape, words.split('|')))}))" for words in wanted)
            found.setdefault(f"{command} ", []).append("".join(looks))
    patterns = {command: rf"(?i:{command}(?:{'|'.join(rest)})){_REST}" for command, rest in found.items()}
    bare = {command.rstrip() + "\n": rf"(?i:{command.rstrip()})\n" for command, rest in found.items() if "" in rest}
    return patterns | bare | {f"{name} ": rf"(?i:{name}){_FILE}{_REST}" for name in _SHOWING}


@cache
def command_prefixes() -> tuple[str, ...]:
    """Return how these commands begin, in lower case: a cheap first look."""
    return tuple(_commands())


def find_printed(text: str, at: int, call: str) -> Iterator[Span]:
    """Yield what the command at a place, which begins with `call`, prints if that is one secret."""
    command = compile_pattern(_commands()[call]).match(text, at)
    if command is None or not _begins_command(text, at):
        return
    line = compile_pattern(_OUTPUT).match(text, command.end())
    if line is None or not _is_printed_secret(line["value"]):
        return
    end = line.end("value")
    for _ in range(_SHOWN):
        more = compile_pattern(rf"\s{{0,4}}({_LINE})[ \t]*(?=\r?\n|\Z)").match(text, end)
        if more is None or not judge.looks_random(more[1]):
            break
        end = more.end(1)
    yield Span(line.start("value"), end, "secret")


def hide_printed(command: str, output: str) -> tuple[str, int]:
    """Return the output of a command without the secret that the command is known to print, and how many there were."""
    typed = command.strip().replace("\n", "; ")
    text = f"{typed}\n{output}"
    for at, call in find_words(text[: len(typed) + 1].lower(), command_prefixes()):
        for span in find_printed(text, at, call):
            start, end = span.start - len(typed) - 1, span.end - len(typed) - 1
            return f"{output[:start]}[REDACTED:{span.kind}]{output[end:]}", 1
    return output, 0


def _begins_command(text: str, at: int) -> bool:
    line = text[max(text.rfind("\n", max(0, at - 120), at) + 1, at - 120) : at].strip()
    return not line or line[-1] in "$#>%❯(;&|`+" or line.endswith(("sudo", "run"))


def _is_printed_secret(value: str) -> bool:
    """Return whether what such a command printed may be the secret, and no message."""
    return (
        " " not in value
        and not judge.is_placeholder(value)
        and (judge.is_token(value) or judge.looks_chosen(value) or judge.looks_random(value))
    )
