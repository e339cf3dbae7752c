"""Which symbols are tests or examples, and which questions ask for them."""

from __future__ import annotations

import re

from graphmem.model.changes import Item

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|__tests__|e2e|fixtures)/|(?:^|/)(?:test_|conftest\.)|[._-](?:test|spec)s?\."
)
_BENCHMARK_PATH = re.compile(r"(?:^|/)benchmarks?/|[._-]benchs?\.")
_EXAMPLE_PATH = re.compile(r"(?:^|/)(?:examples?|samples?|demos?)/")
_VENDORED_PATH = re.compile(  # copies of other projects; `packages` of Python, where those of JavaScript are one's own
    r"(?:^|/)(?:_?vendor(?:ed)?|third[-_]?party|3rdparty|externals?|node_modules)/|^[\w-]+/packages/[^:]*\.py(?::|$)"
)
_TEST_NAME = re.compile(r"(?:^|\.)(?:tests?|specs?)\.|(?:^|\.)test_\w")  # also tests inside of source files
_ASKS_TESTS = re.compile(
    r"\b(?:tests?|specs?|tested|testing|covers?|examples?|samples?|demos?|benchmarks?)\b|테스트|예제|시험", re.I
)
_ASKS_HOW = re.compile(r"\W*how (?:do|can|could|should|would|to|must|might)\b", re.I)


def is_test(item: Item) -> bool:
    """Return whether a symbol is a test or an example, by its place and name."""
    return is_check(item) or is_example(item) or bool(_BENCHMARK_PATH.search(item.ref))


def is_vendored(item: Item) -> bool:
    """Return whether a symbol is of a copy of another project, by its place."""
    return bool(_VENDORED_PATH.search(item.ref))


def is_secondary(item: Item) -> bool:
    """Return whether a symbol is a test, an example or of a copy of another project."""
    return is_test(item) or is_vendored(item)


def is_check(item: Item) -> bool:
    """Return whether a symbol is a test, not an example, by its place and name."""
    return bool(_TEST_PATH.search(item.ref) or _TEST_NAME.search(item.title))


def is_example(item: Item) -> bool:
    """Return whether a symbol is an example, by its place."""
    return bool(_EXAMPLE_PATH.search(item.ref))


def asks_for_tests(query: str) -> bool:
    """Return whether a query speaks of tests or examples."""
    return bool(_ASKS_TESTS.search(query))


def asks_how(query: str) -> bool:
    """Return whether a question asks how something is done, which an example shows and a test does not.

    >>> asks_how("How do I fake an answer?"), asks_how("How does the parser work?")
    (True, False)
    """
    return bool(_ASKS_HOW.match(query))
