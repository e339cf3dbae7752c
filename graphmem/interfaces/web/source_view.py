"""Shows source code with links: each name that leads to a definition of the project is a link to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.token import STANDARD_TYPES, Token, _TokenType
from pygments.util import ClassNotFound

from graphmem.interfaces.web.view import address
from graphmem.model.table import Table

_DOC = 400  # characters of a documentation that are shown on hover


class Target(NamedTuple):
    """Where a name leads: the definition, and what is shown on hover."""

    symbol: str
    file: str
    signature: str
    doc: str = ""


class Margin(NamedTuple):
    """What is shown beside a line: a link with a short text, and the whole of it on hover."""

    text: str
    href: str
    title: str
    kind: str = ""


def read_targets(table: Table) -> dict[tuple[int, str], Target]:
    """Return the targets of `Code.references` by line and name."""
    return {(line, name): Target(to, file, signature, doc) for line, name, to, file, _, signature, doc in table.rows}


def source_html(
    path: str, text: str, targets: Mapping[tuple[int, str], Target], lit: Collection[int], chosen: str = "",
    notes: Mapping[int, Sequence[Margin]] = MappingProxyType({}), blame: Mapping[int, Margin] | None = None,
) -> str:  # fmt: skip
    """Return source code as HTML with line numbers. Everything from the source is escaped. `lit` lines are highlighted;
    names that lead to `chosen` are marked. `notes` are memories in the margin by line, `blame` the last commits by the first of
    their lines; the name of one stays in view as long as one of its lines does."""
    lines = list(_tokens(path, text))
    numbers = "\n".join(f'<span id="L{number}">{number}</span>' for number in range(1, len(lines) + 1))
    margins = ""
    if blame is not None:
        margins += f'<td class="blame"><pre>{_runs(blame, len(lines))}</pre></td>'
    if notes:
        rows = "\n".join(" ".join(map(_link, notes.get(number, ()))) or " " for number in range(1, len(lines) + 1))
        margins += f'<td class="notes"><pre>{rows}</pre></td>'
    shown = []
    for number, tokens in enumerate(lines, 1):
        line = "".join(_token(kind, part, targets.get((number, part)), chosen) for kind, part in tokens)
        shown.append(f'<span class="line{" hll" if number in lit else ""}">{line or " "}</span>')
    return (
        f'<table role="presentation"><tbody><tr>{margins}<td class="linenos" aria-hidden="true"><pre>{numbers}</pre></td>'
        f'<td class="code"><pre>{"".join(shown)}</pre></td></tr></tbody></table>'
    )


def _runs(blame: Mapping[int, Margin], count: int) -> str:
    """Return a box for each run of lines of one commit, as high as its lines; lines without a commit have an empty one."""
    starts = sorted({1, *(number for number in blame if number <= count)})
    shown = []
    for start, end in zip(starts, [*starts[1:], count + 1], strict=True):
        link = _link(blame[start]) if start in blame and blame[start].text else ""
        shown.append(f'<span class="run" style="--lines:{end - start}">{link}</span>')
    return "".join(shown)


def _link(one: Margin) -> str:
    shown, title, kind = escape(one.text), escape(one.title), escape(one.kind)
    return f'<a class="{kind}" href="{escape(one.href)}" title="{title}" aria-label="{title}">{shown}</a>'


def _tokens(path: str, text: str) -> Iterator[list[tuple[_TokenType, str]]]:
    """Yield the tokens of each line."""
    try:
        lexer = get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False, ensurenl=False)
    line: list[tuple[_TokenType, str]] = []
    for kind, value in lexer.get_tokens(text):
        first, *others = value.split("\n")
        line.append((kind, first))
        for part in others:
            yield line
            line = [(kind, part)]
    if any(part for _, part in line):
        yield line


def _token(kind: _TokenType, part: str, target: Target | None, chosen: str) -> str:
    shown = escape(part)
    if target is not None and kind[:1] == tuple(Token.Name):
        link = escape(address("/code", file=target.file, symbol=target.symbol))
        doc = f"\n\n{target.doc[:_DOC]}" if target.doc else ""
        hover = escape((target.signature or target.symbol) + doc)
        mark = " chosen" if target.symbol == chosen else ""
        shown = f'<a class="to{mark}" href="{link}" title="{hover}">{shown}</a>'
    known: _TokenType | None = kind
    while known is not None and known not in STANDARD_TYPES:
        known = known.parent
    name = STANDARD_TYPES[known] if known is not None else ""
    return f'<span class="{name}">{shown}</span>' if name and part else shown
