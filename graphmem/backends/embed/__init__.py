"""Text encoders by provider. Only the default is installed with the package; the others name the extra they need."""

from __future__ import annotations

from graphmem.errors import UsageError
from graphmem.ports.embedder import Embedder

PROVIDERS = ("wordllama", "none", "onnx", "fastembed", "sentence-transformers", "openai")


def create(
    provider: str, *, model: str = "", tokenizer: str = "", url: str = "", key: str = "", dimensions: int = 0
) -> Embedder | None:
    """The embedder of a provider, None for "none". `model` is a name or, for "onnx", a file with its `tokenizer` file;
    `url`, `key` and `dimensions` are for OpenAI-compatible servers. Raises UsageError for what is not installed."""
    if provider == "none":
        return None
    if provider == "wordllama":
        from graphmem.backends.embed.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if provider == "onnx":
        from graphmem.backends.embed.onnx import OnnxEmbedder

        return OnnxEmbedder(model, tokenizer)
    if provider == "fastembed":
        from graphmem.backends.embed.local import FastEmbedEmbedder

        return FastEmbedEmbedder(model or "BAAI/bge-small-en-v1.5")
    if provider == "sentence-transformers":
        from graphmem.backends.embed.local import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(model or "sentence-transformers/all-MiniLM-L6-v2")
    if provider == "openai":
        from graphmem.backends.embed.openai import OpenAIEmbedder

        return OpenAIEmbedder(url or "https://api.openai.com/v1", model or "text-embedding-3-small", key, dimensions)
    raise UsageError(
        f"the embedding provider {provider} is unknown: use one of {', '.join(PROVIDERS)}", provider=provider
    )
