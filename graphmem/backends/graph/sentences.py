"""Translates the engine's error messages into sentences that help the author of a query."""

from __future__ import annotations

import re

from graphmem.errors import BufferFull, QueryTimeout, UsageError

_SAID: tuple[tuple[str, str], ...] = (
    (r"Table (\w+) does not exist", "no label or relation `{0}`: `graphmem schema` lists them"),
    (r"Cannot find property (\w+) for (\w+)", "`{1}` has no property `{0}`: `graphmem schema` lists them"),
    (r"Variable (\w+) is not in scope", "`{0}` is not defined at this point"),
    (r"Variable (\w+) already exists", "`{0}` is defined twice"),
    (r"Parameter (\w+) not found", "the query has no `${0}`: omit that parameter"),
    (r"function TYPE does not exist", "there is no function `type`: `label(r)` is what a relation is called"),
    (r"function (\w+) is not defined", "this graph engine has no function `{0}`"),
    (r"function (\w+) does not exist", "there is no function `{0}`"),
    (r"Cannot order by (\w+)\. Order by (?:NODE|REL) is not supported", "cannot sort by `{0}`, which is a node or relation: sort"
     " by a property, or rename the column"),
    (r"Type Mismatch: Cannot compare types (\w+) and (\w+)", "a {0} cannot be compared with a {1}: convert one of them, as in"
     " timestamp('2026-01-31')"),
    (r"Function (\w+) did not receive correct arguments:.*?Actual:\s*\(([^)]*)\)", "`{0}` does not take ({1})"),
    (r"Nodes? (\w+) and (\w+) are not connected through rel (\w*)", "`{2}` does not connect `{0}` to `{1}`: `graphmem schema`"
     " lists what each relation connects"),
    (r"extraneous input '(.*?)' expecting .*?\(line: (\d+), offset: (\d+)\)", "unexpected `{0}` at line {1}, column {2}"),
    (r"Invalid input <(.*?)>: expected rule \w+ \(line: (\d+), offset: (\d+)\)", "syntax error at `{0}` (line {1}, column"
     " {2})"),
    (r"mismatched input '(.*?)' expecting .*?\(line: (\d+), offset: (\d+)\)", "unexpected `{0}` at line {1}, column {2}"),
)  # fmt: skip
_KIND = re.compile(r"^(?:\w+ exception: )+")


def explain_error(said: str) -> str:
    """Return one plain sentence, without the engine's internal terms."""
    text = " ".join(said.split())
    for pattern, words in _SAID:
        match = re.search(pattern, text)
        if match:
            return words.format(*match.groups())
    first = _KIND.sub("", said.strip().splitlines()[0] if said.strip() else "the query failed")
    return re.sub("Kuzu|Lbug", "the graph engine", first).replace("oC_", "").replace("iC_", "").rstrip(".")


def refusal_of(said: str, timeout_s: float) -> QueryTimeout | UsageError:
    """Return the error for the caller of a query that the engine refused or stopped."""
    if "Interrupted" in said:
        return timeout_of(timeout_s)
    return UsageError(f"Cypher: {explain_error(said)}")


def timeout_of(timeout_s: float) -> QueryTimeout:
    """Return the error for the caller of a query that took too long."""
    return QueryTimeout(f"the query ran longer than {timeout_s:g} s and was stopped: add a LIMIT or narrow the pattern")


def is_pool_full(error: BaseException) -> bool:
    """Return whether an error of the engine says that its buffer memory is used up."""
    return "buffer pool is full" in str(error)


def pool_full(size: int, *, is_mended: bool = False) -> BufferFull:
    """Return the error for a caller whose data does not fit into so many bytes of buffer memory; `is_mended`: the graph is made
    again by its owner."""
    if is_mended:
        return BufferFull(
            "the graph ran out of buffer memory and is made again from the log, which lacks nothing: try again"
        )
    return BufferFull(
        f"{size >> 20} MB of buffer memory are not enough for this graph: increase `buffer_pool_mb` under [graph] in settings.toml;"
        " if it was changed often, `graphmem rebuild` makes it small again, and with `graphmem move --engine ladybug` it stays so"
    )
