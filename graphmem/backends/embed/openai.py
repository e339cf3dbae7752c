"""Encoders behind an OpenAI-compatible HTTP API (OpenAI, Ollama, vLLM, LM Studio). Texts leave the machine, so it must be
configured explicitly. Errors state whether a retry may succeed; the outbox retries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from graphmem.errors import StoreError

_BATCH = 64
_TIMEOUT = 60.0  # seconds
_LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # a retry may succeed


class OpenAIEmbedder:
    """`POST {url}/embeddings`. With `dimensions` 0, the server is asked once."""

    def __init__(self, url: str, model: str, key: str = "", dimensions: int = 0) -> None:
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._wanted = dimensions

    @property
    def name(self) -> str:
        return f"openai-{self._model}-{self.dimensions}"

    @cached_property
    def dimensions(self) -> int:
        return self._wanted or len(self._ask(["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = [row for start in range(0, len(texts), _BATCH) for row in self._ask(list(texts[start : start + _BATCH]))]
        vectors = np.array(rows, np.float32).reshape(len(texts), self.dimensions)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return vectors

    def _ask(self, texts: list[str]) -> list[list[float]]:
        import httpx

        body: dict[str, Any] = {"model": self._model, "input": [text or " " for text in texts]}
        if self._wanted:
            body["dimensions"] = self._wanted
        try:
            answer = httpx.post(self._url, json=body, headers=self._headers, timeout=_TIMEOUT)
        except httpx.HTTPError as error:
            raise StoreError(f"the embedding server cannot be reached: {error}", retry=True, url=self._url) from error
        if answer.status_code != 200:
            raise StoreError(
                f"the embedding server answered {answer.status_code}", retry=answer.status_code in _LATER, url=self._url
            )
        try:
            rows = [item["embedding"] for item in sorted(answer.json()["data"], key=lambda item: item["index"])]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                "the embedding server's answer has an unknown format", retry=False, url=self._url
            ) from error
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1:
            raise StoreError("the embedding server's answer is incomplete", retry=True, url=self._url)
        return rows
