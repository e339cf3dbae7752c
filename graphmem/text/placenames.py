"""Extracts code places from a text: files by path or name, modules, and symbols in backticks or with the shape of an
identifier. Does not check whether they exist."""

from __future__ import annotations

import re

MAX_NAMES = 60  # names of one text
_MAX_CHARS = 20_000  # characters that are read
_LONGEST_NAME = 120
_ENDLESS = re.compile(r"[\w.@+:$#\\/-]{400,}", re.ASCII)  # no name: data, where searching names takes quadratic time
_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|java|kt|kts|swift|scala|rb|php|c|h|cc|cpp|cxx|hpp|cs|lua|sh|bash|sql"
    "|html|css|scss|less|json|ya?ml|toml|ini|cfg|conf|env|xml|md|rst|txt|proto|tf|gradle|ex|exs|erl|hs|clj|dart|zig|jl|r"
)
_FILE = re.compile(
    rf"(?<![\w@:])(?:[A-Za-z]:)?(?:[\w.@+-]*[\\/])*[\w.@+-]*\w\.(?:{_EXTENSIONS})(?![\w-])(?!\.\w)|(?<![\w@:/.])(?:[\w.@-]+/)+"
    r"(?:Dockerfile|Makefile|Procfile)\b"
    r"|\b(?:Dockerfile|Makefile)\b",
    re.ASCII,  # a Korean particle follows a name without a blank
)
_CODE = re.compile(r"(?<!`)`([^`\n]{2,120})`(?!`)")
_NAME = re.compile(r"(?<![\w.$-])[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?![\w$])(\()?", re.ASCII)
_SHAPED = re.compile(r"[a-z0-9]_[a-z0-9]|[A-Z0-9]_[A-Z0-9]|[a-z0-9][A-Z]|[A-Z][A-Z0-9]+[a-z]{2}|\w_\d", re.ASCII)
_DOTTED = re.compile(r"^[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+$")
_DEFINED = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|async|final|abstract|pub|override|inline)[ \t]+)*"
    r"(?:def|class|function\*?|func(?:[ \t]*\([^)\n]*\))?|fn|interface|struct|enum|trait|type|const|let|var|module|object|record)"
    r"[ \t]+([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
# A method of Java, C# or TypeScript: modifiers and a type, or no semicolon before the brace.
_MODIFIERS = (
    "(?:public|private|protected|internal|static|async|final|abstract|override|virtual|synchronized|native|readonly"
    "|get|set)"
)
_METHOD = re.compile(
    rf"^[ \t]*(?:{_MODIFIERS}[ \t]+)+(?:<[^>\n]*>[ \t]*)?(?:[\w.]+(?:<[^()\n]*>)?(?:\[\])*[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*\("
    r"|^[ \t]+([A-Za-z_$][\w$]*)\([^()\n;]*\)[^\n;()]*\{[ \t]*$",
    re.MULTILINE,
)
_CLASS = re.compile(
    r"^[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|struct|trait|object|record|enum)[ \t]+([A-Za-z_$][\w$]*)", re.MULTILINE
)
_FUNCTION = re.compile(
    rf"^[ \t]*(?:[a-z]+[ \t]+)*(?:def|function\*?|func(?:[ \t]*\([^)\n]*\))?|fn|fun)[ \t]+([A-Za-z_$][\w$]*)|{_METHOD.pattern}",
    re.MULTILINE,
)
_STATEMENTS = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "function", "with", "synchronized", "using", "lock"}
)
_ASSIGNED = re.compile(r"^([A-Z][A-Z0-9_]{2,})[ \t]*(?::[^=\n]+)?=", re.MULTILINE)
_PLAIN = frozenset({"e.g", "i.e", "github.com", "node.js", "vue.js", "next.js", "readme.md"})


def named_files(text: str) -> list[str]:
    """Return the paths and file names in `text`, with `/`, in order."""
    found = (match[0].replace("\\", "/").removeprefix("./").rstrip("/.") for match in _FILE.finditer(_read_part(text)))
    return [name for name in dict.fromkeys(found) if 2 < len(name) <= _LONGEST_NAME and name.lower() not in _PLAIN]


