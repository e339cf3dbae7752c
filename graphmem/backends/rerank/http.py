"""Rerankers behind Cohere's HTTP API, which Jina, Voyage, vLLM, llama.cpp and LocalAI also implement. Texts leave the
process, so it must be configured explicitly. It does not retry: a search does not wait."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.errors import StoreError, UsageError


class HttpReranker:
    """`POST {url}/rerank`. `timeout` is in seconds."""

    def __init__(self, url: str, model: str = "", key: str = "", timeout: float = 3.0) -> None:
        if not url:
            raise UsageError("the reranker needs a server: set retrieval.reranker_url, as in http://127.0.0.1:8080/v1")
        self._url = url.rstrip("/") + "/rerank"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = timeout

    @property
    def name(self) -> str:
        """Return the model and its URL."""
        return f"{self._model or 'reranker'} at {self._url}"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher is better. Raises StoreError if the server does not answer correctly and in
        time."""
        import httpx

        body = {"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)}
        try:
            answer = httpx.post(self._url, json=body, headers=self._headers, timeout=self._timeout)
        except httpx.HTTPError as error:
            raise StoreError(f"the reranker cannot be reached: {error}", url=self._url) from error
        if answer.status_code != 200:
            raise StoreError(f"the reranker answered {answer.status_code}", url=self._url)
        try:
            found = {int(one["index"]): float(one["relevance_score"]) for one in answer.json()["results"]}
            return [found[number] for number in range(len(texts))]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError("the reranker's answer has an unknown format or is incomplete", url=self._url) from error
