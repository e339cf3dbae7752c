"""Cross-encoders in ONNX format, such as ms-marco-MiniLM: a model file and its `tokenizer.json`, local, so nothing leaves
the machine. Needs `onnxruntime`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.backends.models import OnnxFile, tokenizer_of
from graphmem.errors import UsageError

_LONGEST, _BATCH = 512, 16  # tokens of query and text together; texts per batch


class OnnxReranker:
    """Returns the relevance logit: the only output, or the last of several. Files are read on first use."""

    def __init__(self, model: str, tokenizer: str = "") -> None:
        self._model = Path(model)
        self._vocabulary = Path(tokenizer) if tokenizer else self._model.with_name("tokenizer.json")
        for file in (self._model, self._vocabulary):
            if not model or not file.is_file():
                raise UsageError(
                    f"{file} is not a file: set retrieval.reranker_model and retrieval.reranker_tokenizer",
                    path=str(file),
                )

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return f"onnx-{self._model.stem}"

    @cached_property
    def _network(self) -> OnnxFile:
        return OnnxFile(self._model)

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = tokenizer_of(self._vocabulary, _LONGEST, strategy="only_second")
        tokenizer.enable_padding()
        return tokenizer

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher is better."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # similar lengths together: less padding
        scores = [0.0] * len(texts)
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            for place, value in zip(part, self._run(query, [texts[place] for place in part]), strict=True):
                scores[place] = value
        return scores

    def _run(self, query: str, texts: list[str]) -> list[float]:
        encoded = self._tokenizer.encode_batch([(query[: 4 * _LONGEST], text) for text in texts])
        inputs = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        logits = self._network.run(inputs)
        scores: list[float] = np.asarray(logits, np.float32).reshape(len(texts), -1)[:, -1].tolist()
        return scores
