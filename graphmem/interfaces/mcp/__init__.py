"""The MCP server: the verbs that agents need as tools, with small schemas and answers within a budget of tokens."""
