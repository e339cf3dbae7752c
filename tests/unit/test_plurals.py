"""Numbers in the program's texts: a noun behind one is in the singular where it is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "graphmem"
_NOUN = re.compile(r" (?!(?:more )?(?:in|on|of|to|as|by|from|no|written|go)\b)(?:[a-z]+ ){0,2}?([a-z]{2,}s)\b")
_VERBS = set(
    "is was has does this its as less across plus always yes us process class status access alias address basis means says holds"
    " needs reads takes gives exists contains belongs refuses sets links differs lies lists shares waits goes keeps remembers"
    " recreates shows counts ends imports names brings mentions continues hands looks".split()
)
_ELSEWHERE = (
    "bench/",
    "interfaces/web/",
    "interfaces/languages.py",
)  # figures of many; texts with a table of singulars
_ALWAYS_SEVERAL = {  # what is counted, and why it is never one
    "few": "a limit", "most": "a limit", "limit": "a limit", "self._most": "a limit", "item.amount": "a limit", "again": "seconds of a wait",
    "days": "a limit", "report.copied": "bytes of a file", "end - start": "bytes of a patch", "report.compared": "nodes and relations",
    "turns": "at least three", "sessions": "at least two", "procedure.of": "at least two", "kind": "a name", "other": "a name",
    "whole - len(head) - len(tail)": "thousands", "value.bit_length() * 3 // 10": "thousands", "len(fresh)": "at least ten",
    "done.merged": "several into one", "len(sums.pages)": "pages of a database", "path": "a name",
    "place_of(symbol)": "a name", "found.symbol.name": "a name",
}  # fmt: skip


def _texts(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """The line of each value in a formatted string with a plural behind it, the value and the plural."""
    for node in ast.walk(tree):
        for value, text in zip(node.values, node.values[1:], strict=False) if isinstance(node, ast.JoinedStr) else ():
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                found = _NOUN.match(str(text.value))
                if found and found[1] not in _VERBS:
                    yield node.lineno, ast.unparse(value.value), found[1]


def test_a_number_that_may_be_one_is_counted() -> None:
    """Write `counted(number, noun)`; a value that is a name, or never one, is listed above."""
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        for line, value, plural in () if name.startswith(_ELSEWHERE) else _texts(ast.parse(file.read_text("utf-8"))):
            is_constant = value.strip("_").isupper() or value.startswith("'")  # such as 's' * (number != 1)
            if not is_constant and "counted(" not in value and value not in _ALWAYS_SEVERAL:
                wrong.append(f"{name}:{line}: {{{value}}} … {plural}")
    assert not wrong, "\n".join(wrong)
