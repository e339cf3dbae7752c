"""The default embedder: mean of static token vectors (256 dimensions) from the data files of the `wordllama` wheel.
The files are read directly, since the package itself imports a training stack; nothing is ever downloaded."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.errors import StoreError
from graphmem.language import tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_WORD_MARK = "▁"  # what a token that begins a word begins with
_RELATED, _NEAR = 16, 0.3  # related words kept of a word, and their least cosine
_KNOWN = 20_000  # words whose related words are kept
_LONGEST = 20_000  # characters; the mean of more words than that tells nothing new


class WordLlamaEmbedder:
    """Loaded at first use (about 0.1 s); safe for several threads afterwards."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[str, float]]] = {}

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        found = tokens._tokenizer()  # the one that counts tokens: loading it takes longer than a search
        if found is None:
            raise StoreError("the wordllama package is missing or foreign: install graphmem again")
        return found

    @cached_property
    def _table(self) -> np.ndarray:
        path = _folder() / _WEIGHTS
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header: dict[str, Any] = json.loads(file.read(size))
        tensor = header["embedding.weight"]
        return np.memmap(path, np.float16, "r", 8 + size + tensor["data_offsets"][0], tuple(tensor["shape"]))

    @cached_property
    def _vocabulary(self) -> tuple[list[str], np.ndarray]:
        """The whole English words among the tokens, and their vectors of length 1."""
        numbers: dict[str, int] = {}
        for token, number in self._tokenizer.get_vocab().items():
            word = token[1:].lower()
            if token[0] == _WORD_MARK and len(word) > 2 and word.isascii() and word.isalpha():
                numbers[word] = min(number, numbers.get(word, number))
        matrix = self._table[list(numbers.values())].astype(np.float32)
        return list(numbers), matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def related(self, words: Sequence[str], limit: int, least: float) -> dict[str, list[tuple[str, float]]]:
        asked = [word for word in words if word.isascii() and word.isalpha()]
        new = [word for word in asked if word not in self._known]
        if new:
            vocabulary, matrix = self._vocabulary
            if len(self._known) > _KNOWN:
                self._known.clear()
            for word, cosines in zip(new, self.embed(new) @ matrix.T, strict=True):
                near = np.flatnonzero(cosines >= _NEAR)
                near = near[np.argsort(-cosines[near], kind="stable")][: _RELATED + 1]
                self._known[word] = [
                    (vocabulary[i], round(float(cosines[i]), 4)) for i in near if vocabulary[i] != word
                ]
        return {word: [pair for pair in self._known.get(word, ())[:limit] if pair[1] >= least] for word in asked}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._tokenizer.encode_batch_fast(
            [readable(text[:_LONGEST]) for text in texts], add_special_tokens=False
        )
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        lengths = np.array([len(one.ids) for one in encoded])
        filled = np.flatnonzero(lengths)
        if len(filled):
            numbers = np.concatenate([encoded[i].ids for i in filled])
            starts = np.concatenate(([0], np.cumsum(lengths[filled])[:-1]))
            sums = np.add.reduceat(self._table[numbers].astype(np.float32), starts, axis=0)
            vectors[filled] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


def readable(text: str) -> str:
    """The text without lone surrogates, which no encoder takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _folder() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise StoreError("the wordllama package is missing: install graphmem again, or set embedding.provider to none")
    return Path(found.submodule_search_locations[0])
