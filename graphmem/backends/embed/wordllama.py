"""The default embedder: mean of static token vectors (256 dimensions) from the data files of the `wordllama` wheel. The
files are read directly, because the package imports a training stack; nothing is downloaded. Related words of
single-token words are stored in a file, written by `python -m graphmem.backends.embed.wordllama`."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmem.errors import StoreError
from graphmem.text import tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_WORD_MARK = "▁"  # prefix of tokens that start a word
_RELATED, _NEAR = 6, 0.35  # related words stored per word, and their minimum cosine
_KEPT = Path(__file__).with_name("wordllama_related.npy")
_UNIT = 10_000  # scale of a cosine in that file
_LOOKED_AT = 64  # nearest tokens of a word; not all of them are words
_KNOWN = 20_000  # words whose related words are cached
_PART_TOKENS = 8_192  # tokens whose vectors are summed at once: 8 MB
_MAX_CHARS = 20_000  # characters; the mean of more words adds no information


class WordLlamaEmbedder:
    """Loaded on first use (about 0.1 s); thread-safe afterwards."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[str, float]]] = {}
        self._vectors: dict[str, np.ndarray] = {}

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        found = tokens.tokenizer()  # the tokenizer that counts tokens: loading it takes longer than a search
        if found is None:
            raise StoreError("the wordllama package is missing or not the expected one: reinstall graphmem")
        return found

    @cached_property
    def _table(self) -> np.ndarray:
        path = _folder() / _WEIGHTS
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header: dict[str, Any] = json.loads(file.read(size))
        tensor = header["embedding.weight"]
        return np.memmap(path, np.float16, "r", 8 + size + tensor["data_offsets"][0], tuple(tensor["shape"]))

    def words(self) -> list[str]:
        """Return the whole English words in its vocabulary."""
        return list(dict.fromkeys(word for token in self._tokenizer.get_vocab() if (word := _word(token))))

    def related(self, words: Sequence[str], limit: int, least: float) -> dict[str, list[tuple[str, float]]]:
        asked = [word for word in words if word.isascii() and word.isalpha()]
        if len(self._known) > _KNOWN:
            self._known.clear()
        for word in asked:
            if word not in self._known:
                self._known[word] = self._kept(word)
        return {word: [pair for pair in self._known[word][:limit] if pair[1] >= least] for word in asked}

    def _kept(self, word: str) -> list[tuple[str, float]]:
        """Return related words: from the file for a single-token word, otherwise searched among all tokens."""
        number = self._tokenizer.token_to_id(_WORD_MARK + word)
        known = self._relations[self._relations[:, 0] == number, 1:]  # an unknown token equals none
        near = known.reshape(-1, 2).tolist() if len(known) else self._nearest(word)
        return [(self._spelt(token), cosine / _UNIT) for token, cosine in near if cosine]

    @cached_property
    def _relations(self) -> np.ndarray:
        """Return a row for each token that is a lower-case word: the token, then related ones, each with its cosine."""
        kept: np.ndarray = np.load(_KEPT, mmap_mode="r")
        return kept

    def relate(self) -> np.ndarray:
        """Compute the content of `_relations`."""
        tokens = self._tokenizer.get_vocab()
        words = {number: token[1:] for token, number in tokens.items() if token == _WORD_MARK + _word(token)}
        found = np.zeros((len(words), 1 + 2 * _RELATED), np.uint16)
        for row, number in zip(found, sorted(words), strict=True):
            near = np.array(self._nearest(words[number]), np.uint16).ravel()
            row[0], row[1 : 1 + len(near)] = number, near
        return found

    def _nearest(self, word: str) -> list[tuple[int, int]]:
        """Return those nearest tokens that are whole words, without duplicates in case."""
        cosines = cosine_similarities(self.embed([word]), self._table)[0]
        near = np.argpartition(-cosines, _LOOKED_AT)[:_LOOKED_AT]
        found: dict[str, tuple[int, int]] = {}
        for number in near[np.argsort(-cosines[near], kind="stable")].tolist():
            other = self._spelt(number)
            if other and other != word and cosines[number] >= _NEAR:
                found.setdefault(other, (number, round(float(cosines[number]) * _UNIT)))
        return list(found.values())[:_RELATED]

    def _spelt(self, number: int) -> str:
        return _word(self._tokenizer.id_to_token(number) or "")

    def likeness(self, words: Sequence[str], texts: Sequence[Sequence[str]]) -> np.ndarray:
        places = {word: place for place, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
        if not words or not places:
            return np.zeros((len(words), len(texts)), np.float32)
        cosines = np.maximum(
            cosine_similarities(self._of_words(words), self._of_words(list(places)).astype(np.float16)), 0
        )
        for line, word in zip(cosines, words, strict=True):
            if word in places:
                line[places[word]] = 1
        found = np.zeros((len(words), len(texts)), np.float32)
        filled = [column for column, text in enumerate(texts) if text]
        starts = np.cumsum([0, *(len(texts[column]) for column in filled[:-1])])
        every = np.array([places[word] for text in texts for word in text])
        found[:, filled] = np.maximum.reduceat(cosines[:, every], starts, axis=1)
        return found

    def _of_words(self, words: Sequence[str]) -> np.ndarray:
        """Return their vectors, cached; zeros for words of other scripts, which are split into uninformative bytes."""
        if len(self._vectors) > _KNOWN:
            self._vectors.clear()
        kept = {word: self._vectors.get(word) for word in words}  # another thread may clear it
        new = [word for word, vector in kept.items() if vector is None]
        numbers = [self._tokenizer.token_to_id(_WORD_MARK + word) or 0 for word in new]
        found = self._table[numbers].astype(np.float32)
        parted = [place for place, number in enumerate(numbers) if not number]
        found[parted] = self.embed([new[place] if new[place].isascii() else "" for place in parted])
        for word, vector in zip(new, found, strict=True):
            self._vectors[word] = kept[word] = vector
        return np.array([kept[word] for word in words], np.float32).reshape(-1, self.dimensions)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._tokenizer.encode_batch_fast(
            [without_surrogates(text[:_MAX_CHARS]) for text in texts], add_special_tokens=False
        )
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for part in _parts([len(one.ids) for one in encoded]):
            numbers = [encoded[i].ids for i in part]
            starts = np.cumsum([0, *map(len, numbers[:-1])])
            sums = np.add.reduceat(self._table[np.concatenate(numbers)], starts, axis=0, dtype=np.float32)
            vectors[part] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


def _parts(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of the texts that are not empty, in parts of some thousand tokens: their vectors fit into the cache,
    which saves 40 % of the time, and 0.4 GB for 512 long texts."""
    part, size = list[int](), 0
    for place, length in enumerate(lengths):
        if part and size + length > _PART_TOKENS:
            yield part
            part, size = [], 0
        if length:
            part.append(place)
            size += length
    if part:
        yield part


def cosine_similarities(queries: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return cosines of float32 rows with float16 rows, shape (queries, rows)."""
    try:
        import numkong
    except ImportError:
        norms = np.linalg.norm(table.astype(np.float32), axis=1) * np.linalg.norm(queries, axis=1)[:, None]
        similar: np.ndarray = queries @ table.astype(np.float32).T / np.maximum(norms, 1e-9)
        return similar
    distances: np.ndarray = np.asarray(numkong.cdist(queries.astype(np.float16), table, metric="angular"))
    return 1 - distances


def _word(token: str) -> str:
    """Return the lower-case English word of a token, "" if it is none."""
    word = token[1:]
    return word.lower() if token[:1] == _WORD_MARK and len(word) > 2 and word.isascii() and word.isalpha() else ""


def without_surrogates(text: str) -> str:
    """Return the text without lone surrogates, which no encoder accepts."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _folder() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise StoreError("the wordllama package is missing: reinstall graphmem, or set embedding.provider to none")
    return Path(found.submodule_search_locations[0])


if __name__ == "__main__":
    np.save(_KEPT, WordLlamaEmbedder().relate())
