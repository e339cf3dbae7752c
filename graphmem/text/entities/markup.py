"""Reads the markup of developer text: fenced blocks, `inline code`, shell prompts, commands in prose, and stack frames.
Commands are kept together with the entities inside them ("pip install numpy" also names numpy)."""

from __future__ import annotations

import re
from functools import cache

from graphmem.text.entities.neighbours import IDENTIFIERS, KIND_NOUNS
from graphmem.text.entities.page import Found, Page
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


def code_blocks(page: Page) -> None:
    """Mark the words of fenced blocks as quiet."""
    if "```" in page.text or "~~~" in page.text:
        for fence in FENCE.finditer(page.text):
            page.quiet.update(page.between(fence.start(2), fence.end(2)))


def prompts(page: Page) -> None:
    """Claim lines with a shell prompt and a known program."""
    if not any(sign in page.text for sign in "$%❯>"):
        return
    for line in PROMPT.finditer(page.text):
        words = page.between(line.start(1), line.end(1))
        if words and _program(page, words[0]):
            page.around.append(Found(words[0], words[-1] + 1, "command"))


def inline_code(page: Page) -> None:
    """Claim text in backticks: a command, or one identifier of any kind."""
    if "`" not in page.text:
        return
    for code in INLINE.finditer(page.text):
        words = page.between(code.start(1), code.end(1))
        if not words or words[0] in page.quiet:
            continue
        first, end = words[0], words[-1] + 1
        if len(words) == 1:
            _single(page, first)
        elif _program(page, first) and " " in code[1].strip():
            page.around.append(Found(first, end, "command"))


def _single(page: Page, i: int) -> None:
    """One word of code: a plain word is a variable, unless a list or a neighbour knows it."""
    word, shape = page.words.texts[i], page.shape(i)
    told = KIND_NOUNS.get(page.low(i + 2)) or KIND_NOUNS.get(page.low(i - 2))
    if told and shape in PLAIN_WORDS | IDENTIFIERS:
        page.claim(i, i + 1, told)
        return
    if shape == "mark" or (i in page.claimed and not page.claimed[i].generic):
        return
    if shape in PLAIN_WORDS:
        page.claim(i, i + 1, "class" if shape == "title" else "variable")
    elif shape in ("camel", "snake"):
        page.claim(i, i + 1, identifier_type(word))
    elif shape == "dotted":
        page.claim(i, i + 1, dotted_type(word))
    elif shape == "annotation":
        page.claim(i, i + 1, "function")


def commands(page: Page) -> None:
    """Claim a program with its subcommand in prose ("run git rebase --continue"), and what it installs."""
    taken = {i for found in page.around for i in range(found.first, found.end)}
    for i, low in enumerate(page.words.lows):
        second = subcommands().get(low)
        if second is None or page.low(i + 1) not in second or page.touches(i):
            continue
        end = _arguments(page, i + 2, low in INSTALLERS and page.low(i + 1) in INSTALLS)
        if i not in taken and (end > i + 2 or not page.opens_sentence(i)) and _plausible(page, i):
            page.around.append(Found(i, end, "command"))


def _plausible(page: Page, i: int) -> bool:
    """Return whether a word may be a command: "make test" and "go get" are ordinary English unless something says otherwise."""
    return page.low(i) not in ("go", "just", "make") or page.low(i - 1) in ("run", "running", "ran", "with", "`", "via")


def _arguments(page: Page, i: int, installs: bool) -> int:
    """Return the end of the arguments from word `i` on; what is installed is claimed as a library."""
    while i < page.size and "\n" not in page.text[page.words.ends[i - 1] : page.words.starts[i]]:
        shape = page.shape(i)
        if installs and shape in ("", "title", "class", "mixed", "hyphen", "snake", "scoped", "dotted", "variable"):
            page.claim(i, i + 1, "library")
            installs = False
        elif shape not in ARGUMENTS:
            break
        i += 1
    return i


def stack_frames(page: Page) -> None:
    """Claim the function of a Python frame ("line 12, in handler") or a JavaScript one ("at handler (")."""
    for i, low in enumerate(page.words.lows):
        if (low == "in" and page.low(i - 1) == "," and page.shape(i - 2) == "number" and page.low(i - 3) == "line") or (
            low == "at" and page.low(i + 2) == "(" and page.shape(i + 3) == "file"
        ):
            name = i + 1
        else:
            continue
        if name < page.size and page.shape(name) not in ("mark", "korean"):
            page.claim(name, name + 1, "function")


def _program(page: Page, i: int) -> bool:
    low = page.low(i)
    return low in programs() or (page.shape(i) == "file" and low.endswith((".sh", ".py")) and not page.touches(i))


@cache
def programs() -> frozenset[str]:
    """Return names of command-line programs, in lower case."""
    return frozenset(name.lower() for name in words_of("commands")) | frozenset(subcommands())


@cache
def subcommands() -> dict[str, frozenset[str]]:
    """Return program -> its subcommands."""
    return {listed.name: frozenset(listed.aliases) for listed in read("subcommands")}
