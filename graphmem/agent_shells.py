"""Tells whether a command runs in a shell that an agent started: agents say so in the environment. One table, read by every
command; it imports nothing, because the thin client reads it, too."""

from __future__ import annotations

from collections.abc import Mapping

# Variables that only the agent sets, and only for the commands that it runs.
CERTAIN = {
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_ENTRYPOINT": "Claude Code",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "QWEN_CODE": "Qwen Code",
    "CURSOR_AGENT": "Cursor",
    "OPENCODE": "opencode",
    "OPENCODE_CLIENT": "opencode",
    "CLINE_ACTIVE": "Cline",
    "GOOSE_TERMINAL": "goose",
    "AUGMENT_AGENT": "Augment",
    "ANTIGRAVITY_AGENT": "Antigravity",
    "COPILOT_CLI": "Copilot",
    "AI_AGENT": "an agent",
}
# Variables that may also stand in a person's terminal: a Cursor window sets the first for all of its terminals.
LIKELY = {"CURSOR_TRACE_ID": "Cursor", "AGENT": "an agent"}
_OFF = frozenset({"", "0", "false", "no", "off"})


def agent_of(environment: Mapping[str, str], *, certain: bool = False) -> str:
    """Return the name of the agent that started this shell, or "". With `certain`, only if no person could have."""
    for name, agent in CERTAIN.items() if certain else (CERTAIN | LIKELY).items():
        if environment.get(name, "").strip().lower() not in _OFF:
            return agent
    return ""
