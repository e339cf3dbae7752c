"""Tools for other programs: schemas in each provider's form, a dispatcher that never raises at a model, and LangChain."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from graphmem import Memory
from graphmem.errors import NotFound, UsageError
from graphmem.interfaces.mcp.groups import adapt_for_agents, listed_tools
from graphmem.interfaces.mcp.tools import agent_tools
from graphmem.interfaces.toolbox import FORMATS, Toolbox, schemas
from graphmem.text.tokens import count_tokens


def asked(name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call-1", "type": "function", "function": {"name": name, "arguments": text}}


def test_every_format_has_every_tool() -> None:
    for format in FORMATS:
        found = schemas(format)
        assert [entry.get("name") or entry["function"]["name"] for entry in found] == list(listed_tools())
    (only,) = schemas("openai", ["search"])
    assert only["function"]["parameters"]["required"] == ["query"] and only["type"] == "function"
    assert count_tokens(json.dumps(schemas("mcp"))) < 1_500
    with pytest.raises(UsageError, match="choose one of openai"):
        schemas("yaml")
    with pytest.raises(NotFound):
        schemas("openai", ["juggle"])


def test_a_model_can_call_them(memory: Memory) -> None:
    box = Toolbox(memory)
    assert "Saved as" in box.reply(asked("remember", {"content": "The dock gate opens at high water only."}))["content"]
    reply = box.reply(asked("search", {"query": "when does the dock gate open"}))
    assert reply["role"] == "tool" and reply["tool_call_id"] == "call-1" and "high water" in reply["content"]
    for name, arguments, said in (("juggle", {}, "unknown tool"), ("search", {}, "needs `query`"), ("search", "{", "not valid JSON"),
                                  ("search", "[]", "not a JSON object"), ("details", {"ids": ["zzzzzz"]}, "no item")):  # fmt: skip
        assert said in box.reply(asked(name, arguments))["content"]
    assert box.reply({})["content"].startswith("error:")


def test_without_langchain_the_extra_is_named() -> None:
    code = "import sys; sys.modules['langchain_core'] = None\nimport graphmem.interfaces.langchain"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stderr.strip().endswith(
        "NotInstalled: LangChain is not installed: pip install '.[langchain]' in the clone of graphmem"
    )


def test_an_agent_reads_parameters_and_tools_not_flags_and_commands(memory: Memory) -> None:
    box = Toolbox(memory)
    refused = box.reply({"function": {"name": "forget", "arguments": {"id": "x"}}})["content"]
    assert "`confirm`" in refused and "--" not in refused
    assert adapt_for_agents("run `graphmem index` first, or `graphmem process --retry`") == (
        "run `memory` (action index) first, or `graphmem process --retry`"
    )
    assert not [tool.name for tool in (*agent_tools().values(), *listed_tools().values()) if "--" in str(tool.schema())]


def test_langchain(memory: Memory) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from graphmem.interfaces.langchain import MemoryChatHistory, MemoryRetriever, memory_tools

    history = MemoryChatHistory(memory, "chat-1")
    said = [
        HumanMessage("Where is the spare anchor kept?"),
        AIMessage("In the forward locker."),
        ToolMessage("42 kg", tool_call_id="t1"),
    ]
    history.add_messages([*said, AIMessage("")])
    assert [(type(one), one.text) for one in history.messages] == [(type(one), one.text) for one in said]
    assert history.messages[2].tool_call_id == "t1"
    memory.process()
    found = MemoryRetriever(memory=memory, k=3).invoke("spare anchor")
    assert (
        found[0].page_content == "In the forward locker."
        and found[0].metadata["citation"].startswith("[mem:")
        and found[0].id
    )
    assert MemoryRetriever(memory=memory, certain=True).invoke("quantum chromodynamics lecture") == []
    offered = {tool.name: tool for tool in memory_tools(memory)}
    assert set(offered) == {"search", "get_memory_index", "read_memory_node", "search_memory", "retrieve_memory"}
    assert offered["get_memory_index"].invoke({}) and "forward locker" in offered["search"].invoke(
        {"query": "spare anchor"}
    )
    assert "query" in offered["search"].args
    (details,) = memory_tools(memory, ["details"])
    assert "no item" in details.invoke({"ids": ["zzzzzz"]})  # told to the model, not raised
    history.clear()
    history.clear()
    assert history.messages == []
