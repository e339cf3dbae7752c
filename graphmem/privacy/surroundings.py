"""Rates the context of a value: configuration, commands and queries contain values where code contains variables. Looks
at the line and its neighbourhood; `judge` decides about the value."""

from __future__ import annotations

from graphmem.privacy.judge import Place
from graphmem.privacy.patterns import compile_pattern

LINE_LIMIT = 160  # characters of a line before a name that are looked at
CONTEXT_CHARS = 240  # characters on either side in which code would show
HEAD = r"[\s\-#+]*(?:(?i:export|set|env|arg|setx|local|declare(?: -\w+)?|-e|--env) )?[\"']?"  # up to the name
TAIL = r"[\"'`]?(?:[;&]|[ \t]*(?:#|//|\\|\r?\n|\Z)|[ \t]+[\w.-]+=)"
WORD_END = r"[\"'`]?(?:[\s;&|\\]|\Z)"
CODE = (
    r"\b(?:def|class|return|import|function|const|let|var|val|public|private|static|struct|func|fn|impl|interface|await|elif"
    r"|void|None|lambda|isinstance|typeof|new)\b(?![-=:.])|\b(?:self|this|cls)[.,)]|=>|\);|\{\s*\n|;[ \t]*\n|\)[ \t]*:[ \t]*\n|\(\)"
)
MEMBER = r"(?s).*[\"']\0\\{0,4}[\"']\s*:\s*\\{0,4}[\"']"  # of JSON and its like
HEADERS = ('-H "', "-H '", '--header "', "--header '", '-H"', "-H'")  # of curl and its like
# Files of a patch of which every line gives a value; and those that hold values among other things.
DIFF, DIFF_LIMIT = "diff --git ", 8_000  # characters of a patch before a name in which its file is looked for
ENVIRONMENT = (
    r"(?:.*/)?(?:\.env(?:\.(?!example|sample|template|dist)[\w.-]*)?|[\w.-]*\.env|\.?(?:netrc|npmrc|pypirc|pgpass|envrc)"
    r"|[\w.-]*\.(?:properties|tfvars|htpasswd))"
)
CONFIGURATION = r"(?:.*/)?[\w.-]*\.(?:ya?ml|toml|ini|cfg|conf|config|json|xml|plist)"
NAMELIKE = r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*[,;)]*"  # what code may stand for: a variable, a member of one

FOUND = r"[\w./\\@-]{1,120}\.[A-Za-z]{1,5}[:-]\d{1,6}[:-]|[ \t]*\d{1,6}[:→│|\t]|[>E][ \t]{2}"  # of grep, of a listing, of pytest
MEMBERS = r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$]|[(\[{])"

WITH_DIGIT = r"\w*?[a-zA-Z]\w*?\d\w*+"  # a variable with such a name is rare


def place_of(text: str, name: int, name_end: int, start: int, end: int, *, quoted: bool, signed: bool) -> Place:
    """Return the place of the value `text[start:end]` next to the name that begins at `name`; `signed`: with a sign
    between them."""
    careful = Place.LITERAL if quoted else Place.DOUBTFUL
    if not signed:
        return careful
    line = text[max(0, name - LINE_LIMIT) : name]
    line = line[line.rfind("\n") + 1 :]
    between = text[name_end:start]
    if (kind := _kind_of_file(text, name)) > Place.LITERAL and _gives_values(text, line, between, True, end):
        return kind
    tight = between.rstrip("\"'`").endswith("=") and not between.startswith(" ")
    if not _gives_values(text, line, between, tight, end):
        return careful
    literal = quoted or compile_pattern(NAMELIKE).fullmatch(text, start, end) is None
    if literal and not quoted and (tight or text[name:name_end].isupper()):
        return Place.SURE
    if (
        tight
        and not quoted
        and text[name:name_end].isupper()
        and compile_pattern(WITH_DIGIT).fullmatch(text, start, end)
    ):
        return Place.SURE  # `API_KEY=x9…`: hardly a variable, even between lines of code
    if line.endswith(HEADERS):
        return Place.SURE
    if quoted and tight and text[name:name_end].isupper():
        return Place.SURE
    return careful if is_code(text, name, end) else Place.SURE


def _gives_values(text: str, line: str, between: str, tight: bool, end: int) -> bool:
    """Return whether the line has the form of configuration, JSON, a query or a command, which code may have, too."""
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


def _kind_of_file(text: str, at: int) -> Place:
    """Return how much the file says whose part of a patch this is: `DOUBTFUL` outside of a patch and in code."""
    header = text.rfind(DIFF, max(0, at - DIFF_LIMIT), at)
    if header < 0:
        return Place.DOUBTFUL
    path = text[header : text.find("\n", header, at)].rpartition(" b/")[2]
    if compile_pattern(ENVIRONMENT).fullmatch(path):
        return Place.CERTAIN
    return Place.SURE if compile_pattern(CONFIGURATION).fullmatch(path) else Place.DOUBTFUL


def is_configuration(path: str) -> bool:
    """Return whether a file of this name holds the environment or configuration of programs."""
    name = path.replace("\\", "/")
    return any(compile_pattern(pattern).fullmatch(name) is not None for pattern in (ENVIRONMENT, CONFIGURATION))


def is_code_line(text: str, name: int, start: int, end: int) -> bool:
    """Return whether the line of a name and its value, in the output of a program, is one of source code: of a patch, of a search,
    or between lines of code."""
    line = text[max(text.rfind("\n", max(0, name - LINE_LIMIT), name) + 1, name - LINE_LIMIT) : name]
    if compile_pattern(FOUND).match(line) or text.rfind(DIFF, max(0, name - DIFF_LIMIT), name) >= 0:
        return True
    return is_code(text, name, end) or compile_pattern(MEMBERS).match(text, start) is not None


def is_prompt(text: str, at: int) -> bool:
    """Return whether the line is a command typed at a prompt."""
    return text.startswith(("$ ", "# ", "> ", "% "), text.rfind("\n", max(0, at - LINE_LIMIT), at) + 1)


def is_code(text: str, start: int, end: int) -> bool:
    """Return whether the text around looks like source code. Texts that are looked at together are apart by a null
    character, files of a patch by their headers."""
    first = max(text.rfind(mark, max(0, start - CONTEXT_CHARS), start) for mark in ("\0", DIFF))
    last = min((at for mark in ("\0", DIFF) if (at := text.find(mark, end, end + CONTEXT_CHARS)) >= 0), default=-1)
    first = max(0, start - CONTEXT_CHARS) if first < 0 else first
    return compile_pattern(CODE).search(text, first, end + CONTEXT_CHARS if last < 0 else last) is not None
