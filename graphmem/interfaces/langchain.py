"""LangChain integration (extra `langchain`): tools, a retriever and a chat history on an open `Memory`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ConfigDict

from graphmem.errors import GraphmemError, NotFound, NotInstalled
from graphmem.interfaces.mcp.groups import Entry, Group
from graphmem.interfaces.mcp.tools import Tool, agent_tools
from graphmem.interfaces.toolbox import Toolbox, select_tools
from graphmem.memory import Memory
from graphmem.model.results import Hit

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
except ModuleNotFoundError as error:
    raise NotInstalled("LangChain is not installed: pip install '.[langchain]' in the clone of graphmem") from error

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}
_TURNS = ("user_prompt", "agent_response", "tool_observation")


def memory_tools(memory: Memory, names: Iterable[str] | None = None) -> list[BaseTool]:
    """Return LangChain tools: `search` and the memory tree tools, or those in `names` (as listed by `graphmem
    tools`)."""
    box = Toolbox(memory)
    usual = [name for name, tool in agent_tools().items() if name == "search" or tool.verb.name.startswith("tree ")]
    return [_tool(box, tool) for tool in select_tools(usual if names is None else names)]


def _tool(box: Toolbox, tool: Tool | Entry | Group) -> StructuredTool:
    def run(**given: Any) -> str:
        try:
            return box.call(tool.name, given)
        except GraphmemError as error:
            raise ToolException(str(error)) from error

    return StructuredTool.from_function(
        run, name=tool.name, description=tool.help, args_schema=tool.schema(), handle_tool_error=True
    )


class MemoryRetriever(BaseRetriever):
    """Retriever over the memory. `kinds` restricts the kinds of hits; `certain` drops answers without a relevant hit."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    memory: Memory
    k: int = 10
    kinds: Sequence[str] | None = None
    scope: str = "project"
    certain: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        result = self.memory.search(query, k=self.k, kinds=self.kinds, scope=self.scope)
        if self.certain and result.confidence == "none":
            return []
        return [document(hit) for hit in result.hits]


def document(hit: Hit) -> Document:
    """Convert a hit to a LangChain document with its source."""
    metadata = {"id": hit.id, "kind": hit.kind, "title": hit.title, "at": hit.at.isoformat(), "session": hit.session,
                "citation": hit.citation, "score": hit.score, "probability": hit.probability}  # fmt: skip
    return Document(page_content=hit.content, metadata=metadata, id=hit.id)


class MemoryChatHistory(BaseChatMessageHistory):
    """Chat history of one session, stored in the memory like all other turns and therefore searchable."""

    def __init__(self, memory: Memory, session: str) -> None:
        self._memory, self._session = memory, session

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """Return all messages of the session, oldest first."""
        events = self._memory.history(session=self._session, types=_TURNS, limit=2**31)
        return [_message(event.payload) for event in events]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Record messages in one transaction. Messages without text are skipped."""
        turns = [
            {
                "content": str(message.text),
                "role": _ROLES.get(message.type, "user"),
                "session": self._session,
                "metadata": {"tool_call_id": message.tool_call_id} if isinstance(message, ToolMessage) else None,
            }
            for message in messages
            if str(message.text).strip()
        ]
        self._memory.observe_many(turns)

    def clear(self) -> None:
        """Forget the session."""
        try:
            self._memory.forget(session=self._session)
        except NotFound:
            return  # nothing was recorded


def _message(payload: dict[str, Any]) -> BaseMessage:
    text = str(payload.get("content", ""))
    match payload.get("role"):
        case "assistant":
            return AIMessage(text)
        case "tool":
            return ToolMessage(text, tool_call_id=str(payload.get("tool_call_id") or payload.get("ref") or ""))
        case "system":
            return SystemMessage(text)
    return HumanMessage(text)
