"""basic-memory: notes in Markdown, asked through its MCP server. Full text only: its embedder is downloaded at the first use."""
# pip: basic-memory==0.24.1

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any


def build(documents: list[tuple[str, str]], folder: str) -> Callable[[str, int], list[str]]:
    """Write each text as a note titled by its ref; return a search: question, k -> refs, best first."""
    os.environ |= {
        "HOME": folder,
        "BASIC_MEMORY_HOME": f"{folder}/notes",
        "BASIC_MEMORY_CONFIG_DIR": f"{folder}/config",
    }
    os.environ |= {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_NO_PROMOS": "1"}
    import basic_memory.mcp.tools  # noqa: F401 (registers the tools; reads the environment)
    from basic_memory.mcp.server import mcp
    from fastmcp import Client

    loop = asyncio.new_event_loop()
    client = loop.run_until_complete(Client(mcp).__aenter__())

    def call(tool: str, **given: Any) -> str:
        result = loop.run_until_complete(client.call_tool(tool, {"project": "main", **given}))
        return str(result.content[0].text)

    for ref, text in documents:
        call("write_note", title=ref, content=text, directory="notes")

    def search(query: str, k: int) -> list[str]:
        found = call("search_notes", query=query, search_type="text", page_size=k, output_format="json")
        return [one["title"] for one in json.loads(found)["results"]]

    return search
