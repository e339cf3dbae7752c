"""Recognises commands that failed only because they misnamed something, such as a file: a similar command succeeded later, and
the error says that the name was the mistake. Two commands that differ and fail otherwise are two commands."""

from __future__ import annotations

import re
from collections import Counter

from graphmem.patterns import compile_later
from graphmem.retrieve.stems import stem

_SPELT = 3  # letters of a word that can be mistyped
# Programs that only start the one after them.
_STARTERS = frozenset("python python3 py uv uvx poetry pipenv pdm hatch npx pnpm yarn bunx bundle exec run".split())
_ABSENT = compile_later(
    r"not found|no such file|(?:does not|doesn't|not) exist|(?:can ?not|can't|could not|couldn't|unable to) (?:find|open|locate)"
    r"|no (?:tests?|test files?|matching files?) (?:files? )?(?:found|match)|찾을 수 없|존재하지 않",
    re.I,
)
_PARTS = compile_later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_SUFFIX = compile_later(r"\.[A-Za-z]\w{0,4}$")
_KIND = frozenset({"test", "spec"})  # stems of what file names say of their kind


def is_misnamed(failed: str, later: str, error: str) -> bool:
    """Return whether the command key `later` is `failed` except for one word that was the mistake: the error names it, and it is
    spelt almost the same, or is the path of an absent file whose name has the same words ("test_hooks.py", "hooks_test.py").

    >>> is_misnamed("pytest tests/test_a_b.py", "pytest tests/b_a_test.py", "not found: tests/test_a_b.py")
    True
    >>> is_misnamed("pytest tests/test_a.py", "pytest tests/b_test.py", "not found: tests/test_a.py")
    False
    """
    old, new = without_starters(failed), without_starters(later)
    other = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    if len(old) != len(new) or len(other) != 1:
        return False
    wrong, right = other[0]
    return _is_mistyped(wrong, right, error) or (old[0] == new[0] and _is_absent_path(wrong, right, error))


def without_starters(key: str) -> list[str]:
    """Return the words of a command key without programs that only start another one (`uv run pytest`)."""
    words = key.split()
    while len(words) > 1 and words[0] in _STARTERS and not _is_path(words[1]):
        words = words[1:]
    return words


def _is_mistyped(wrong: str, right: str, error: str) -> bool:
    from rapidfuzz.distance import OSA

    return _names(error, wrong) and min(len(wrong), len(right)) >= _SPELT and OSA.distance(wrong, right) == 1


def _is_absent_path(wrong: str, right: str, error: str) -> bool:
    """Return whether the error says that the path `wrong` does not exist, and `right` is in the same folder, or above or below
    it, under a name with the same words."""
    (file, _, part), (other, _, same) = wrong.partition("::"), right.partition("::")  # of pytest: a test in the file
    folder, _, name = file.rpartition("/")
    beside, _, found = other.rpartition("/")
    if part != same or not (_is_path(file) and _is_path(other)):
        return False
    if not (_is_within(folder, beside) or _is_within(beside, folder)):
        return False
    return _said_words(name) == _said_words(found) and bool(_ABSENT.search(error)) and _names(error, name)


def _names(error: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", error) is not None


def _is_path(word: str) -> bool:
    return "/" in word or _SUFFIX.search(word) is not None


def _is_within(folder: str, above: str) -> bool:
    return f"{folder}/".startswith(f"{above}/" if above else "")


def _said_words(name: str) -> Counter[str]:
    """Return the words of a file name without its extension and its kind, each as often as it occurs."""
    words = [stem(part.lower()) for part in _PARTS.findall(_SUFFIX.sub("", name))]
    return Counter([word for word in words if word not in _KIND] or words)
