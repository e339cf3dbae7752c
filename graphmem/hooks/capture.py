"""Records hook input as event drafts. Their keys equal those of the transcript reader, so that importing the transcript
later adds only what hooks missed. Redaction happens in the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmem.extract.transcripts import Transcript, prompt_key
from graphmem.log.spool import DELIVERY, delete_entry
from graphmem.model.bounds import exit_code
from graphmem.model.events import Draft
from graphmem.model.sources import IngestReport
from graphmem.privacy import strip_private_sections
from graphmem.text.recall import without_fences
from graphmem.text.toolcalls import describe_call, is_own_tool

if TYPE_CHECKING:
    from graphmem.context import HookContext
    from graphmem.hooks.injection import Injection

Given = Mapping[str, Any]
_TAIL = 1 << 19  # bytes of a transcript read at once: some turns
_MOST_REPEATS = 1_000
DELIVERED = "delivery"  # payload key of a prompt: the hook call that delivered it
_SKIPPED = frozenset({"TodoRead", "todoread"})  # they repeat the same list over and over


def record_drafts(host: HookContext, drafts: Sequence[Draft], delivery: str = "") -> None:
    """Append drafts; existing events are unchanged. A repeated prompt is a separate turn (its key has a number). A
    `delivery` (one hook call) is recorded once, however often it is retried."""
    named = [
        replace(draft, dedupe_key=f"delivery:{delivery}:{number}") if delivery and draft.dedupe_key is None else draft
        for number, draft in enumerate(drafts)
    ]
    host.recorder.record([draft for draft in named if not _numbered(draft)])
    for draft in filter(_numbered, named):
        told = replace(draft, payload={**draft.payload, DELIVERED: delivery}) if delivery else draft
        for number in range(1, _MOST_REPEATS):
            (appended,) = host.recorder.record([replace(told, dedupe_key=f"{draft.dedupe_key}{number}")])
            if appended.outcome == "new" or (delivery and _delivered(host, appended.id) == delivery):
                break


def _delivered(host: HookContext, event: str) -> str:
    """Return the delivery of an event; "" if unknown."""
    known = host.log.get([event]).get(event)
    return str(known.payload.get(DELIVERED) or "") if known is not None else ""


def _numbered(draft: Draft) -> bool:
    return draft.type == "user_prompt" and (draft.dedupe_key or "").endswith(":")


def session_start_draft(host: HookContext, session: str, given: Given) -> Draft:
    """Return the draft for a session start."""
    payload = {"cwd": str(given.get("cwd") or ""), "branch": "", "source": "claude-code"}
    return Draft("session_start", payload, host.clock.now(), session, host.project, "system", f"session:{session}")


def session_end_draft(host: HookContext, session: str, given: Given) -> Draft:
    """Return the draft for a session end; a session may be resumed and end again."""
    payload = {"reason": str(given.get("reason") or "")}
    return Draft("session_end", payload, host.clock.now(), session, host.project, "system")


def prompt_drafts(host: HookContext, session: str, given: Given) -> list[Draft]:
    """Return drafts for what the person typed, without injected text."""
    said = without_fences(str(given.get("prompt") or "")).strip()
    payload = {"role": "user", "content": said, "ref": "", "agent": ""}
    if isinstance(given.get("cwd"), str) and given["cwd"]:
        payload["cwd"] = given["cwd"]  # what the paths in it start from
    draft = Draft("user_prompt", payload, host.clock.now(), session, host.project, "user", prompt_key(session, said))
    return [draft] if said else []


def tool_drafts(host: HookContext, session: str, given: Given) -> list[Draft]:
    """Return drafts for a tool call with its result; graphmem's own tools are skipped."""
    name, arguments = str(given.get("tool_name") or ""), given.get("tool_input")
    arguments = arguments if isinstance(arguments, dict) else {}
    identifier = str(given.get("tool_use_id") or "")
    if not name or name in _SKIPPED or is_own_tool(name, arguments):
        return []
    failure = given.get("error") or given.get("tool_error")
    response = given.get("tool_response", given.get("tool_output"))
    status = _status(response)
    output = strip_private_sections(plain_text(failure if failure else response))
    roots = [str(given["cwd"])] if given.get("cwd") else []
    payload = describe_call(name, arguments, output, failed=bool(failure or status), roots=roots)
    if status and "exit_code" in payload:
        payload["exit_code"] = status
    payload |= {"ref": identifier, "agent": str(given.get("agent_id") or "")} | ({"cwd": roots[0]} if roots else {})
    key = f"claude-code:{session}:{identifier}" if identifier else None
    return [Draft("tool_observation", payload, host.clock.now(), session, host.project, "tool", key)]


