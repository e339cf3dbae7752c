"""User and program interfaces: command line, MCP, HTTP, agent hooks, viewer, LangChain."""
