"""codebase-memory-mcp: the package downloads its program at the first use, so without a network it fails."""
# pip: codebase-memory-mcp==0.12.1

PROGRAM = "codebase-memory-mcp"
COMMANDS = (("cli", "index_repository", '{"repo_path": "."}'),)