def _status(response: Any) -> int:
    """Return the exit status that some hosts put into the response; 0 if there is none."""
    found = [response.get(name) for name in ("exit_code", "exitCode")] if isinstance(response, dict) else []
    return next((exit_code(code) for code in found if isinstance(code, int)), 0)


def plain_text(response: Any) -> str:
    """Return the text of a tool response in any form: text, blocks, or an object with the output inside."""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return "\n".join(filter(None, map(plain_text, response)))
    if not isinstance(response, dict):
        return "" if response is None else str(response)
    if "stdout" in response or "stderr" in response:
        return "\n".join(str(response[name]) for name in ("stdout", "stderr") if response.get(name))
    if "structuredPatch" in response:  # an edit: the input is sufficient
        return f"changed {response.get('filePath', '')}".strip()
    for name in ("text", "content", "file", "output", "result"):
        if response.get(name):
            return plain_text(response[name])
    return json.dumps(response, ensure_ascii=False, default=str)


def answer_drafts(host: HookContext, session: str, given: Given) -> list[Draft]:
    """Return drafts for turns at the end of the transcript that hooks do not see: answers, and failed calls. Prompts are
    skipped, because only the whole transcript shows how often one was repeated."""
    lines = read_last_lines(str(given.get("agent_transcript_path") or given.get("transcript_path") or ""))
    reading = Transcript(Path(), host.project, IngestReport("sessions"), roots=[str(given.get("cwd") or "")])
    drafts = [draft for draft in reading.read(lines) if draft.type not in ("user_prompt", "session_start")]
    if drafts or lines:
        return [draft for draft in drafts if draft.session == session]
    text = without_fences(str(given.get("last_assistant_message") or "")).strip()
    payload = {"role": "assistant", "content": text, "ref": "", "agent": ""}
    return [Draft("agent_response", payload, host.clock.now(), session, host.project, "assistant")] if text else []


def read_last_lines(path: str) -> list[bytes]:
    """Return the last whole lines of a file; none if it is unreadable, a device or a pipe, which may never end."""
    try:
        if not Path(path).is_file():
            return []
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")
    except (OSError, ValueError):  # ValueError: an invalid path
        return []
    return lines[1:] if size > _TAIL else lines


def injection_draft(host: HookContext, session: str, event: str, found: Injection, agent: str = "") -> Draft:
    """Return the draft that records an injection. It contains ids, not text, so that forgotten text does not survive
    here."""
    payload = {"event": event, "items": list(found.ids), "citations": list(found.citations), "tokens": found.tokens}
    payload |= {"parts": list(found.parts)} if found.parts else {}
    payload |= {"agent": agent} if agent else {}
    return Draft("memory_shown", payload, host.clock.now(), session, host.project, "system")


def session_of(given: Given) -> str:
    """Return the session id of a hook's input as the log stores it: within the limits, without lone surrogates."""
    return str(given.get("session_id") or "default").encode("utf-8", "replace").decode("utf-8")


def agent_of(given: Given) -> str:
    """Return the id of the subagent that a hook belongs to, or ""."""
    return str(given.get("agent_id") or "")


def failed_command(host: HookContext, session: str, given: Given) -> Mapping[str, Any] | None:
    """Return the recorded payload of a failed command; None if the tool ran no command, or the command succeeded."""
    drafts = tool_drafts(host, session, given)
    return next(
        (draft.payload for draft in drafts if draft.payload.get("failed") and draft.payload.get("command")), None
    )


def record_event(host: HookContext, event: str, given: Given) -> None:
    """Record the input of a hook. Call this before any search, so that a slow search loses nothing."""
    drafts_of = RECORDERS.get(event)
    if drafts_of is not None:
        delivery = str(given.get(DELIVERY) or "")
        record_drafts(host, drafts_of(host, session_of(given), given), delivery)
        delete_entry(str(host.path), delivery)


RECORDERS: dict[str, Callable[[HookContext, str, Given], Sequence[Draft]]] = {
    "SessionStart": lambda host, session, given: [session_start_draft(host, session, given)],
    "UserPromptSubmit": prompt_drafts,
    "PostToolUse": tool_drafts,
    "PostToolUseFailure": tool_drafts,
    "Stop": answer_drafts,
    "SubagentStop": answer_drafts,
    "PreCompact": answer_drafts,
    "SessionEnd": lambda host, session, given: [
        *answer_drafts(host, session, given),
        session_end_draft(host, session, given),
    ],
}
