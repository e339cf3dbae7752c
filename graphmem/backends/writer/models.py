"""Models behind OpenAI-compatible servers (including Ollama) and Anthropic, through pydantic-ai: it converts a form to a
schema, validates the answer, and retries once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmem.errors import ModelError, UsageError
from graphmem.ports.writer import Written

if TYPE_CHECKING:
    from pydantic import BaseModel

    from graphmem.settings import Model

_URLS = {"openai": "https://api.openai.com/v1", "ollama": "http://127.0.0.1:11434/v1"}
_INSTALL = "a language model needs the extra `llm`: pip install '.[llm]' in the clone of graphmem"


class PydanticWriter:
    """A writer with one model. Raises UsageError if the extra is missing or no model is configured."""

    def __init__(self, chosen: Model, key: str) -> None:
        if not chosen.name:
            raise UsageError("setting `model.name`: must name a model where `model.provider` is set", key="model.name")
        self._chosen = chosen
        self._key = key
        self._model: Any = None

    @property
    def name(self) -> str:
        """Return provider and model."""
        return f"{self._chosen.provider}:{self._chosen.name}"

    def write(self, instructions: str, text: str, form: type[BaseModel]) -> Written:
        try:
            from pydantic_ai import Agent, PromptedOutput, UsageLimits
            from pydantic_ai.usage import RunUsage
        except ImportError as error:
            raise UsageError(_INSTALL) from error
        usage = RunUsage()
        agent: Any = Agent(self._connected(), output_type=PromptedOutput(form), instructions=instructions, retries=1)
        settings = {"max_tokens": self._chosen.tokens_a_call, "timeout": self._chosen.timeout_s, "temperature": 0.0}
        try:
            answer = agent.run_sync(
                text, model_settings=settings, usage=usage, usage_limits=UsageLimits(request_limit=2)
            )
        except Exception as error:  # whatever fails in a model or its library, the rules are used instead
            cost = {"tokens_in": usage.input_tokens, "tokens_out": usage.output_tokens} if usage.requests else {}
            raise ModelError(f"the model did not answer: {type(error).__name__}", **cost) from error
        return Written(answer.output, usage.input_tokens, usage.output_tokens)

    def _connected(self) -> Any:
        if self._model is None:
            self._model = self._anthropic() if self._chosen.provider == "anthropic" else self._openai()
        return self._model

    def _openai(self) -> Any:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        url = self._chosen.url or _URLS[self._chosen.provider]
        client = AsyncOpenAI(base_url=url, api_key=self._key or "none", max_retries=0, timeout=self._chosen.timeout_s)
        return OpenAIChatModel(self._chosen.name, provider=OpenAIProvider(openai_client=client))

    def _anthropic(self) -> Any:
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        client = AsyncAnthropic(
            base_url=self._chosen.url or None, api_key=self._key, max_retries=0, timeout=self._chosen.timeout_s
        )
        return AnthropicModel(self._chosen.name, provider=AnthropicProvider(anthropic_client=client))
