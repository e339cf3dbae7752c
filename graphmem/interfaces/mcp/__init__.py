"""The MCP server: verbs as agent tools, with small schemas and answers within a token budget."""
