"""Reads the markup of developer text: fenced blocks, `inline code`, shell prompts, commands in prose, and stack frames.
Commands are kept together with the entities inside them ("pip install numpy" also names numpy)."""

from __future__ import annotations

import re
from functools import cache

from graphmem.text.entities.entity_scan import EntityScan, EntityWords
from graphmem.text.entities.neighbours import IDENTIFIERS, KIND_NOUNS
from graphmem.text.entities.shapes import dotted_type, identifier_type
from graphmem.text.entities.wordlists import read, word_set, words_of

FENCE = re.compile(r"^[ \t]*(```++|~~~++)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
PROMPT = re.compile(r"^[ \t]*(?:[\w.@~:/-]{0,40}[$%❯]|>)[ \t]+(\S[^\n]{0,300})$", re.MULTILINE)
INSTALLERS = frozenset(
    (
        "pip",
        "pip3",
        "npm",
        "yarn",
        "pnpm",
        "cargo",
        "gem",
        "brew",
        "apt",
        "apt-get",
        "conda",
        "uv",
        "poetry",
        "composer",
    )
)
INSTALLS = frozenset(("install", "add", "require", "i"))
PLAIN_WORDS = frozenset(("", "letter", "title", "hyphen", "upper", "mixed", "korean"))
ARGUMENTS = word_set("flag file number version scoped hyphen snake dotted website issue commit")


def code_blocks(scan: EntityScan) -> None:
    """Mark the words of fenced blocks as quiet."""
    if "```" in scan.text or "~~~" in scan.text:
        for fence in FENCE.finditer(scan.text):
            scan.quiet.update(scan.between(fence.start(2), fence.end(2)))


def prompts(scan: EntityScan) -> None:
    """Claim lines with a shell prompt and a known program."""
    if not any(sign in scan.text for sign in "$%❯>"):
        return
    for line in PROMPT.finditer(scan.text):
        words = scan.between(line.start(1), line.end(1))
        if words and _program(scan, words[0]):
            scan.around.append(EntityWords(words[0], words[-1] + 1, "command"))


def inline_code(scan: EntityScan) -> None:
    """Claim text in backticks: a command, or one identifier of any kind."""
    if "`" not in scan.text:
        return
    for code in INLINE.finditer(scan.text):
        words = scan.between(code.start(1), code.end(1))
        if not words or words[0] in scan.quiet:
            continue
        first, end = words[0], words[-1] + 1
        if len(words) == 1:
            _single(scan, first)
        elif _program(scan, first) and " " in code[1].strip():
            scan.around.append(EntityWords(first, end, "command"))


def _single(scan: EntityScan, i: int) -> None:
    """One word of code: a plain word is a variable, unless a list or a neighbour knows it."""
    word, shape = scan.words.texts[i], scan.shape(i)
    told = KIND_NOUNS.get(scan.low(i + 2)) or KIND_NOUNS.get(scan.low(i - 2))
    if told and shape in PLAIN_WORDS | IDENTIFIERS:
        scan.claim(i, i + 1, told)
        return
    if shape == "mark" or (i in scan.claimed and not scan.claimed[i].generic):
        return
    if shape in PLAIN_WORDS:
        scan.claim(i, i + 1, "class" if shape == "title" else "variable")
    elif shape in ("camel", "snake"):
        scan.claim(i, i + 1, identifier_type(word))
    elif shape == "dotted":
        scan.claim(i, i + 1, dotted_type(word))
    elif shape == "annotation":
        scan.claim(i, i + 1, "function")


def commands(scan: EntityScan) -> None:
    """Claim a program with its subcommand in prose ("run git rebase --continue"), and what it installs."""
    taken = {i for found in scan.around for i in range(found.first, found.end)}
    for i, low in enumerate(scan.words.lows):
        second = subcommands().get(low)
        if second is None or scan.low(i + 1) not in second or scan.touches(i):
            continue
        end = _arguments(scan, i + 2, low in INSTALLERS and scan.low(i + 1) in INSTALLS)
        if i not in taken and (end > i + 2 or not scan.opens_sentence(i)) and _plausible(scan, i):
            scan.around.append(EntityWords(i, end, "command"))


def _plausible(scan: EntityScan, i: int) -> bool:
    """Return whether a word may be a command: "make test" and "go get" are ordinary English unless something says otherwise."""
    return scan.low(i) not in ("go", "just", "make") or scan.low(i - 1) in ("run", "running", "ran", "with", "`", "via")


def _arguments(scan: EntityScan, i: int, installs: bool) -> int:
    """Return the end of the arguments from word `i` on; what is installed is claimed as a library."""
    while i < scan.size and "\n" not in scan.text[scan.words.ends[i - 1] : scan.words.starts[i]]:
        shape = scan.shape(i)
        if installs and shape in ("", "title", "class", "mixed", "hyphen", "snake", "scoped", "dotted", "variable"):
            scan.claim(i, i + 1, "library")
            installs = False
        elif shape not in ARGUMENTS:
            break
        i += 1
    return i


def stack_frames(scan: EntityScan) -> None:
    """Claim the function of a Python frame ("line 12, in handler") or a JavaScript one ("at handler (")."""
    for i, low in enumerate(scan.words.lows):
        if (low == "in" and scan.low(i - 1) == "," and scan.shape(i - 2) == "number" and scan.low(i - 3) == "line") or (
            low == "at" and scan.low(i + 2) == "(" and scan.shape(i + 3) == "file"
        ):
            name = i + 1
        else:
            continue
        if name < scan.size and scan.shape(name) not in ("mark", "korean"):
            scan.claim(name, name + 1, "function")


def _program(scan: EntityScan, i: int) -> bool:
    low = scan.low(i)
    return low in programs() or (scan.shape(i) == "file" and low.endswith((".sh", ".py")) and not scan.touches(i))


@cache
def programs() -> frozenset[str]:
    """Return names of command-line programs, in lower case."""
    return frozenset(name.lower() for name in words_of("commands")) | frozenset(subcommands())


@cache
def subcommands() -> dict[str, frozenset[str]]:
    """Return program -> its subcommands."""
    return {listed.name: frozenset(listed.aliases) for listed in read("subcommands")}