def _read_part(text: str) -> str:
    return _ENDLESS.sub(" ", text[:_MAX_CHARS])


def named_symbols(text: str) -> list[str]:
    """Return the names of symbols and modules in `text`: those called, in code marks, dotted or of the shape of an
    identifier (`snake_case`, `camelCase`)."""
    text = _FILE.sub(" ", _read_part(text))
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = match[0].rstrip("(")
        if match[1] or _SHAPED.search(name) or (_DOTTED.match(name) and _is_dotted(name)):
            found.setdefault(name)
    for match in _CODE.finditer(text):
        if " " not in match[1].strip():  # else a command or a piece of code
            found |= dict.fromkeys(inner[0].rstrip("(") for inner in _NAME.finditer(match[1]))
    return [name for name in found if 2 < len(name) <= _LONGEST_NAME and name.lower() not in _PLAIN]


def defined_symbols(code: str) -> list[str]:
    """Return the names that lines of `code` define: functions, classes and constants, then methods, each in order.

    >>> defined_symbols("  public final void save(")
    ['save']
    """
    read = code[:_MAX_CHARS]
    methods = [one or other for one, other in _METHOD.findall(read)]
    found = dict.fromkeys([*_DEFINED.findall(read), *_ASSIGNED.findall(read), *methods])
    return [name for name in found if name not in _STATEMENTS]


def enclosing_symbols(code: str, at: int) -> list[str]:
    """Return the names of the last class and of the last function or method that `code` defines up to the line of an offset.

    >>> enclosing_symbols("class Cart:\\n    def add(self, item):\\n        self.items.append(item)\\n", 40)
    ['Cart', 'add']
    """
    end = code.find("\n", at + 1)
    before = code[max(0, at - _MAX_CHARS) : end if end >= 0 else len(code)]
    classes = _CLASS.findall(before)[-1:]
    functions = [
        name
        for name in (match[1] or match[2] or match[3] for match in _FUNCTION.finditer(before))
        if name not in _STATEMENTS
    ]
    return list(dict.fromkeys([*classes, *functions[-1:]]))


def place_keys(text: str) -> list[str]:
    """Return the keys under which the places that `text` names are kept."""
    files = named_files(text)
    keys = [key for name in files for key in file_keys(name)]
    keys += [key for name in named_symbols(text) for key in symbol_keys(name)]
    return list(dict.fromkeys(keys))[:MAX_NAMES]


def file_keys(path: str) -> list[str]:
    """Return the keys of a file: its path, the path without its first folders, its name."""
    parts = [part for part in path.lower().replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return ["/".join(parts[-size:]) for size in range(min(4, len(parts)), 0, -1)]


def module_keys(path: str) -> list[str]:
    """Return the keys of the module that a file is, as `package.module`."""
    stem = path.rpartition(".")[0].replace("\\", "/").removesuffix("/__init__").removesuffix("/index")
    parts = [part for part in stem.lower().split("/") if part not in ("", ".", "src", "lib")]
    return [".".join(parts[-size:]) for size in range(min(3, len(parts)), 1, -1)]


def symbol_keys(name: str) -> list[str]:
    """Return the keys of a symbol: the qualified name, that with its owner alone, and its own."""
    parts = [part for part in re.split(r"\.|::|#", name.lower()) if part]
    return list(dict.fromkeys(".".join(parts[-size:]) for size in (len(parts), 2, 1) if 0 < size <= len(parts)))


def is_file_key(key: str) -> bool:
    """Return whether a key is that of a file."""
    return "/" in key or bool(_FILE.fullmatch(key))


def _is_dotted(name: str) -> bool:
    """Return whether a name with dots is one of code: not the end of one sentence and the start of the next
    ("now.Then")."""
    parts = re.split(r"\.|::|#", name)
    return all(len(part) > 1 for part in parts) and not (len(parts) == 2 and parts[1][:1].isupper() and "." in name)
