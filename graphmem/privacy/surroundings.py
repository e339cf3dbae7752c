"""Tells how much the place of a value says: configuration, commands and queries give values, where code names variables.
Looks at the line and its neighbourhood; whether the value is a secret is for `judge`."""

from __future__ import annotations

from graphmem.privacy.judge import Place
from graphmem.privacy.patterns import compile_pattern

LINE_LIMIT = 160  # characters of a line before a name that are looked at
AROUND = 240  # characters on either side in which code would show
HEAD = r"[\s\-#+]*(?:(?i:export|set|env|arg|setx|local|declare(?: -\w+)?|-e|--env) )?[\"']?"  # up to the name
TAIL = r"[\"'`]?(?:[;&]|[ \t]*(?:#|//|\\|\r?\n|\Z)|[ \t]+[\w.-]+=)"
WORD_END = r"[\"'`]?(?:[\s;&|\\]|\Z)"
CODE = (
    r"\b(?:def|class|return|import|function|const|let|var|val|public|private|static|struct|func|fn|impl|interface|await|elif"
    r"|void|None|lambda|isinstance|typeof|new)\b(?![-=:.])|\b(?:self|this|cls)[.,)]|=>|\);|\{\s*\n|;[ \t]*\n|\)[ \t]*:[ \t]*\n|\(\)"
)
MEMBER = r"(?s).*[\"']\0\\{0,4}[\"']\s*:\s*\\{0,4}[\"']"  # of JSON and its like
HEADERS = ('-H "', "-H '", '--header "', "--header '", '-H"', "-H'")  # of curl and its like
NAMELIKE = r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*[,;)]*"  # what code may stand for: a variable, a member of one


def place_of(text: str, name: int, name_end: int, start: int, end: int, *, quoted: bool, signed: bool) -> Place:
    """The place of the value `text[start:end]` beside the name that begins at `name`; `signed`: with a sign between them."""
    careful = Place.LITERAL if quoted else Place.DOUBTFUL
    if not signed:
        return careful
    line = text[max(0, name - LINE_LIMIT) : name]
    line = line[line.rfind("\n") + 1 :]
    between = text[name_end:start]
    tight = between.rstrip("\"'`").endswith("=") and not between.startswith(" ")
    if not _gives_values(text, line, between, tight, name, end):
        return careful
    literal = quoted or compile_pattern(NAMELIKE).fullmatch(text, start, end) is None
    if literal and not quoted and (tight or text[name:name_end].isupper()):
        return Place.SURE
    if line.endswith(HEADERS):
        return Place.SURE
    if quoted and tight and text[name:name_end].isupper():
        return Place.SURE
    return careful if is_code(text, name, end) else Place.SURE


def _gives_values(text: str, line: str, between: str, tight: bool, name: int, end: int) -> bool:
    """Whether the line has the form of configuration, JSON, a query or a command, which code may have, too."""
    alone = len(line) < LINE_LIMIT and compile_pattern(HEAD).fullmatch(line) is not None
    if alone and compile_pattern(TAIL).match(text, end):
        return True
    if compile_pattern(MEMBER).fullmatch(line[-2:] + "\0" + between):
        return True
    if line.endswith(HEADERS):
        return True
    if not tight:
        return False
    return line.endswith(("?", "&", ";", "=", "-")) or (
        (not line or line[-1] in " \t\"'[(,;") and bool(compile_pattern(WORD_END).match(text, end))
    )


def is_prompt(text: str, at: int) -> bool:
    """Whether the line is a command typed at a prompt."""
    return text.startswith(("$ ", "# ", "> ", "% "), text.rfind("\n", max(0, at - LINE_LIMIT), at) + 1)


def is_code(text: str, start: int, end: int) -> bool:
    """Whether the text around looks like source code; texts that are looked at together are apart by a null character."""
    first = text.rfind("\0", max(0, start - AROUND), start)
    last = text.find("\0", end, end + AROUND)
    first = max(0, start - AROUND) if first < 0 else first
    return compile_pattern(CODE).search(text, first, end + AROUND if last < 0 else last) is not None
